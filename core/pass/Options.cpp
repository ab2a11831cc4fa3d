#include "tangram/pass/Options.h"

#include "tangram/diag/Diagnostic.h"

#include <charconv>
#include <cmath>

namespace tangram {
namespace {

constexpr DiagnosticKind kUnknownOption{"options.unknown", DiagnosticClass::User, "'{0}' has no option '{1}'",
                                        "use {2}"};
constexpr DiagnosticKind kNoOptions{"options.none", DiagnosticClass::User, "'{0}' has no option '{1}'",
                                    "leave it out: '{0}' takes no options"};
constexpr DiagnosticKind kWrongType{"options.wrong-type", DiagnosticClass::User,
                                    "option '{1}' of '{0}' is {2}, but takes {3}", "write {4}"};
constexpr DiagnosticKind kOutOfRange{"options.out-of-range", DiagnosticClass::User,
                                     "option '{1}' of '{0}' is {2}, which is out of its range", "use {3}"};
constexpr DiagnosticKind kUnknownValue{"options.unknown-value", DiagnosticClass::User,
                                       "option '{1}' of '{0}' has no value '{2}'", "use {3}"};

constexpr DiagnosticKind kForm{"options.form", DiagnosticClass::User, "'{1}' is no option of {0}: it has no value",
                               "write NAME=VALUE, and commas between several"};

std::string describe(const OptionValue &value) {
  struct {
    std::string operator()(bool v) const { return fmt::format("the flag {}", v); }
    std::string operator()(std::int64_t v) const { return fmt::format("the integer {}", v); }
    std::string operator()(double v) const { return fmt::format("the number {}", v); }
    std::string operator()(const std::string &v) const { return fmt::format("the text '{}'", shown(v)); }
    std::string operator()(const std::vector<std::string> &v) const { return fmt::format("a list of {}", v.size()); }
  } visitor;
  return std::visit(visitor, value);
}

std::string typeName(const OptionValue &value) {
  static constexpr std::string_view names[] = {"a flag", "an integer", "a number", "a text", "a list of texts"};
  return std::string(names[value.index()]);
}

std::string example(const OptionSpec &spec) {
  struct {
    std::string operator()(bool) const { return "true or false"; }
    std::string operator()(std::int64_t v) const { return fmt::format("an integer such as {}", v); }
    std::string operator()(double v) const { return fmt::format("a number such as {}", v); }
    std::string operator()(const std::string &v) const {
      return v.empty() ? "a text, in quotes where it looks like a number" : fmt::format("a text such as \"{}\"", v);
    }
    std::string operator()(const std::vector<std::string> &v) const {
      return fmt::format("a list such as [{}]", v.empty() ? "a, b" : fmt::format("{}", fmt::join(v, ", ")));
    }
  } visitor;
  return std::visit(visitor, spec.defaultValue);
}

/// `given` as the option's own type; nothing where it cannot be.
std::optional<OptionValue> convert(const OptionSpec &spec, const OptionValue &given) {
  if (given.index() == spec.defaultValue.index()) return given;
  if (std::holds_alternative<double>(spec.defaultValue))
    if (const auto *integer = std::get_if<std::int64_t>(&given)) return static_cast<double>(*integer);
  if (std::holds_alternative<std::vector<std::string>>(spec.defaultValue))
    if (const auto *text = std::get_if<std::string>(&given)) return std::vector<std::string>{*text};
  return std::nullopt;
}

std::string rangeText(const OptionSpec &spec) {
  if (spec.min && spec.max) return fmt::format("a value from {} to {}", *spec.min, *spec.max);
  if (spec.min) return fmt::format("a value of at least {}", *spec.min);
  return fmt::format("a value of at most {}", *spec.max);
}

void checkRange(const OptionSpec &spec, double value, const std::string &owner, ast::SourceRange range) {
  if (std::isnan(value) || (spec.min && value < *spec.min) || (spec.max && value > *spec.max))
    fail(kOutOfRange, range, owner, spec.name, value, spec.min || spec.max ? rangeText(spec) : "a number");
}

void checkKnown(const OptionSpec &spec, const std::string &value, const std::string &owner, ast::SourceRange range) {
  if (spec.oneOf.empty()) return;
  for (const std::string &known : spec.oneOf)
    if (value == known) return;
  fail(kUnknownValue, range, owner, spec.name, shown(value), suggest(value, spec.oneOf));
}

const OptionSpec *findSpec(const std::vector<OptionSpec> &specs, const std::string &name) {
  for (const OptionSpec &spec : specs)
    if (spec.name == name) return &spec;
  return nullptr;
}

} // namespace

void OptionValues::set(const std::string &name, OptionValue value, ast::SourceRange range) {
  values_[name] = {std::move(value), range};
}

const OptionValue &OptionValues::at(const std::string &name) const {
  auto found = values_.find(name);
  if (found == values_.end()) failBug({}, "options", fmt::format("option '{}' was read but never declared", name));
  return found->second.value;
}

OptionValues checkOptions(const std::vector<OptionSpec> &specs, const OptionValues &given, const std::string &owner,
                          ast::SourceRange where) {
  OptionValues result;
  for (const OptionSpec &spec : specs) result.set(spec.name, spec.defaultValue, where);

  for (const auto &[name, entry] : given.entries()) {
    ast::SourceRange range = entry.range.valid() ? entry.range : where;
    const OptionSpec *spec = findSpec(specs, name);
    if (!spec) {
      if (specs.empty()) fail(kNoOptions, range, owner, shown(name));
      std::vector<std::string> known;
      for (const OptionSpec &s : specs) known.push_back(s.name);
      fail(kUnknownOption, range, owner, shown(name), suggest(name, known));
    }
    std::optional<OptionValue> value = convert(*spec, entry.value);
    if (!value)
      fail(kWrongType, range, owner, name, describe(entry.value), typeName(spec->defaultValue), example(*spec));
    if (const auto *integer = std::get_if<std::int64_t>(&*value))
      checkRange(*spec, static_cast<double>(*integer), owner, range);
    else if (const auto *real = std::get_if<double>(&*value))
      checkRange(*spec, *real, owner, range);
    else if (const auto *text = std::get_if<std::string>(&*value))
      checkKnown(*spec, *text, owner, range);
    else if (const auto *texts = std::get_if<std::vector<std::string>>(&*value))
      for (const std::string &text : *texts) checkKnown(*spec, text, owner, range);
    result.set(name, std::move(*value), range);
  }
  return result;
}

namespace {
template <class Number> std::optional<Number> number(const std::string &text) {
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}
} // namespace

void readOptions(const std::vector<OptionSpec> &specs, const std::string &text, const std::string &owner,
                 OptionValues &values) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) fail(kForm, {}, owner, shown(one));
    const std::string name = one.substr(0, equals), value = one.substr(equals + 1);
    OptionValue read = value; // what it cannot be is said by checkOptions()
    if (const OptionSpec *spec = findSpec(specs, name)) {
      if (std::holds_alternative<bool>(spec->defaultValue) && (value == "true" || value == "false"))
        read = value == "true";
      if (std::holds_alternative<std::int64_t>(spec->defaultValue))
        if (std::optional<std::int64_t> v = number<std::int64_t>(value)) read = *v;
      if (std::holds_alternative<double>(spec->defaultValue))
        if (std::optional<double> v = number<double>(value)) read = *v;
    }
    values.set(name, std::move(read));
    at = end + 1;
  }
}

} // namespace tangram
