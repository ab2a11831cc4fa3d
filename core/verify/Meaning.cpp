#include "Meaning.h"

#include "tangram/ast/Structs.h"
#include "tangram/pass/DeepStack.h"
#include "tangram/verify/Semantics.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace tangram::runtime {
namespace {

constexpr std::uint64_t kMostCallElements = 300, kSteps = 1'000'000; // of one call: a second at most
constexpr double kMostSeconds = 1;                                   // of all calls

/// Between arguments of kernels, which have the fields of structs side by side, and those of the interpreter, which has
/// them one within the other.
class Elements {
public:
  explicit Elements(const ast::Module &module) : structs_(module) {}

  semantics::Value from(const Value &value, const ast::Param &param) const {
    const ast::Type type = param.type.leaf();
    std::vector<semantics::Scalar> all;
    all.reserve(value.count());
    for (std::uint64_t i = 0; i < value.count(); ++i) {
      std::size_t leaf = 0;
      all.push_back(element(value, type, i, leaf));
    }
    if (value.rank() > 0) return semantics::arrayValue(all, {value.sizes().begin(), value.sizes().end()});
    if (param.access == ast::Access::In) return semantics::scalarValue(all.at(0));
    semantics::Value variable = semantics::arrayValue(all, {1}); // what is written is seen in it
    variable.kind = semantics::Value::Kind::Pointer;
    variable.cells = variable.array.cells;
    variable.variable = true;
    return variable;
  }

  void to(Value &value, const std::vector<semantics::Scalar> &elements) const {
    for (std::uint64_t i = 0; i < value.count(); ++i) {
      std::size_t leaf = 0;
      assign(value, elements.at(i), i, leaf);
    }
  }

private:
  semantics::Scalar element(const Value &value, const ast::Type &type, std::uint64_t at, std::size_t &leaf) const {
    if (const ast::Struct *s = structs_.find(type)) {
      semantics::Scalar result;
      result.type = type;
      for (const ast::Param *field : s->fields) result.fields.push_back(element(value, field->type, at, leaf));
      return result;
    }
    const Value field = value.field(leaf++);
    return type.isFloating() ? semantics::real(type, field.real(at)) : semantics::integer(type, field.integer(at));
  }

  void assign(Value &value, const semantics::Scalar &from, std::uint64_t at, std::size_t &leaf) const {
    if (!from.fields.empty()) {
      for (const semantics::Scalar &field : from.fields) assign(value, field, at, leaf);
      return;
    }
    Value field = value.field(leaf++);
    if (from.type.isFloating())
      field.setReal(at, from.d);
    else
      field.setInteger(at, from.i);
  }

  ast::Structs structs_;
};

std::string where(const ast::SourceRange &range) {
  return range.valid() ? fmt::format(", at {}:{}:{}", *range.file, range.line, range.column) : "";
}

} // namespace

Meaning::Meaning(Session &session, const std::string &spectrum) : session_(session) {
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == spectrum) spectrum_ = s;
  std::optional<Plan> plan = session.forest(spectrum).plainest();
  if (!plan || !spectrum_) return;
  plan->target = session.target().name;
  module_ = session.compose({*plan}, arena_);
}

std::optional<Meaning::Outcome> Meaning::run(const ast::Module &module, const std::vector<Value> &arguments) const {
  const Elements elements(*module_); // structs as the spectrum has them
  const std::vector<const ast::Param *> &params = spectrum_->params;
  std::vector<semantics::Value> own;
  for (std::size_t i = 0; i < params.size(); ++i) own.push_back(elements.from(arguments.at(i), *params[i]));
  Outcome outcome;
  semantics::Scalar result;
  bool known = true;
  try {
    onDeepStack(
        [&] { result = semantics::run(module, *module.kernels.at(0), session_.target().hardware, own, kSteps); });
  } catch (const semantics::Undefined &undefined) {
    outcome.undefined = fmt::format("{}{}", undefined.what(), where(undefined.range));
  } catch (const semantics::Failure &) {
    known = false;
  }
  if (!known) return {};
  for (std::size_t i = 0; i < arguments.size() && outcome.undefined.empty(); ++i) {
    outcome.values.push_back(arguments[i].copy());
    if (i == own.size())
      elements.to(outcome.values[i], {result});
    else if (own[i].kind == semantics::Value::Kind::Scalar)
      elements.to(outcome.values[i], {own[i].scalar});
    else
      elements.to(outcome.values[i],
                  own[i].kind == semantics::Value::Kind::Array ? *own[i].array.cells : *own[i].cells);
  }
  return outcome;
}

