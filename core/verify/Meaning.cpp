#include "Meaning.h"

#include "tangram/ast/Structs.h"
#include "tangram/pass/DeepStack.h"
#include "tangram/verify/Semantics.h"

#include <chrono>
#include <fmt/format.h>

namespace tangram::runtime {
namespace {

constexpr std::uint64_t kMostElements = 300, kSteps = 1'000'000; // of one call: a second at most
constexpr double kMostSeconds = 1;                               // of all calls

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

Meaning::Meaning(Session &session, const std::string &spectrum) {
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == spectrum) spectrum_ = s;
  std::optional<Plan> plan = session.forest(spectrum).plainest();
  if (!plan || !spectrum_) return;
  plan->target = session.target().name;
  hardware_ = &session.target().hardware;
  module_ = session.compose({*plan}, arena_);
}

std::optional<Meaning::Outcome> Meaning::of(const std::vector<Value> &arguments) const {
  std::uint64_t all = 0;
  for (const Value &v : arguments) all += v.count();
  if (!module_ || all > kMostElements || seconds_ > kMostSeconds) return {};
  const auto start = std::chrono::steady_clock::now();
  const Elements elements(*module_);
  Outcome outcome;
  outcome.params = spectrum_->params;
  std::vector<semantics::Value> own;
  for (std::size_t i = 0; i < outcome.params.size(); ++i)
    own.push_back(elements.from(arguments.at(i), *outcome.params[i]));
  semantics::Scalar result;
  bool known = true;
  try {
    onDeepStack([&] { result = semantics::run(*module_, *module_->kernels.at(0), *hardware_, own, kSteps); });
  } catch (const semantics::Undefined &undefined) {
    outcome.undefined = fmt::format("{}{}", undefined.what(), where(undefined.range));
  } catch (const semantics::Failure &) {
    known = false;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!known) return {};
  for (std::size_t i = 0; i < arguments.size() && outcome.undefined.empty(); ++i) {
    outcome.values.push_back(arguments[i].copy());
    if (i < own.size())
      elements.to(outcome.values[i], own[i].kind == semantics::Value::Kind::Array    ? *own[i].array.cells
                                     : own[i].kind == semantics::Value::Kind::Scalar ? std::vector{own[i].scalar}
                                                                                     : *own[i].cells);
    else
      elements.to(outcome.values[i], {result});
  }
  return outcome;
}

std::string Meaning::Outcome::difference(const Reference::Outcome &right) const {
  if (right.undecided) return "";
  for (std::size_t i = 0; i < right.expected.size() && i < values.size(); ++i) {
    if (i < params.size() && params[i]->access == ast::Access::In) continue;
    const std::optional<Mismatch> mismatch = compare(values[i], right.expected[i]);
    if (!mismatch) continue;
    std::string element = i < params.size() ? params[i]->name : "result";
    for (std::uint64_t at : mismatch->index) element += fmt::format("[{}]", at);
    if (!mismatch->field.empty()) element += "." + mismatch->field;
    return fmt::format(
        "{} is {} by what the source says, and {} by what was compiled: the compiler is wrong, report it", element,
        mismatch->got, mismatch->expected);
  }
  return "";
}

} // namespace tangram::runtime
