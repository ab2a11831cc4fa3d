#include "Yaml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

namespace tangram::hardware {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

constexpr DiagnosticKind kTooLarge{"target.too-large", DiagnosticClass::User,
                                   "this file has {0} bytes, more than a target may have ({1})",
                                   "give a target file; `tangram targets` lists those that ship"};
constexpr DiagnosticKind kNotText{"target.not-text", DiagnosticClass::User, "this file is not text: {0}",
                                  "write the target in UTF-8"};
constexpr DiagnosticKind kMalformed{"target.malformed", DiagnosticClass::User, "this is not valid YAML: {0}",
                                    "correct it here or in the lines before"};
constexpr DiagnosticKind kTooDeep{"target.too-deep", DiagnosticClass::User, "brackets or lists are nested too deeply",
                                  "close the brackets: a target needs no more than a few in each other"};
constexpr DiagnosticKind kTab{"target.tab", DiagnosticClass::User,
                              "this is not valid YAML: a tab stands where the line is indented", "indent with blanks"};
constexpr DiagnosticKind kStray{"target.malformed", DiagnosticClass::User,
                                "this is not valid YAML: what stands here belongs to nothing before it",
                                "correct it here or in the lines before"};
constexpr DiagnosticKind kEmptyFile{"target.empty", DiagnosticClass::User, "the target file is empty",
                                    "write at least its 'levels' and its 'pipeline', or what it 'extends'"};
constexpr DiagnosticKind kDocuments{"target.documents", DiagnosticClass::User,
                                    "a second YAML document begins here, but a target is one",
                                    "put what stands from here on into a file of its own"};
constexpr DiagnosticKind kWrongYamlType{"target.wrong-type", DiagnosticClass::User, "{0} is {1}, but must be {2}",
                                        "write {2}"};
constexpr DiagnosticKind kUnknownKey{"target.unknown-key", DiagnosticClass::User, "{0} has no key '{1}'", "use {2}"};
constexpr DiagnosticKind kDuplicateKey{"target.duplicate-key", DiagnosticClass::User, "{0} has the key '{1}' twice",
                                       "keep one of the two"};
constexpr DiagnosticKind kUnknownWord{"target.unknown-word", DiagnosticClass::User, "{0} cannot be '{1}'", "use {2}"};
constexpr DiagnosticKind kBadName{"target.bad-name", DiagnosticClass::User, "{0} cannot be '{1}'",
                                  "use lower-case letters, digits and dashes, a letter first"};
constexpr DiagnosticKind kNumberOutOfRange{"target.out-of-range", DiagnosticClass::User, "{0} is {1}, but must be {2}",
                                           "correct the number"};

ast::SourceRange at(const YAML::Mark &mark, const std::string *file) {
  ast::SourceRange range;
  range.file = file;
  if (mark.is_null()) return range;
  range.line = static_cast<unsigned>(mark.line + 1);
  range.column = static_cast<unsigned>(mark.column + 1);
  return range;
}

/// Why `text` is not UTF-8 text; empty: it is. yaml-cpp is given nothing else.
std::string notText(std::string_view text, std::size_t &where) {
  for (std::size_t i = 0; i < text.size();) {
    where = i;
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
        return fmt::format("it has the control character 0x{:02x}", c);
      ++i;
      continue;
    }
    std::size_t length = c >= 0xF0 && c <= 0xF4 ? 4 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xC2 && c < 0xE0 ? 2 : 0;
    if (!length || i + length > text.size()) return fmt::format("the byte 0x{:02x} is not UTF-8", c);
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80)
        return fmt::format("the byte 0x{:02x} is not UTF-8", c);
    i += length;
  }
  return "";
}

ast::SourceRange place(std::string_view text, std::size_t where, const std::string *file) {
  ast::SourceRange range;
  range.file = file;
  range.line = range.column = 1;
  for (std::size_t i = 0; i < where; ++i) {
    if (text[i] == '\n')
      ++range.line, range.column = 1;
    else
      ++range.column;
  }
  return range;
}

