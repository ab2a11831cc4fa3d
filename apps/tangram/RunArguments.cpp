#include "RunArguments.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/verify/ArgumentBound.h"
#include "tangram/verify/ArgumentConditions.h"
#include "tangram/verify/IndexArguments.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::driver {

using namespace runtime;

namespace {

constexpr DiagnosticKind kOneSpectrum{"run.one-spectrum", DiagnosticClass::User,
                                      "the program has several spectrums to run: {0}", "choose one with --spectrum"};
constexpr DiagnosticKind kCondition{"run.condition", DiagnosticClass::User, "'{0}' requires what does not hold for {1}",
                                    "give arguments for which it holds"};
constexpr DiagnosticKind kBadArgument{"run.bad-argument", DiagnosticClass::User, "--arg '{0}' has no '='",
                                      "write --arg NAME=SPEC"};
constexpr DiagnosticKind kUnknownArgument{"run.unknown-argument", DiagnosticClass::User, "'{0}' has no parameter '{1}'",
                                          "use {2}"};
constexpr DiagnosticKind kMissingArgument{"run.missing-argument", DiagnosticClass::User,
                                          "parameter '{0}' of '{1}' has no value", "add --arg {0}={2}"};
constexpr DiagnosticKind kNoSize{"run.no-size", DiagnosticClass::User,
                                 "'{1}' does not say how large '{0}' is, and it does not follow from __requires",
                                 "add a size: --arg {0}={1}:{2}"};
constexpr DiagnosticKind kNoBound{"run.no-bound", DiagnosticClass::User,
                                  "'{1}' points into '{2}', and how large that is is not known",
                                  "give '{2}', or write a number in its place"};
constexpr DiagnosticKind kElement{"run.element", DiagnosticClass::Limitation, "parameter '{0}' is {1}",
                                  "run spectrums of arithmetic types; call others from C++"};

const ast::Spectrum &spectrumNode(const ast::Module &module, const std::string &name) {
  for (const ast::Spectrum *s : module.spectrums)
    if (s->name == name) return *s;
  failBug({}, "run", fmt::format("spectrum '{}' is known but has no node", name));
}

/// The conditions of the spectrum, before anything is compiled: said at their place in the source.
void checkConditions(const ast::Spectrum &spectrum, const Shape &shape) {
  for (const ast::Expr *condition : spectrum.conditions)
    if (holds(*condition, spectrum, shape) == std::optional(false))
      fail(kCondition, condition->range, spectrum.name, shape.text);
}

} // namespace

std::map<std::string, ArgumentSpec> readArguments(const ast::Spectrum &spectrum, const ast::Structs &structs,
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
    if (!Element::of(p->type, structs)) fail(kElement, p->range, p->name, p->type.text());
  return given;
}

Arguments makeArguments(const ast::Spectrum &spectrum, const ast::Structs &structs,
                        const std::map<std::string, ArgumentSpec> &given, std::uint64_t seed) {
  Arguments made;
  std::vector<std::optional<Value>> values;
  auto make = [&](std::size_t i, const ArgumentSpec &spec, const ArgumentContext &context = {}) {
    const ast::Param *p = spectrum.params[i];
    values[i] = makeValue(spec, p->name, *Element::of(p->type, structs), p->type.rank(), seed * 1000003 + i, context);
    made.shape.arguments[i] = shapeOf(*values[i]);
  };
  auto specOf = [&](std::size_t i) {
    auto it = given.find(spectrum.params[i]->name);
    return it == given.end() ? nullptr : &it->second;
  };
  auto waits = [&](std::size_t i, const ArgumentSpec &spec) {
    return spec.pointsInto() || (spec.leavesSizes() && spectrum.params[i]->type.isArray());
  };
  values.resize(spectrum.params.size());
  made.shape.arguments.resize(spectrum.params.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const ArgumentSpec *spec = specOf(i)) {
      if (!waits(i, *spec))
        make(i, *spec);
      else if (spectrum.params[i]->type.isArray())
        made.shape.arguments[i].sizes = spec->sizes;
    }
  Shape deduced = made.shape;
  deduceSizes(spectrum, deduced);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ArgumentSpec *spec = specOf(i);
    if (!spec || !waits(i, *spec)) continue;
    const ast::Param *p = spectrum.params[i];
    ArgumentContext context;
    context.sizes = deduced.arguments[i].sizes;
    if (p->type.isArray() && context.sizes.empty())
      fail(kNoSize, p->range, p->name, spec->text, p->type.rank() == 1 ? "16M" : "4Kx4K");
    if (spec->pointsInto()) {
      std::optional<std::uint64_t> bound = boundOf(*spec, spectrum, deduced);
      if (!bound) fail(kNoBound, p->range, p->name, spec->text, spec->of);
      context.bound = *bound;
    }
    make(i, *spec, context);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) continue;
    const ast::Param *p = spectrum.params[i];
    bool follows = p->access != ast::Access::In && !deduced.arguments[i].sizes.empty();
    if (!follows)
      fail(kMissingArgument, p->range, p->name, spectrum.name,
           p->type.isStruct()    ? "random"
           : p->type.rank() == 0 ? "3"
           : p->type.rank() == 1 ? "random:16M"
                                 : "random:4Kx4K");
    std::string size = fmt::format("{}", fmt::join(deduced.arguments[i].sizes, "x"));
    make(i, parseArgumentSpec("zeros:" + size));
    made.zeros.emplace_back(p->name, size);
  }
  for (std::optional<Value> &value : values) made.values.push_back(std::move(*value));
  if (!spectrum.result.isVoid()) {
    std::optional<Element> element = Element::of(spectrum.result, structs);
    if (!element) fail(kElement, spectrum.range, "result", spectrum.result.text());
    made.values.push_back(Value::scalar(*element));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value &value = made.values[i];
    made.shape.text += fmt::format("{}{}={}", i ? ", " : "", spectrum.params[i]->name,
                                   value.rank() ? fmt::format("[{}]", fmt::join(value.sizes(), "x")) : value.text(0));
  }
  return made;
}

