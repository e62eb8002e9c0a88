# SPDX-License-Identifier: Apache-2.0
# docs/policy-format.md as scdoc for polyrail-policy(5): headings, paragraphs, lists, code, and tables as tagged lists.
BEGIN { print "polyrail-policy(5) \"\" \"polyrail " version "\"\n\n# NAME\n\npolyrail-policy - policy files of polyrail's tuner\n\n# DESCRIPTION\n" }
function plain(s) { gsub(/[\\*_~<>|]/, "\\\\&", s); return s }
# `code` and **strong** become bold; all else is taken as it is.
function text(s,   out, n, parts, i, t) {
  gsub(/\*\*/, "`", s)
  n = split(s, parts, "`")
  for (i = 1; i <= n; i++) {
    t = plain(parts[i])
    out = out (i % 2 == 0 && t != "" ? "*" t "*" : t)
  }
  if (out ~ /^[#;.\[\]-]/) out = "\\" out
  return out
}
function bare(s) { gsub(/`/, "", s); return s }
function flush() { if (para != "") print text(para) "\n"; para = "" }
function row(   n, cells, i, line) {
  n = split($0, cells, / *\| */)
  line = ""
  for (i = 3; i < n; i++) if (cells[i] != "") line = line (line == "" ? "" : ". ") cells[i]
  print (cells[2] ~ /`/ ? text(cells[2]) : "*" plain(cells[2]) "*") "\n\t" text(line) "\n"
}
/^<!--/ || /^# / { next }
/^```/ { flush(); code = !code; print "```"; if (!code) print ""; next }
code { print; next }
/^\|/ { flush(); if (!table++) next; if ($0 ~ /^\| *---/) next; row(); next }
{ table = 0 }
/^## / { flush(); print "# " toupper(plain(bare(substr($0, 4)))) "\n"; next }
/^### / { flush(); print "## " plain(bare(substr($0, 5))) "\n"; next }
/^$/ { flush(); next }
/^[0-9]+\. / { flush(); para = $0; sub(/^[0-9]+\. /, "• ", para); next }
{ sub(/^ +/, ""); para = para (para == "" ? "" : " ") $0 }
END { flush(); print "# SEE ALSO\n\n*polyrail-check*(1), *polyrail-policy*(1), *polyrail-tuner*(7)" }
