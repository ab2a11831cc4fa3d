// Reads what stands in a directive.
#include "Directives.h"
#include "Messages.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tangram::tilek {

namespace {

constexpr const char *kLoopForms =
    "tile[0](static, 4), tile[0](dynamic), tile(thread), tile(gang, 0) or tile(worker, 0)";
constexpr const char *kKernelForms =
    "data(A[0:n][0:m], mode:rw, live:inout), num_threads(4), num_gangs[0](16) or num_workers[0](256)";
constexpr std::int64_t kMostTurns = 1 << 30;
constexpr std::size_t kDimensions = 3;

/// Goes through the words of a directive.
class Reader {
public:
  explicit Reader(const Directive &directive) : directive_(directive) {}

  bool done() const { return at_ >= directive_.words.size(); }
  bool is(std::string_view text) const { return !done() && directive_.words[at_].text == text; }
  ast::SourceRange here() const { return done() ? end() : directive_.words[at_].range; }
  const Word &take() { return directive_.words[at_++]; }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text, const std::string &where, const std::string &form) {
    if (!accept(text)) fail(kExpected, here(), fmt::format("'{}'", text), where, form);
  }
  std::string name(const std::string &what, const std::string &where, const std::string &form) {
    if (done() || !directive_.words[at_].name) fail(kExpected, here(), what, where, form);
    return take().text;
  }
  std::int64_t number(const std::string &what, std::int64_t least, std::int64_t most, const char *kind,
                      const std::string &form) {
    if (done()) fail(kExpected, here(), what, "at the end of the directive", form);
    const Word &word = directive_.words[at_];
    std::int64_t value = 0;
    const char *last = word.text.data() + word.text.size();
    auto [end, error] = std::from_chars(word.text.data(), last, value);
    while (end != last && (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')) ++end;
    if (!word.number || error != std::errc() || end != last || value < least || value > most)
      fail(kNumber, word.range, what, shown(word.text), kind, form);
    ++at_;
    return value;
  }
  /// Up to one of the characters of `ends` that no bracket encloses, which stays.
  Text expression(std::string_view ends, const std::string &what, const std::string &form) {
    Text text;
    int depth = 0;
    const std::size_t first = at_;
    for (; !done(); ++at_) {
      const std::string &word = directive_.words[at_].text;
      if (depth == 0 && word.size() == 1 && ends.find(word[0]) != std::string_view::npos) break;
      if (word == "(" || word == "[") ++depth;
      if (word == ")" || word == "]") --depth;
      if (depth < 0) break;
      text.text += (text.text.empty() ? "" : " ") + word;
    }
    if (at_ == first) fail(kExpected, here(), what, "here", form);
    const Word &begin = directive_.words[first], &last = directive_.words[at_ - 1];
    text.piece = {begin.piece.begin, std::max(last.piece.end, begin.piece.begin)};
    text.range = begin.range;
    text.range.endLine = last.range.endLine;
    text.range.endColumn = last.range.endColumn;
    return text;
  }
  ast::SourceRange since(const ast::SourceRange &first) const {
    ast::SourceRange result = first;
    if (at_ == 0) return result;
    result.endLine = directive_.words[at_ - 1].range.endLine;
    result.endColumn = directive_.words[at_ - 1].range.endColumn;
    return result;
  }

private:
  ast::SourceRange end() const {
    ast::SourceRange r = directive_.words.empty() ? directive_.range : directive_.words.back().range;
    r.line = r.endLine;
    r.column = r.endColumn;
    return r;
  }
  const Directive &directive_;
  std::size_t at_ = 1; // behind `kernel` or `loop`
};

void readData(Reader &r, KernelDirective &kernel) {
  const std::string form = "data(A[0:n][0:m], mode:rw, live:inout)", in = "in the data clause";
  r.expect("(", in, form);
  std::vector<Section> sections;
  std::string mode, live;
  ast::SourceRange modeRange;
  do {
    ast::SourceRange where = r.here();
    std::string name = r.name("the name of an array", in, form);
    if ((name == "mode" || name == "live" || name == "device") && r.accept(":")) {
      ast::SourceRange said = r.here();
      if (name == "device") {
        (void)r.number("the device", 0, kMostTurns, "number of a device", "device:0");
        continue;
      }
      std::string value = r.name(fmt::format("what '{}' is", name), in, form);
      bool isMode = name == "mode";
      std::string &target = isMode ? mode : live;
      if (!target.empty()) fail(kTwice, where, fmt::format("'{}'", name));
      const std::vector<std::string> known =
          isMode ? std::vector<std::string>{"r", "w", "rw"} : std::vector<std::string>{"in", "out", "inout", "not"};
      if (std::find(known.begin(), known.end(), value) == known.end())
        fail(kWord, said, fmt::format("the {} of a data clause", name), value,
             fmt::format("{0}:{1}", name, fmt::join(known, fmt::format(" or {}:", name))));
      target = value;
      if (isMode) modeRange = said;
      continue;
    }
    Section section;
    section.name = name;
    while (r.accept("[")) {
      Text first = r.expression(":]", "the first element", form);
      if (first.text != "0") fail(kSectionStart, first.range, name, shown(first.text));
      r.expect(":", fmt::format("in the section of '{}'", name), form);
      section.extents.push_back(r.expression("]", "the number of elements", form));
      r.expect("]", fmt::format("in the section of '{}'", name), form);
    }
    section.range = r.since(where);
    sections.push_back(std::move(section));
  } while (r.accept(","));
  r.expect(")", "at the end of the data clause", form);
  for (Section &s : sections) {
    if (kernel.section(s.name)) fail(kTwice, s.range, fmt::format("the data of '{}'", s.name));
    s.mode = mode;
    s.live = live;
    s.modeRange = modeRange;
    kernel.sections.push_back(std::move(s));
  }
}

std::size_t dimension(Reader &r, const std::string &form) {
  return static_cast<std::size_t>(
      r.number("the dimension", 0, static_cast<std::int64_t>(kDimensions) - 1, "number from 0 to 2", form));
}

TileClause readTile(Reader &r, const ast::SourceRange &where) {
  TileClause tile;
  const std::string in = "in the tile clause";
  if (r.accept("[")) {
    tile.order = r.number("the order of the tile", 0, kMostTurns, "number from 0", "tile[0](dynamic)");
    r.expect("]", in, "tile[0](dynamic)");
  }
  r.expect("(", in, kLoopForms);
  ast::SourceRange at = r.here();
  std::string kind = r.name("the kind of the tile", in, kLoopForms);
  if (kind == "static") {
    tile.kind = TileClause::Kind::Static;
    r.expect(",", in, "tile[0](static, 4): a number of turns");
    tile.trips = r.number("the number of turns", 1, kMostTurns, "number from 1 that is known when compiled",
                          "tile[0](static, 4)");
  } else if (kind == "dynamic") {
    tile.kind = TileClause::Kind::Dynamic;
  } else if (kind == "thread") {
    tile.kind = TileClause::Kind::Thread;
  } else if (kind == "gang" || kind == "worker") {
    tile.kind = kind == "gang" ? TileClause::Kind::Gang : TileClause::Kind::Worker;
    if (r.accept(",")) tile.dimension = dimension(r, fmt::format("tile({}, 0)", kind));
  } else {
    fail(kWord, at, "the kind of the tile", kind, kLoopForms);
  }
  r.expect(")", in, kLoopForms);
  tile.range = r.since(where);
  return tile;
}

} // namespace

KernelDirective readKernel(const Directive &directive) {
  KernelDirective kernel;
  kernel.range = directive.range;
  Reader r(directive);
  while (!r.done()) {
    ast::SourceRange where = r.here();
    if (r.accept(",")) continue;
    std::string clause = r.name("a clause", "here", kKernelForms);
    if (clause == "data") {
      readData(r, kernel);
      continue;
    }
    if (clause != "num_threads" && clause != "num_gangs" && clause != "num_workers")
      fail(kClause, where, clause, "kernel", kKernelForms);
    const std::string form = clause == "num_threads" ? clause + "(4)" : clause + "[0](16)";
    std::size_t d = 0;
    if (clause != "num_threads" && r.accept("[")) {
      d = dimension(r, form);
      r.expect("]", fmt::format("in '{}'", clause), form);
    }
    r.expect("(", fmt::format("in '{}'", clause), form);
    Text count = r.expression(")", "a number", form);
    r.expect(")", fmt::format("in '{}'", clause), form);
    bool isNew = clause == "num_threads" ? !kernel.threads
                                         : (clause == "num_gangs" ? kernel.gangs : kernel.workers).count(d) == 0;
    if (!isNew) fail(kTwice, where, clause == "num_threads" ? "'num_threads'" : fmt::format("'{}[{}]'", clause, d));
    if (clause == "num_threads")
      kernel.threads = std::move(count);
    else
      (clause == "num_gangs" ? kernel.gangs : kernel.workers).emplace(d, std::move(count));
  }
  if (kernel.threads && !(kernel.gangs.empty() && kernel.workers.empty())) fail(kTwoMachines, directive.range);
  return kernel;
}

LoopDirective readLoop(const Directive &directive) {
  LoopDirective loop;
  loop.range = directive.range;
  Reader r(directive);
  const TileClause *dynamic = nullptr;
  while (!r.done()) {
    ast::SourceRange where = r.here();
    if (r.accept(",")) continue;
    std::string clause = r.name("a clause", "here", kLoopForms);
    if (clause != "tile") fail(kClause, where, clause, "loop", kLoopForms);
    TileClause tile = readTile(r, where);
    if (tile.kind == TileClause::Kind::Dynamic && dynamic)
      fail(kTwoDynamic, tile.range, tile.order ? std::to_string(*tile.order) : "ORDER");
    loop.tiles.push_back(tile);
    for (const TileClause &t : loop.tiles)
      if (t.kind == TileClause::Kind::Dynamic) dynamic = &t;
  }
  if (loop.tiles.empty()) fail(kNoTiles, directive.range);
  return loop;
}

} // namespace tangram::tilek
