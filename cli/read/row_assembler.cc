// SPDX-License-Identifier: Apache-2.0
#include "cli/read/row_assembler.h"

#include <algorithm>
#include <cstring>

#include "cli/read/number.h"

namespace polyrail::read {
namespace {

// Two spaces and the field: `  %6s` of the root, `  %6g` and `  %5g` of the errors.
constexpr size_t kGap = 2;  // spaces that are always there
constexpr size_t kRootWidth = 8, kWrongWidth = 8, kOldWrongWidth = 7;
constexpr size_t kSizeWidth = 12;
constexpr size_t kLongestInteger = 6;  // that %g writes without an exponent
constexpr size_t kEmptyBody = 32;
constexpr size_t kLongestTag = 128;

std::string_view behind(std::string_view line, const char* p) {
  return line.substr(static_cast<size_t>(p - line.data()));
}

bool closes(std::string_view line, const char* p) { return p == line.data() + line.size(); }

// How many of the characters of a number with foreign text glued to it are its own. A known host name begins where
// the number ends; else printf's habits tell: it pads to `width` (spaces included), writes two digits of an exponent,
// and without one at most six digits.
size_t ownLength(const Number& n, size_t width, const char* lineEnd, std::string_view host) {
  const std::string_view text = n.text();
  const std::string_view rest(n.begin, static_cast<size_t>(lineEnd - n.begin));
  if (!host.empty())
    for (size_t own = 1; own <= text.size(); own++)
      if (rest.substr(own, host.size()) == host) return own;
  if (n.number.exponent) return std::min(text.size(), text.find('e') + 4);
  if (n.gap > kGap) return n.gap < width ? std::min(text.size(), width - n.gap) : 1;
  return std::min(text.size(), kLongestInteger);
}

// A copy of the characters of `tag` at `p`, or "...<stdout>:" with another time stamp in it: returns what follows.
const char* skipTag(const char* p, std::string_view line, std::string_view tag) {
  const std::string_view rest = behind(line, p);
  if (!tag.empty() && rest.substr(0, tag.size()) == tag) return p + tag.size();
  for (const std::string_view mark : {"<stdout>:", "<stderr>:"}) {
    const size_t at = rest.find(mark);
    if (at != std::string_view::npos && at < 64) return p + at + mark.size();
  }
  return nullptr;
}

}  // namespace

void RowAssembler::giveUp() {
  if (unfinished()) {
    if (lost_++ == 0) firstLost_ = row_.line;
  }
  stage_ = Stage::kIdle;
}

bool RowAssembler::plausible(std::string_view line, const Preamble& found, const RowContext& context) const {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(found.elements, found.elementBytes, &bytes)) return false;
  if (found.sizeBytes < bytes || (found.elements == 0 && found.sizeBytes != 0)) return false;
  return !context.firstLine || !headCut(line, found, bytes);
}

// A head that is cut off leaves a smaller size: no multiple of the count, or one with a zero in front, or one that is
// nearer to the beginning of the line than its column is wide, though the next column is as wide as printf makes it.
bool RowAssembler::headCut(std::string_view line, const Preamble& found, uint64_t bytes) {
  if (bytes != 0 && found.sizeBytes % bytes != 0) return true;
  if (found.size.size() > 1 && found.size[0] == '0') return true;
  const auto column = [](const char* from, std::string_view text) {
    return static_cast<size_t>(text.data() + text.size() - from);
  };
  const bool asPrinted = column(found.size.data() + found.size.size(), found.count) == kGap + kSizeWidth;
  return asPrinted && column(line.data(), found.size) < kSizeWidth;
}