const ast::Spectrum &spectrumToCall(Driver &driver, const ProgramFlags &flags) {
  Session &s = driver.session();
  s.target(); // says so where there is none
  std::vector<std::string> spectrums = driver.spectrums(flags);
  if (spectrums.size() != 1) fail(kOneSpectrum, {}, fmt::format("{}", fmt::join(spectrums, ", ")));
  return spectrumNode(s.module(), spectrums[0]);
}

Call callOf(Driver &driver, const ProgramFlags &flags, const std::vector<std::string> &texts, std::uint64_t seed) {
  Session &s = driver.session();
  const ast::Spectrum &spectrum = spectrumToCall(driver, flags);
  const ast::Structs structs(s.module());
  std::map<std::string, ArgumentSpec> given = readArguments(spectrum, structs, texts);
  std::vector<std::string> inferred = inferIndices(s.module().spectrums, spectrum, given, false);
  const std::map<std::string, IndexUse> indices = indexUses(s.module().spectrums, spectrum);
  for (const ast::Param *p : spectrum.params)
    if (auto use = indices.find(p->name); use != indices.end() && !given.count(p->name))
      fail(kMissingArgument, p->range, p->name, spectrum.name,
           use->second.targets().size() > 1 || use->second.targets()[0].dim || p->type.rank() == 0
               ? use->second.advice()
               : use->second.advice() + (p->type.rank() == 1 ? ":16M" : ":4Kx4K"));
  Call call{spectrum, makeArguments(spectrum, structs, given, seed), std::move(given)};
  call.arguments.inferred = std::move(inferred);
  checkConditions(spectrum, call.arguments.shape);
  if (!flags.expected.empty()) return call;
  ExpectedSizes sizes;
  for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
    const Shape::Argument &of = call.arguments.shape.arguments[i];
    if (spectrum.params[i]->type.rank() > 0)
      sizes[spectrum.params[i]->name] = of.sizes;
    else if (spectrum.params[i]->type.isInteger() && of.scalar && *of.scalar >= 0)
      sizes[spectrum.params[i]->name] = {static_cast<std::uint64_t>(*of.scalar)};
  }
  s.setExpected(std::move(sizes));
  return call;
}

void addArguments(CLI::App &app, std::vector<std::string> &texts) {
  app.add_option(
         "--arg,-a", texts,
         "random:16M, random:512Kx128 (floats in [-1, 1], integers in [-100, 100]), random:0.5..2:16M (in that range), "
         "special:N (NaN and infinity among "
         "them), iota:1000, zeros:N, ones:N, index:PARAM:N (indices of PARAM), offsets:PARAM:N (bounds of parts of "
         "it), 3.5, 1,2,3, file.mtx (Matrix Market), file.mtx:row, :column, :value (its compressed rows), file.raw or "
         "file.raw:f32 or file.raw:f32:512x128 (bytes as in memory). K, M, G count 1024s: 16M is 16777216. A size that "
         "follows from the spectrum's __requires may be left out; so may a container that is written, which then is "
         "zeros")
      ->type_name("NAME=SPEC")
      ->take_all()
      ->allow_extra_args(false);
}

} // namespace tangram::driver
