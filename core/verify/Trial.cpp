#include "tangram/verify/Trial.h"

#include "tangram/verify/ArgumentConditions.h"

#include <algorithm>

namespace tangram::runtime {
namespace {

PlanFailure differing(const std::string &param, const Mismatch &m) {
  PlanFailure failure;
  failure.param = param;
  failure.index = m.index;
  failure.got = m.got;
  failure.expected = m.expected;
  failure.bound = m.bound;
  std::string at = m.index.empty() ? param : fmt::format("{}[{}]", param, fmt::join(m.index, ", "));
  if (!m.field.empty()) at += "." + m.field;
  failure.reason = fmt::format("{}: got {}, expected {}", at, m.got, m.expected);
  if (m.bound > 0) failure.reason += fmt::format(" within {:.3g}", m.bound);
  if (m.wrong > 1) failure.reason += fmt::format("; {} elements differ", m.wrong);
  return failure;
}

} // namespace

std::optional<PlanFailure> judge(const tangram_kernel &kernel, const CallResult &result,
                                 const std::vector<Value> &values, const std::vector<Expected> &expected,
                                 const std::vector<Expected> &plain) {
  PlanFailure failure;
  if (!result.ok()) {
    bool checked = result.status == TANGRAM_OUT_OF_RANGE; // says all by itself
    failure.reason = checked ? result.message : fmt::format("refused the call: {}", result.message);
    return failure;
  }
  for (std::uint32_t i = 0; i < kernel.num_params; ++i) {
    std::string param = kernel.params[i].name;
    if (std::string stray = values[i].strayWrite(); !stray.empty()) {
      failure.param = param;
      failure.reason = fmt::format("wrote outside of {}: {}", param, stray);
      return failure;
    }
    for (const std::vector<Expected> *all : {&expected, &plain})
      if (i < all->size())
        if (std::optional<Mismatch> m = compare(values[i], (*all)[i])) return differing(param, *m);
  }
  return std::nullopt;
}

std::vector<Value> copies(const std::vector<Value> &values) {
  std::vector<Value> result;
  for (const Value &v : values) result.push_back(v.copy());
  return result;
}

bool hasFloating(const std::vector<Value> &values) {
  return std::any_of(values.begin(), values.end(), [](const Value &v) {
    return std::any_of(v.type().fields.begin(), v.type().fields.end(),
                       [](const Element::Field &f) { return isFloating(f.kind); });
  });
}

void UndecidedTrials::include(const Trial &trial) {
  (trial.small ? small : trial.whole ? whole : given).include(trial.undecided);
}

Undecided UndecidedTrials::all() const {
  Undecided result = given;
  result.include(whole);
  result.include(small);
  return result;
}

std::vector<std::string> UndecidedTrials::sentences() const {
  std::vector<std::string> result = given.sentences();
  for (const std::string &sentence : whole.sentences(false)) result.push_back("of whole numbers: " + sentence);
  for (const std::string &sentence : small.sentences(false)) result.push_back("of smaller arguments: " + sentence);
  return result;
}

Trials::Trials(const ast::Spectrum &spectrum, const std::vector<Value> &arguments, std::vector<bool> neverRead,
               std::uint64_t seed, std::size_t most)
    : spectrum_(spectrum), arguments_(arguments), filled_(std::move(neverRead)), seed_(seed),
      passes_(wholePasses(arguments)), zeros_(allZero(arguments)) {
  if (passes_.size() > most) passes_.resize(most);
  filled_.resize(arguments.size());
  for (std::size_t i = 0; i < filled_.size(); ++i) filled_[i] = filled_[i] && hasZero(arguments[i]);
  const bool any = std::find(filled_.begin(), filled_.end(), true) != filled_.end();
  others_ = std::max<std::size_t>(passes_.size(), any);
}

Trial Trials::make(std::size_t i) const {
  Trial trial;
  trial.arguments = copies(arguments_);
  if (i >= others_) return trial;
  if (i < passes_.size()) {
    trial.whole = true;
    for (std::size_t a = 0; a < trial.arguments.size(); ++a)
      makeWhole(trial.arguments[a], seed_ + a, passes_[i], zeros_);
  }
  for (std::size_t a = 0; a < filled_.size(); ++a)
    if (filled_[a]) replaceZeros(trial.arguments[a]);
  if (!meetConditions(spectrum_, trial.arguments))
    for (std::size_t a = 0; a < trial.arguments.size(); ++a)
      if (trial.arguments[a].rank() == 0) trial.arguments[a] = arguments_[a].copy(); // of these they hold
  return trial;
}

CallResult expect(Trial &trial, const Reference &reference) {
  Reference::Outcome right = reference.call(trial.arguments);
  if (!right.result.ok()) return right.result;
  trial.expected = std::move(right.expected);
  trial.undecided = right.undecided;
  return {};
}

CallResult expectBits(Trial &trial, const tangram_kernel &plainest) {
  trial.plain.clear();
  std::vector<Value> values = copies(trial.arguments);
  CallResult result = call(plainest, values);
  if (result.ok())
    for (Value &v : values) trial.plain.emplace_back(std::move(v));
  return result;
}

} // namespace tangram::runtime
