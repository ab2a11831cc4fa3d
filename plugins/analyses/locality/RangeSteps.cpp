#include "RangeSteps.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Walk.h"

namespace tangram {

using namespace ast;

namespace {

using Parameter = std::pair<std::string, unsigned>;
using Steps = std::map<Parameter, Step>;

Step literalStep(const Expr *e) {
  e = withoutCasts(e);
  const auto *number = dyn<IntLit>(e);
  return !e ? Step::of(1) : number ? Step::of(number->value) : Step::some();
}

Step product(const Step &a, const Step &b) { return a.number == 1 ? b : b.number == 1 ? a : Step::some(); }

/// Of an argument; nothing where it is part of a parameter of which nothing is known yet.
std::optional<Step> stepOf(const Expr *e, const Spectrum &spectrum, const Codelet &codelet, const Steps &known) {
  Step step = Step::of(1);
  for (int fuel = 64; e && fuel > 0; --fuel) {
    if (const auto *partition = dyn<Partition>(e)) {
      const Sequence *inc = partition->incs.empty() ? nullptr : partition->incs[0];
      step = product(step, inc && !inc->container && !inc->inc ? literalStep(inc->start) : Step::some());
      e = partition->container;
    } else if (const auto *subscript = dyn<Subscript>(e)) {
      e = subscript->base;
    } else if (const auto *sequence = dyn<Sequence>(e)) {
      return product(step, literalStep(sequence->inc));
    } else if (const auto *variable = dyn<VarRef>(e)) {
      const Expr *init = nullptr;
      walk(codelet.body, [&](const Declare &d) {
        if (d.name == variable->name) init = d.init;
      });
      e = init;
      for (unsigned i = 0; !init && i < codelet.params.size(); ++i)
        if (codelet.params[i]->name == variable->name) {
          auto it = known.find({spectrum.name, i});
          if (it == known.end()) return {};
          return product(step, it->second);
        }
    } else {
      break;
    }
  }
  return Step::some();
}

} // namespace

Steps rangeSteps(const Module &module) {
  const RangeParameters ranges = rangeParameters(module);
  Steps result;
  for (bool more = !ranges.empty(); more;) {
    more = false;
    for (const Spectrum *spectrum : module.spectrums)
      for (const Codelet *codelet : spectrum->codelets) {
        auto note = [&](const std::string &callee, const std::vector<const Expr *> &args) {
          for (unsigned i = 0; i < args.size(); ++i) {
            if (!args[i]->type.isArray() || !ranges.count({callee, i})) continue;
            const std::optional<Step> step = stepOf(args[i], *spectrum, *codelet, result);
            if (!step) continue;
            auto [it, fresh] = result.try_emplace({callee, i}, *step);
            const Step before = it->second;
            if (it->second != *step) it->second = Step::some();
            more |= fresh || before != it->second;
          }
        };
        walk(
            codelet->body, [&](const SpectrumCall &call) { note(call.spectrum, call.args); },
            [&](const Map &map) { note(map.spectrum, map.args); });
      }
  }
  return result;
}

} // namespace tangram
