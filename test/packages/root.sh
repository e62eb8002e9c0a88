# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks in clean roots. A check works on a copy, so that the root itself stays clean; needs $kind, the word
# its lines begin with.

# make_root SUITE: $roots/SUITE is there afterwards; else prints why not.
make_root() {
  [ -e "$roots/$1/etc/debian_version" ] && return 0
  command -v debootstrap >/dev/null || { echo "no debootstrap"; return 1; }
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Identifier: Packages' 'Origin: Debian' 2>/dev/null | awk '$2 !~ /security/ {print $1; exit}')
  [ -n "$mirror" ] || { echo "apt knows no Debian mirror (apt-get update fills its lists)"; return 1; }
  rm -rf "$roots/$1.new" && mkdir -p "$roots"
  timeout 900 debootstrap --variant=minbase "$1" "$roots/$1.new" "$mirror" >"$roots/$1.log" 2>&1
  case $? in
    0) ;;
    124) echo "debootstrap took more than 900 s"; rm -rf "$roots/$1.new"; return 1;;
    *) echo "debootstrap failed: $(grep -E '^E:' "$roots/$1.log" | head -n 1)"; rm -rf "$roots/$1.new"; return 1;;
  esac
  mv "$roots/$1.new" "$roots/$1"
}

# copy_root FROM: $root, gone with the script.
copy_root() {
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  cp -a "$1/." "$root/"
}

say() { printf '  %-8s %s: %s\n' "$kind" "$suite" "$*"; }
fail() { say "$1: FAILS"; [ -z "${2:-}" ] || sed 's/^/    /' <<<"$2"; exit 1; }
# holds WHAT COMMAND...: one line, and the end of the check where the command fails.
holds() { local what=$1 out; shift; out=$("$@" 2>&1) && say "$what" || fail "$what" "$out"; }
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "${with[@]}" chroot "$root" "$@"; }
with=()  # further variables for in_root

# All there is but what a package manager notes for itself and temporary files.
snapshot() { (cd "$root" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/lib/rpm -o -path ./var/lib/apt -o -path ./var/log -o -path ./var/cache -o -path ./tmp -o -path ./proc -o -path ./dev \) -prune -o -print | sort); }

# The contract tests' host and the emulated verbs, from the build, into the root's /tmp; in_root commands see that node.
bring_host() {
  mkdir -p "$root/tmp/verbs"
  cp "$build/test/nccl-load" "$root/tmp/" && cp -L "$build/emu/libibverbs.so.1" "$root/tmp/verbs/"
  with+=(NCCL_IBVERBS_LIB=/tmp/verbs/libibverbs.so.1 NCCL_SOCKET_IFNAME=lo)
}

names_of_all_jobs() { ! find "$root" -name 'libnccl-net.so*' -o -name 'libnccl-tuner.so*' | grep -q .; }
needs_only_glibc() {  # needs_only_glibc FILE: as the root's own loader resolves it
  local other
  other=$(in_root ldd "$1" | awk '{print $1}' | grep -vE '^(linux-vdso|lib(c|m|gcc_s|dl|pthread)\.so\.|/lib.*/ld-linux)')
  [ -z "$other" ] || { echo "$1 needs $other"; return 1; }
}
glibc_of() { objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1; }
glibc_234() { local have; have=$(glibc_of "$1"); [ "$(printf '%s\nGLIBC_2.34\n' "$have" | sort -V | tail -n 1)" = GLIBC_2.34 ] || { echo "$1 wants $have"; return 1; }; }
exports() { diff <(grep -v '^#' "$here/../gates/$2/exports.txt" | sort) <(nm -D --defined-only "$1" | awk '{print $NF}' | sort); }
under_1mb() { local size; size=$(stat -Lc %s "$1"); [ "$size" -lt 1000000 ] || { echo "$1 has $size bytes"; return 1; }; }

# What both kinds of package promise of what they installed. LIBDIR as in the root.
check_installed() {
  local libdir=$1 part file
  holds "the command runs: $(in_root polyrail --version 2>&1 | head -n 1)" in_root polyrail help
  for part in tuner net; do
    file=$root$libdir/libnccl-$part-polyrail.so
    holds "libnccl-$part-polyrail.so exports exactly its symbols" exports "$file" $part
    holds "libnccl-$part-polyrail.so needs glibc and libgcc_s, $(glibc_of "$file"), $(stat -c %s "$file") bytes" \
      eval "needs_only_glibc $libdir/libnccl-$part-polyrail.so && glibc_234 $file && under_1mb $file"
  done
  holds "polyrail needs glibc and libgcc_s, $(glibc_of "$root/usr/bin/polyrail")" eval "needs_only_glibc /usr/bin/polyrail && glibc_234 $root/usr/bin/polyrail"
  holds "nothing bears a name that NCCL loads unasked" names_of_all_jobs
  holds "NCCL_TUNER_PLUGIN=polyrail and NCCL_NET_PLUGIN=polyrail load and serve" \
    serves in_root env NCCL_TUNER_PLUGIN=polyrail NCCL_NET_PLUGIN=polyrail /tmp/nccl-load
}
# serves COMMAND...: both lines, as a net plugin that loads and finds no port would be one line too.
serves() { local out; out=$("$@" 2>&1); grep -q 'tuner v' <<<"$out" && grep -qE 'net v[0-9]+, [1-9][0-9]* device' <<<"$out" || { echo "$out"; return 1; }; }
