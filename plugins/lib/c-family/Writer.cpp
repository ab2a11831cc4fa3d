#include "tangram/c-family/Writer.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tangram::c_family {
namespace {

constexpr std::size_t kColumns = 120;

/// Where to break a line of at most `limit` characters: behind the operator or comma that binds least; npos: nowhere.
std::size_t breakPoint(std::string_view text, std::size_t limit, int &depthThere) {
  std::size_t best = std::string_view::npos;
  int depth = 0, bestDepth = 1000;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && i < limit; ++i) {
    char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ' ' || i < 8) continue;
    // Behind a binary operator or a comma, never behind the words in front of a name.
    char before = text[i - 1];
    bool breakable = before == ',' || before == ';' || before == '+' || before == '*' || before == '&' ||
                     before == '|' || before == '?' || before == ':' || before == '=';
    // Not in vec<float, 16>.
    std::size_t digits = text.find_first_not_of("0123456789", i + 1);
    if (before == ',' && digits != std::string_view::npos && digits > i + 1 && text[digits] == '>') breakable = false;
    if (before == '*' || before == '&') breakable = i >= 2 && (text[i - 2] == ' ' || text[i - 2] == '&');
    if (breakable && depth <= bestDepth) {
      best = i;
      bestDepth = depth;
    }
  }
  depthThere = bestDepth;
  return best;
}

/// The parenthesis that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return text.size();
}

} // namespace

void Writer::put(std::string_view text) {
  text_ += text;
  text_ += '\n';
  ++lines_;
}

void Writer::line(std::string_view text) {
  std::string margin(depth_, ' ');
  std::size_t room = kColumns - depth_;
  bool comment = text.starts_with("//");
  if (text.size() <= room || comment) return put(margin + std::string(text));
  if (std::size_t end = text.starts_with("if (") ? closing(text, 3) : text.size(); end + 3 < text.size()) {
    line(text.substr(0, end + 1));
    indent();
    line(text.substr(end + 2));
    return outdent();
  }
  std::string rest(text), hanging;
  int nested = 0;
  while (hanging.size() + rest.size() > room) {
    int depth = 0;
    std::size_t at = breakPoint(rest, room - hanging.size(), depth);
    if (at == std::string::npos) break;
    put(margin + hanging + rest.substr(0, at));
    rest = rest.substr(at + 1);
    nested = std::max(0, nested + depth);
    hanging = std::string(static_cast<std::size_t>(4 + 2 * std::min(nested, 6)), ' ');
  }
  put(margin + hanging + rest);
}

void Writer::directive(std::string_view text) { put(text); }

void Writer::verbatim(std::string_view lines) {
  while (!lines.empty()) {
    std::size_t end = lines.find('\n');
    put(lines.substr(0, end));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
}

void Writer::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with("{\n")) put("");
}

void Writer::from(const ast::SourceRange &range) {
  if (!range.valid()) return own();
  if (sourceFile_ == range.file && sourceLine_ == range.line) return;
  sourceFile_ = range.file;
  sourceLine_ = range.line;
  std::string quoted;
  for (char c : *range.file) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  put(fmt::format("#line {} \"{}\"", range.line, quoted));
}

void Writer::own() {
  if (!sourceFile_) return;
  sourceFile_ = nullptr;
  put(fmt::format("#line {} \"{}\"", lines_ + 2, file_));
}

std::string stringLiteral(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\' || c == '?') // of which two begin a trigraph
      (out += '\\') += static_cast<char>(c);
    else if (c == '\n')
      out += "\\n";
    else if (c < 0x20 || c == 0x7f)
      out += fmt::format("\\{:03o}", c);
    else
      out += static_cast<char>(c);
  }
  return out + '"';
}

std::string macroName(std::string_view text) {
  std::string out;
  for (unsigned char c : text) out += std::isalnum(c) ? static_cast<char>(std::toupper(c)) : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  return out;
}

} // namespace tangram::c_family