std::optional<Meaning::Outcome> Meaning::of(const std::vector<Value> &arguments) const {
  std::uint64_t all = 0;
  for (const Value &v : arguments) all += v.count();
  if (!module_ || all > kMostCallElements || seconds_ > kMostSeconds) return {};
  const auto start = std::chrono::steady_clock::now();
  std::optional<Outcome> outcome = run(*module_, arguments);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

std::optional<std::string> Meaning::undefined(const std::vector<Value> &arguments) const {
  std::uint64_t all = 0;
  for (const Value &v : arguments) all += v.count();
  if (!module_ || all > kSteps) return {};
  const std::optional<Outcome> outcome = run(*module_, arguments);
  if (!outcome) return {};
  return outcome->undefined;
}

std::optional<std::pair<std::size_t, Mismatch>> Meaning::mismatch(const std::vector<Value> &values,
                                                                  const std::vector<Expected> &expected) const {
  for (std::size_t i = 0; i < expected.size() && i < values.size(); ++i) {
    if (i < spectrum_->params.size() && spectrum_->params[i]->access == ast::Access::In) continue;
    if (std::optional<Mismatch> found = compare(values[i], expected[i])) return {{i, std::move(*found)}};
  }
  return {};
}

std::string Meaning::wrongPass(const std::vector<Value> &arguments, const Outcome &said,
                               const Reference::Outcome &right) const {
  // What the source says, each number with the bound that the reference knows.
  std::vector<Expected> expected;
  for (std::size_t i = 0; i < said.values.size() && i < right.expected.size(); ++i) {
    std::vector<std::vector<Expected::Number>> numbers;
    const std::size_t fields = std::max<std::size_t>(1, said.values[i].type().fields.size());
    for (std::size_t f = 0; f < fields; ++f) {
      const std::vector<Expected::Number> *known = right.expected[i].numbers(f);
      numbers.push_back(known ? *known : std::vector<Expected::Number>{});
      const Value field = said.values[i].field(f);
      for (std::uint64_t at = 0; at < numbers[f].size(); ++at) numbers[f][at].value = field.real(at);
    }
    expected.emplace_back(said.values[i].copy(), std::move(numbers));
  }
  const ast::Module *module = module_;
  for (const hardware::Step &pass : session_.target().pipeline.passes) {
    const ast::Module *after = session_.runPasses(module, {pass}, arena_);
    if (after == module) continue;
    module = after;
    const std::optional<Outcome> now = run(*module, arguments);
    if (now && (!now->undefined.empty() || mismatch(now->values, expected))) return pass.name;
  }
  return "";
}

std::string Meaning::difference(const std::vector<Value> &arguments, const Outcome &said,
                                const Reference::Outcome &right) const {
  if (right.undecided.questions) return "";
  const auto found = mismatch(said.values, right.expected);
  if (!found) return "";
  const auto &[param, how] = *found;
  std::string element = param < spectrum_->params.size() ? spectrum_->params[param]->name : "result";
  for (std::uint64_t at : how.index) element += fmt::format("[{}]", at);
  if (!how.field.empty()) element += "." + how.field;
  std::string pass;
  try {
    pass = wrongPass(arguments, said, right);
  } catch (const DiagnosticError &) { // what cannot be lowered for this target says nothing of its passes
    pass.clear();
  }
  return fmt::format("{} is {} by what the source says, and {} by what was compiled: {} is wrong, report it", element,
                     how.got, how.expected, pass.empty() ? "the compiler" : fmt::format("the pass '{}'", pass));
}

} // namespace tangram::runtime