template <class T> std::optional<T> parseNumber(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether the line of `mark` is indented with a tab: the usual cause of what yaml-cpp then says.
bool tabIndents(std::string_view text, const YAML::Mark &mark) {
  for (int line = 0; line < mark.line; ++line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::size_t first = text.find_first_not_of(" \t");
  return text.substr(0, first).find('\t') != std::string_view::npos;
}

/// Where documents start; nothing else of them.
struct DocumentStarts : YAML::EventHandler {
  std::vector<YAML::Mark> starts;
  void OnDocumentStart(const YAML::Mark &mark) override { starts.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark &, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark &, const std::string &, YAML::anchor_t, const std::string &) override {}
  void OnSequenceStart(const YAML::Mark &, const std::string &, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark &, const std::string &, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// The place of the first two documents. Not more: at a stray ',' or ']' yaml-cpp finds empty documents without end,
/// which is also why YAML::LoadAll() is not used.
std::vector<YAML::Mark> documentStarts(const std::string &text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStarts handler;
  while (handler.starts.size() < 2 && parser.HandleNextDocument(handler)) {
  }
  return handler.starts;
}

bool looksNumeric(std::string_view text) {
  return !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
}

std::optional<double> parseReal(std::string_view text) {
  if (!looksNumeric(text)) return std::nullopt; // no "inf", no "nan"
  std::optional<double> value = parseNumber<double>(text);
  if (value && !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::string rangeText(std::uint64_t min, std::uint64_t max) {
  if (max == std::numeric_limits<std::uint64_t>::max()) return fmt::format("an integer of at least {}", min);
  return fmt::format("an integer from {} to {}", min, max);
}

} // namespace

Yaml Yaml::parse(std::string_view text, const std::string *file) {
  ast::SourceRange start;
  start.file = file;
  if (text.size() > kMaxBytes) fail(kTooLarge, start, text.size(), kMaxBytes);
  std::size_t where = 0;
  if (std::string why = notText(text, where); !why.empty()) fail(kNotText, place(text, where, file), why);

  YAML::Node document;
  std::vector<YAML::Mark> starts;
  try {
    std::string copy(text);
    starts = documentStarts(copy);
    if (starts.size() == 1) document = YAML::Load(copy);
  } catch (const YAML::DeepRecursion &error) {
    fail(kTooDeep, at(error.mark, file));
  } catch (const YAML::Exception &error) {
    if (!error.mark.is_null() && tabIndents(text, error.mark)) fail(kTab, at(error.mark, file));
    fail(kMalformed, at(error.mark, file), error.msg);
  } catch (const std::exception &error) {
    fail(kMalformed, start, error.what());
  }
  for (const YAML::Mark &mark : starts)
    if (std::size_t pos = static_cast<std::size_t>(mark.pos); pos < text.size() && std::strchr(",]}", text[pos]))
      fail(kStray, at(mark, file));
  if (starts.size() > 1) fail(kDocuments, at(starts[1], file));
  start.line = start.column = 1;
  if (starts.empty() || document.IsNull() || !document.IsDefined()) fail(kEmptyFile, start);
  return Yaml(document, file);
}

ast::SourceRange Yaml::range() const {
  ast::SourceRange range = at(node_.Mark(), file_);
  if (range.line && node_.IsScalar() && node_.Scalar().find('\n') == std::string::npos) {
    range.endLine = range.line;
    range.endColumn = range.column + static_cast<unsigned>(node_.Scalar().size()) + (plain() ? 0 : 2);
  }
  return range;
}

bool Yaml::plain() const { return node_.Tag() == "?" || node_.Tag().empty(); }

std::string Yaml::describe() const {
  if (node_.IsSequence()) return "a list";
  if (node_.IsMap()) return "a mapping";
  if (!node_.IsScalar()) return "empty";
  if (plain() && (parseNumber<std::int64_t>(node_.Scalar()) || parseReal(node_.Scalar())))
    return fmt::format("the number {}", node_.Scalar());
  return fmt::format("the text '{}'", shown(node_.Scalar()));
}

void Yaml::wrongType(const std::string &what, std::string_view wanted) const {
  fail(kWrongYamlType, range(), what, describe(), wanted);
}

const std::string &Yaml::scalar(const std::string &what, std::string_view wanted) const {
  if (!node_.IsScalar()) wrongType(what, wanted);
  return node_.Scalar();
}

std::vector<Yaml::Entry> Yaml::entries(const std::string &what, const std::vector<std::string> &known) const {
  if (!node_.IsMap()) wrongType(what, "a mapping (key: value)");
  std::vector<Entry> result;
  for (const auto &pair : node_) {
    Yaml key(pair.first, file_);
    std::string name = key.scalar("a key of " + what, "a text");
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end())
      fail(kUnknownKey, key.range(), what, shown(name), suggest(name, known));
    for (const Entry &entry : result)
      if (entry.key == name) {
        Diagnostic diagnostic = makeDiagnostic(kDuplicateKey, key.range(), what, shown(name));
        diagnostic.notes.push_back({entry.range, "it stands here first"});
        throw DiagnosticError(std::move(diagnostic));
      }
    result.push_back({std::move(name), key.range(), Yaml(pair.second, file_)});
  }
  return result;
}

std::vector<Yaml> Yaml::items(const std::string &what) const {
  if (!node_.IsSequence()) wrongType(what, "a list");
  std::vector<Yaml> result;
  for (const YAML::Node &item : node_) result.push_back(Yaml(item, file_));
  return result;
}

std::string Yaml::text(const std::string &what) const { return scalar(what, "a text"); }

std::size_t Yaml::word(const std::string &what, const std::vector<std::string> &known) const {
  const std::string &value = scalar(what, suggest("", known));
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] == value) return i;
  fail(kUnknownWord, range(), what, shown(value), suggest(value, known));
}

std::string Yaml::name(const std::string &what) const {
  const std::string &value = scalar(what, "a name");
  bool good = !value.empty() && value.size() <= 64 && value[0] >= 'a' && value[0] <= 'z' && value.back() != '-';
  for (char c : value) good = good && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
  if (!good) fail(kBadName, range(), what, shown(value));
  return value;
}

std::uint64_t Yaml::integer(const std::string &what, std::uint64_t min, std::uint64_t max) const {
  const std::string &value = scalar(what, "an integer");
  std::optional<std::uint64_t> number = plain() ? parseNumber<std::uint64_t>(value) : std::nullopt;
  if (number && *number >= min && *number <= max) return *number;
  // Negative and too large ones are integers too: the mistake is their value.
  bool digits = plain() && !value.empty() && value != "-" &&
                value.find_first_not_of("0123456789", value[0] == '-') == std::string::npos;
  if (!digits) wrongType(what, "an integer");
  fail(kNumberOutOfRange, range(), what, shown(value), rangeText(min, max));
}

std::uint64_t Yaml::bytes(const std::string &what) const {
  constexpr std::string_view wanted = "a number of bytes such as 49152 or 48 KiB";
  const std::string &value = scalar(what, wanted);
  std::size_t end = value.find_first_not_of("0123456789");
  std::optional<std::uint64_t> number = parseNumber<std::uint64_t>(std::string_view(value).substr(0, end));
  if (!number) wrongType(what, wanted);
  if (end == std::string::npos) return *number;
  std::string_view unit = std::string_view(value).substr(end);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  unsigned shift = unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : unit == "TiB" ? 40 : 0;
  if (!shift) wrongType(what, wanted);
  if (*number > std::numeric_limits<std::uint64_t>::max() >> shift)
    fail(kNumberOutOfRange, range(), what, shown(value), "less than 2^64 bytes");
  return *number << shift;
}

double Yaml::number(const std::string &what) const {
  const std::string &value = scalar(what, "a number");
  std::optional<double> number = plain() ? parseReal(value) : std::nullopt;
  if (!number) wrongType(what, "a number");
  if (*number < 0) fail(kNumberOutOfRange, range(), what, shown(value), "a number of at least 0");
  return *number;
}

OptionValue Yaml::option(const std::string &what) const {
  if (isList()) {
    std::vector<std::string> result;
    for (const Yaml &item : items(what)) result.push_back(item.text("an item of " + what));
    return result;
  }
  const std::string &value = scalar(what, "a flag, a number, a text or a list of texts");
  if (!plain()) return value;
  if (value == "true") return true;
  if (value == "false") return false;
  if (auto integer = parseNumber<std::int64_t>(value)) return *integer;
  if (auto real = parseReal(value)) return *real;
  return value;
}

} // namespace tangram::hardware