RowAssembler::Taken RowAssembler::begin(std::string_view line, const Preamble& found, const RowContext& context) {
  if (!plausible(line, found, context)) return {};
  giveUp();
  stage_ = Stage::kOutOfPlace;
  whole_ = false;
  tag_ = line.substr(0, static_cast<size_t>(found.begin - line.data()));
  row_.sizeBytes = found.sizeBytes;
  row_.count = found.elements;
  row_.type = found.type;
  row_.redop = found.redop;
  row_.root = -1;
  row_.line = context.line;
  row_.outOfPlace.reset();
  row_.inPlace.reset();
  text_ = RowText{};
  text_.size = found.size, text_.count = found.count, text_.type = found.type, text_.redop = found.redop;
  rootTaken_ = false;
  return takeAll(line, found.rest, context);
}

RowAssembler::Taken RowAssembler::resume(std::string_view line, const RowContext& context) {
  if (!unfinished()) return {};
  NumberRun run;
  for (size_t at = 0; at != std::string_view::npos; at = line.find("  ", at + 1)) {
    const char* const p = line.data() + at;
    scanNumbers(p, line.data() + line.size(), run);
    if (run.count >= 4 && run.at[0].gap >= 2 && run.at[1].gap >= 2 && isBody(run.at.data()))
      return takeAll(line, p, context);
    while (at + 1 < line.size() && line[at + 1] == ' ') at++;
  }
  return {};
}

RowAssembler::Taken RowAssembler::takeAll(std::string_view line, const char* p, const RowContext& context) {
  NumberRun run;
  while (p != nullptr) {
    scanNumbers(p, line.data() + line.size(), run);
    const char* stop = run.stop;
    const bool taken = takeNumbers(run, context, line.data() + line.size(), &stop);
    rootTaken_ = true;
    if (!taken) {
      giveUp();
      return {Outcome::kPiece, {}};
    }
    if (closes(line, stop)) return pieceTaken({});
    p = whole_ ? nullptr : skipTag(stop, line, tag_);
    if (p == nullptr) return pieceTaken(behind(line, stop));
  }
  return pieceTaken({});
}

RowAssembler::Taken RowAssembler::pieceTaken(std::string_view rest) {
  if (whole_) {
    stage_ = Stage::kIdle;
    return {Outcome::kRow, rest};
  }
  if (!holdText()) giveUp();
  return {Outcome::kPiece, rest};
}

// The root is there when one number is over: bodies and spreads come in fours.
size_t RowAssembler::rootNumbers(size_t count, const NumberRun& run) const {
  const bool mayBeRoot = stage_ == Stage::kOutOfPlace && !rootTaken_ && count % 4 == 1;
  return mayBeRoot && !run.at[0].number.point && !run.at[0].number.exponent ? 1 : 0;
}

bool RowAssembler::takeNumbers(const NumberRun& whole, const RowContext& context, const char* lineEnd,
                               const char** stop) {
  if (!rootTaken_ && whole.count > 0 && whole.at[0].gap == 0) {  // "sum38c0ffee:12": digits of a host
    *stop = whole.at[0].begin;
    return true;
  }
  size_t count = whole.count, root = rootNumbers(count, whole);
  bool glued = whole.glued;
  if (glued && (count - root) % 4 != 0) {  // "2025-10-28": not ours, the row's numbers end before it
    *stop = whole.at[--count].begin;
    glued = false;
    root = rootNumbers(count, whole);
  }
  if ((count - root) % 4 != 0) return false;
  if (root == 1) {
    const char* const end = takeRoot(whole.at[0], glued && count == 1, lineEnd, context);
    if (glued && count == 1) *stop = end;
  }
  for (size_t i = root; i < count; i += 4) {
    const Number* const four = &whole.at[i];
    const bool gluedHere = glued && i + 4 == count, lastOfFile = context.endsHere && i + 4 == count;
    if (stage_ == Stage::kInPlace && isSpread(four)) {
      takeSpread(four);
    } else if (!whole_ && isBody(four)) {
      const size_t own = gluedHere ? ownWrong(four[3], lineEnd, context) : four[3].text().size();
      if (lastOfFile && stage_ == Stage::kInPlace && cutAtEnd(four[3], own, context)) return false;
      takeBody(four, own);
      if (gluedHere) *stop = four[3].begin + own;
    } else {
      return false;
    }
  }
  return true;
}

