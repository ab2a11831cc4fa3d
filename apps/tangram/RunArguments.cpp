#include "RunArguments.h"

#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::driver {

using namespace runtime;

namespace {

constexpr DiagnosticKind kBadArgument{"run.bad-argument", DiagnosticClass::User, "--arg '{0}' has no '='",
                                      "write --arg NAME=SPEC"};
constexpr DiagnosticKind kUnknownArgument{"run.unknown-argument", DiagnosticClass::User, "'{0}' has no parameter '{1}'",
                                          "use {2}"};
constexpr DiagnosticKind kMissingArgument{"run.missing-argument", DiagnosticClass::User,
                                          "parameter '{0}' of '{1}' has no value", "add --arg {0}={2}"};
constexpr DiagnosticKind kElement{"run.element", DiagnosticClass::Limitation, "parameter '{0}' is {1}",
                                  "run spectrums of arithmetic types; call others from C++"};

Shape::Argument shapeOf(const Value &value) {
  Shape::Argument argument;
  argument.sizes = value.sizes();
  if (value.rank() == 0 && !value.isFloating()) argument.scalar = value.integer(0);
  return argument;
}

} // namespace

std::map<std::string, ArgumentSpec> readArguments(const ast::Spectrum &spectrum,
                                                  const std::vector<std::string> &texts) {
  std::vector<std::string> names;
  for (const ast::Param *p : spectrum.params) names.push_back(p->name);
  std::map<std::string, ArgumentSpec> given;
  for (const std::string &text : texts) {
    std::size_t equals = text.find('=');
    if (equals == std::string::npos) fail(kBadArgument, {}, text);
    std::string name = text.substr(0, equals);
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(kUnknownArgument, {}, spectrum.name, name, suggest(name, names));
    given[name] = parseArgumentSpec(text.substr(equals + 1));
  }
  for (const ast::Param *p : spectrum.params)
    if (!elementOf(p->type)) fail(kElement, p->range, p->name, p->type.text());
  return given;
}

Arguments makeArguments(const ast::Spectrum &spectrum, const std::map<std::string, ArgumentSpec> &given,
                        std::uint64_t seed) {
  Arguments made;
  std::vector<std::optional<Value>> values;
  auto make = [&](std::size_t i, const ArgumentSpec &spec) {
    const ast::Param *p = spectrum.params[i];
    values[i] = makeValue(spec, p->name, *elementOf(p->type), p->type.rank(), seed * 1000003 + i);
    made.shape.arguments[i] = shapeOf(*values[i]);
  };
  values.resize(spectrum.params.size());
  made.shape.arguments.resize(spectrum.params.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (auto it = given.find(spectrum.params[i]->name); it != given.end()) make(i, it->second);
  Shape deduced = made.shape;
  deduceSizes(spectrum, deduced);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) continue;
    const ast::Param *p = spectrum.params[i];
    bool follows = p->access != ast::Access::In && !deduced.arguments[i].sizes.empty();
    if (!follows)
      fail(kMissingArgument, p->range, p->name, spectrum.name,
           p->type.rank() == 0   ? "3"
           : p->type.rank() == 1 ? "random:16M"
                                 : "random:4Kx4K");
    std::string size = fmt::format("{}", fmt::join(deduced.arguments[i].sizes, "x"));
    make(i, parseArgumentSpec("zeros:" + size));
    made.zeros.emplace_back(p->name, size);
  }
  for (std::optional<Value> &value : values) made.values.push_back(std::move(*value));
  if (!spectrum.result.isVoid()) {
    if (!elementOf(spectrum.result)) fail(kElement, spectrum.range, "result", spectrum.result.text());
    made.values.push_back(Value::scalar(*elementOf(spectrum.result)));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value &value = made.values[i];
    made.shape.text += fmt::format("{}{}={}", i ? ", " : "", spectrum.params[i]->name,
                                   value.rank() ? fmt::format("[{}]", fmt::join(value.sizes(), "x")) : value.text(0));
  }
  return made;
}

} // namespace tangram::driver
