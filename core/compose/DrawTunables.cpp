#include "tangram/compose/DrawTunables.h"

#include "TunableRanges.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tangram {

using namespace ast;

namespace {

class Drawing {
public:
  Drawing(const Plan &plan, const Module &module, const hardware::Hardware &hardware, std::mt19937_64 &random)
      : module_(module), ranges_(plan, module, hardware), random_(random) {}

  PlanPtr node(const PlanNode &old) {
    auto result = std::make_shared<PlanNode>(old);
    if (old.rule == Rule::Select && !old.parameters.empty())
      walk(codelet(old).body, [&](const Declare &d) {
        auto value = d.tunable ? result->parameters.find(d.name) : result->parameters.end();
        if (value == result->parameters.end()) return;
        const Tunable *narrowed = ranges_.narrowed(old, d, arena_);
        value->second = draw(narrowed ? *narrowed : *d.tunable, value->second, largest(d.type));
      });
    for (PlanPtr &child : result->children) child = node(*child);
    return result;
  }

private:
  const Codelet &codelet(const PlanNode &select) const {
    if (const Spectrum *spectrum = findSpectrum(module_, select.spectrum))
      for (const Codelet *c : spectrum->codelets)
        if (c->name == select.codelet) return *c;
    failBug(select.range, "tunables", fmt::format("no codelet '{}' of '{}'", select.codelet, select.spectrum));
  }

  static std::int64_t largest(const Type &type) {
    const std::size_t bits = 8 * type.bytes() - (type.isSigned() ? 1 : 0);
    return bits < 63 ? (std::int64_t{1} << bits) - 1 : std::numeric_limits<std::int64_t>::max();
  }

  std::int64_t draw(const Tunable &allowed, std::int64_t own, std::int64_t largest) {
    if (!allowed.values.empty()) return allowed.values[below(allowed.values.size())];
    const std::int64_t lo = allowed.lo == 0 && allowed.hi == 0 ? 1 : allowed.lo;
    const std::int64_t step = std::max<std::int64_t>(allowed.step, 1);
    const std::int64_t twice = own > largest / 2 ? largest : 2 * own;
    const std::int64_t hi = allowed.hi > 0 ? std::min(allowed.hi, twice) : twice;
    const std::int64_t steps = std::max(hi - lo, std::int64_t{0}) / step; // beyond the lowest value
    const double at = std::uniform_real_distribution(0.0, std::log(static_cast<double>(steps) + 2))(random_);
    return lo + step * std::min(static_cast<std::int64_t>(std::exp(at)) - 1, steps);
  }

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  const Module &module_;
  Arena arena_;
  TunableRanges ranges_;
  std::mt19937_64 &random_;
};

} // namespace

Plan drawTunables(const Plan &plan, const Module &module, const hardware::Hardware &hardware, std::mt19937_64 &random) {
  Plan result = plan;
  result.root = Drawing(plan, module, hardware, random).node(*plan.root);
  return result;
}

} // namespace tangram
