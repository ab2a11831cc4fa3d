#include "tangram/verify/OutOfRange.h"

#include <charconv>
#include <optional>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kOutOfRange{"run.out-of-range", DiagnosticClass::User, "{0}",
                                     "the access was not done: mend the codelet, or the argument that led there{1}"};

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace

void failOutOfRange(const std::string &message, const std::string &advice) {
  const std::string more = advice.empty() ? "" : "; " + advice;
  // Names of files may have colons, numbers have none.
  std::size_t end = message.find(": "), column = end == std::string::npos ? end : message.rfind(':', end - 1);
  std::size_t line = column == std::string::npos || column == 0 ? std::string::npos : message.rfind(':', column - 1);
  if (line == std::string::npos) fail(kOutOfRange, {}, message, more);
  std::string_view all = message;
  auto l = number(all.substr(line + 1, column - line - 1)), c = number(all.substr(column + 1, end - column - 1));
  if (!l || !c) fail(kOutOfRange, {}, message, more);
  fail(kOutOfRange, {ast::Arena::internFile(all.substr(0, line)), *l, *c, *l, *c}, message.substr(end + 2), more);
}

} // namespace tangram::runtime
