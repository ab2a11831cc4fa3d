#include "tangram/pass/NumberLists.h"

#include "tangram/diag/Diagnostic.h"

#include <charconv>

namespace tangram {

namespace {
constexpr DiagnosticKind kBadNumber{"options.number", DiagnosticClass::User,
                                    "option '{0}' of {2} has '{1}', which is no number from 1 to 65536",
                                    "write numbers: {0}: [\"16\", \"32\"]"};
} // namespace

std::vector<std::int64_t> numberList(const OptionValues &options, const std::string &name, const std::string &owner) {
  std::vector<std::int64_t> result;
  for (const std::string &text : options.texts(name)) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 65536)
      fail(kBadNumber, options.entries().at(name).range, name, text, owner);
    result.push_back(value);
  }
  return result;
}

OptionSpec numberListOption(const std::string &name, const std::string &doc, const std::vector<std::int64_t> &values) {
  std::vector<std::string> texts;
  for (const std::int64_t v : values) texts.push_back(std::to_string(v));
  OptionSpec option;
  option.name = name;
  option.doc = doc;
  option.defaultValue = texts;
  return option;
}

} // namespace tangram
