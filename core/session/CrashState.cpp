// The part of a crash file that says what was running: sections headed "=== NAME".
#include "tangram/session/Session.h"

namespace tangram {
namespace {

constexpr DiagnosticKind kNotACrashFile{"crash.not-a-crash-file", DiagnosticClass::User,
                                        "this is not a crash file of tangram: {0}",
                                        "give a file that is named tangram-crash-*.txt, unchanged"};
constexpr std::string_view kHead = "=== ";

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

} // namespace

std::string print(const CrashState &state) {
  std::string text;
  auto section = [&](std::string_view name, const std::string &body) {
    if (body.empty()) return;
    // A body line that looks like a head is told apart by a space in front.
    text += fmt::format("{}{}\n", kHead, name);
    std::size_t at = 0;
    while (at < body.size()) {
      std::size_t end = std::min(body.find('\n', at), body.size());
      text += fmt::format(" {}\n", std::string_view(body).substr(at, end - at));
      at = end + 1;
    }
  };
  section("step", state.step);
  section("passes", fmt::format("{}", fmt::join(state.passes, " ")));
  section("spectrum", state.spectrum);
  section("file", state.file);
  if (state.partial) section("partial", "yes");
  section("target", state.target);
  section("plans", state.plans);
  section("source", state.source);
  section("module", state.module);
  text += fmt::format("{}end\n", kHead);
  return text;
}

CrashState parseCrashState(std::string_view text, const std::string &file, ast::Arena &arena) {
  std::map<std::string, std::string> sections;
  std::string *body = nullptr;
  bool ended = false;
  unsigned line = 0;
  auto bad = [&](const std::string &what) {
    fail(kNotACrashFile, {arena.internFile(file), std::max(line, 1u), 1, std::max(line, 1u), 1}, what);
  };
  for (std::size_t at = 0; at < text.size() && !ended;) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view row = text.substr(at, end - at);
    at = end + 1;
    ++line;
    if (row.starts_with(kHead)) {
      std::string name(row.substr(kHead.size()));
      ended = name == "end";
      if (!ended && !sections.emplace(name, "").second) bad(fmt::format("section '{}' stands twice", name));
      body = &sections[name];
    } else if (body) {
      if (!row.starts_with(' ')) bad("a line of a section does not start with a space");
      *body += std::string(row.substr(1)) + "\n";
    }
  }
  if (!ended) bad("it has no end");
  auto take = [&](const char *name, bool oneLine) {
    std::string value = sections[name];
    if (oneLine && !value.empty()) value.pop_back();
    return value;
  };
  CrashState state;
  state.step = take("step", true);
  state.passes = split(take("passes", true));
  state.spectrum = take("spectrum", true);
  state.file = take("file", true);
  state.partial = !take("partial", true).empty();
  state.target = take("target", false);
  state.plans = take("plans", false);
  state.source = take("source", false);
  state.module = take("module", false);
  return state;
}

} // namespace tangram
