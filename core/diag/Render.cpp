// A diagnostic as text for a person.
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace tangram {
namespace {

constexpr std::size_t kMaxShownColumns = 160;

struct Style {
  bool on;
  std::string paint(std::string_view text, std::string_view code) const {
    return on ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
};
constexpr std::string_view kBold = "1", kRed = "1;31", kMagenta = "1;35", kYellow = "1;33", kCyan = "1;36",
                           kGreen = "1;32";

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The text of a line; nothing where the file cannot be read (any more) or is shorter.
std::optional<std::string> sourceLine(const std::string &file, unsigned line) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  for (unsigned i = 0; i < line; ++i)
    if (!std::getline(in, text)) return std::nullopt;
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

std::string place(SourceRange range) {
  if (!range.file) return "";
  if (!range.line) return *range.file + ": ";
  if (!range.column) return fmt::format("{}:{}: ", *range.file, range.line);
  return fmt::format("{}:{}:{}: ", *range.file, range.line, range.column);
}

/// The source line with a caret below its first column and tildes to its end.
std::string snippet(SourceRange range, const Style &style) {
  if (!range.valid() || !range.column) return "";
  std::optional<std::string> text = sourceLine(*range.file, range.line);
  if (!text) return "";

  // Columns count bytes; what is shown has one place a character, whatever the line holds.
  std::size_t first = std::min<std::size_t>(range.column - 1, text->size());
  std::size_t last = first + 1;
  if (range.endLine > range.line)
    last = text->size();
  else if (range.endLine == range.line && range.endColumn > range.column)
    last = range.endColumn - 1;
  last = std::clamp(last, first + 1, std::max(text->size(), first + 1));

  std::size_t from = 0;
  if (first > kMaxShownColumns - 20) from = first - 60;
  while (from < text->size() && isContinuation((*text)[from])) ++from;
  std::size_t to = std::min(text->size(), from + kMaxShownColumns);

  std::string shown = from ? "..." : "", marks(shown.size(), ' ');
  for (std::size_t i = from; i < to || i == first; ++i) {
    char c = i < to ? (*text)[i] : ' ';
    if (isContinuation(c)) {
      shown += c;
      continue;
    }
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    marks += i == first ? '^' : i > first && i < last ? '~' : ' ';
  }
  if (to < text->size()) shown += "...";
  marks.erase(marks.find_last_not_of(' ') + 1);
  return fmt::format("  {}\n  {}\n", shown, style.paint(marks, kGreen));
}

std::string indented(std::string_view text) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

} // namespace

std::string render(const Diagnostic &diagnostic, bool color) {
  Style style{color};
  std::string label;
  if (diagnostic.severity == Severity::Warning)
    label = style.paint("warning:", kMagenta);
  else if (diagnostic.cls == DiagnosticClass::User)
    label = style.paint("error:", kRed);
  else if (diagnostic.cls == DiagnosticClass::Limitation)
    label = style.paint("limitation:", kYellow);
  else
    label = style.paint("internal error (a bug in tangram):", kRed);

  std::string result = fmt::format("{}{} {}\n", style.paint(place(diagnostic.range), kBold), label,
                                   style.paint(indented(diagnostic.message), kBold));
  result += snippet(diagnostic.range, style);
  if (!diagnostic.advice.empty())
    result += fmt::format("  {} {}\n", style.paint("advice:", kGreen), indented(diagnostic.advice));
  for (const Note &note : diagnostic.notes) {
    result += fmt::format("{}{} {}\n", style.paint(place(note.range), kBold), style.paint("note:", kCyan),
                          indented(note.message));
    result += snippet(note.range, style);
  }
  return result;
}

} // namespace tangram