const char* RowAssembler::takeRoot(const Number& root, bool glued, const char* lineEnd, const RowContext& context) {
  size_t length = root.text().size();
  if (glued)  // -1 is the only negative root
    length = root.begin[0] == '-' ? 2 : ownLength(root, kRootWidth, lineEnd, context.host);
  const std::string_view own = root.text().substr(0, length);
  uint64_t value = 0;
  row_.root = wholeInteger(own, &value) && value <= INT32_MAX ? static_cast<int>(value) : -1;
  (text_.redop.empty() ? text_.redop : text_.root) = own;
  return own.data() + own.size();
}

// Characters of a `wrong` that are its own when something is glued to it.
size_t RowAssembler::ownWrong(const Number& wrong, const char* lineEnd, const RowContext& context) const {
  if (wrong.notAvailable) return wrong.text().size();
  const size_t guess = wrong.gap >= kWrongWidth - 1 ? kWrongWidth : kOldWrongWidth;
  return ownLength(wrong, context.wrongWidth != 0 ? context.wrongWidth : guess, lineEnd, context.host);
}

void RowAssembler::takeBody(const Number* body, size_t ownWrong) {
  // The out-of-place half may be left out: 32 spaces stand in its place (writeBenchMarkLineNullBody, util.cu).
  const bool second = stage_ == Stage::kInPlace || body[0].gap >= kEmptyBody;
  const size_t half = second ? 1 : 0;
  text_.time[half] = body[0].text(), text_.algBw[half] = body[1].text(), text_.busBw[half] = body[2].text();
  text_.wrong[half] = body[3].text();
  Placement& placement = (second ? row_.inPlace : row_.outOfPlace).emplace();
  placement.timeUs = body[0].value(), placement.algBw = body[1].value(), placement.busBw = body[2].value();
  if (!body[3].notAvailable) {
    placement.wrong = body[3].value();
    if (ownWrong != body[3].text().size()) {
      scanNumber(body[3].begin, body[3].begin + ownWrong, &*placement.wrong);
      text_.gluedWrong = true;
    }
  }
  stage_ = Stage::kInPlace;
  whole_ = second;
  if (!second) firstWrongWidth_ = body[3].gap + body[3].text().size();
}

void RowAssembler::takeSpread(const Number* n) {
  Placement& placement = whole_ ? *row_.inPlace : *row_.outOfPlace;
  placement.spread = IterationSpread{n[0].value(), n[1].value(), n[2].value(), n[3].value()};
}

// No line end behind the last number: it is whole when it fills its column with padding before it, when it has all
// the digits that %g writes, or when it ends in an exponent.
bool RowAssembler::cutAtEnd(const Number& wrong, size_t own, const RowContext& context) const {
  if (wrong.notAvailable || wrong.number.exponent) return false;
  if (wrong.number.point) return true;
  if (wrong.gap <= kGap) return own < kLongestInteger;
  const size_t seen = row_.outOfPlace && row_.outOfPlace->wrong ? firstWrongWidth_ : kWrongWidth;
  return wrong.gap + own < (context.wrongWidth != 0 ? context.wrongWidth : seen);
}

// The line goes away, the row stays: its texts move into our own memory. In this order a text that is there already
// only moves forward over what it or its predecessors leave. False when they do not fit; no real row is that long.
bool RowAssembler::holdText() {
  if (tag_.size() > kLongestTag) tag_ = {};
  size_t used = 0;
  for (std::string_view* view : {&tag_, &text_.size, &text_.count, &text_.type, &text_.redop, &text_.root,
                                 &text_.time[0], &text_.algBw[0], &text_.busBw[0], &text_.wrong[0]}) {
    if (view->size() > held_.size() - used) return false;
    if (!view->empty()) std::memmove(held_.data() + used, view->data(), view->size());
    *view = {held_.data() + used, view->size()};
    used += view->size();
  }
  return true;
}

}  // namespace polyrail::read
