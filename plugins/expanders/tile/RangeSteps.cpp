#include "RangeSteps.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"

#include <optional>
#include <set>
#include <vector>

namespace tangram::tile {

using namespace ast;

namespace {

using Parameter = std::pair<std::string, unsigned>;

/// What an argument is: a range, or a part of neighbours of a parameter.
struct Origin {
  std::optional<std::int64_t> step;
  std::optional<Parameter> parameter;
};

std::optional<std::int64_t> numberOf(const Expr *e) {
  while (const auto *c = dyn<Cast>(e)) e = c->operand;
  return e ? literal(e) : std::nullopt;
}

Origin originOf(const Expr *e, const Spectrum &spectrum, const Codelet &codelet,
                const std::map<std::string, const Expr *> &named) {
  for (int fuel = 64; e && fuel > 0; --fuel) {
    if (const auto *partition = dyn<Partition>(e)) {
      bool neighbours = partition->incs.size() == 1 && !partition->incs[0]->container && !partition->incs[0]->inc &&
                        numberOf(partition->incs[0]->start) == 1;
      if (!neighbours) return {};
      e = partition->container;
    } else if (const auto *subscript = dyn<Subscript>(e)) {
      e = subscript->base;
    } else if (const auto *variable = dyn<VarRef>(e)) {
      if (auto init = named.find(variable->name); init != named.end()) {
        e = init->second;
        continue;
      }
      for (unsigned i = 0; i < codelet.params.size(); ++i)
        if (codelet.params[i]->name == variable->name) return {std::nullopt, Parameter{spectrum.name, i}};
      return {};
    } else {
      const auto *range = dyn<Sequence>(e);
      if (!range || range->container) return {};
      return {range->inc ? numberOf(range->inc) : 1, std::nullopt};
    }
  }
  return {};
}

} // namespace

std::map<Parameter, std::int64_t> rangeSteps(const Module &module) {
  std::map<Parameter, std::vector<Origin>> given;
  for (const Spectrum *spectrum : module.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      std::map<std::string, const Expr *> named;
      walk(codelet->body, [&](const Declare &d) {
        if (d.type.isArray() && d.init) named[d.name] = d.init;
      });
      auto note = [&](const std::string &callee, const std::vector<const Expr *> &args) {
        for (unsigned i = 0; i < args.size(); ++i)
          if (args[i]->type.isArray()) given[{callee, i}].push_back(originOf(args[i], *spectrum, *codelet, named));
      };
      walk(
          codelet->body, [&](const SpectrumCall &call) { note(call.spectrum, call.args); },
          [&](const Map &map) { note(map.spectrum, map.args); });
    }

  // From calls that make a range to those that pass it on; what is not the same everywhere is not known.
  std::map<Parameter, std::int64_t> steps;
  std::set<Parameter> unknown;
  for (bool more = true; more;) {
    more = false;
    for (const auto &[parameter, origins] : given)
      for (const Origin &o : origins) {
        if (unknown.count(parameter)) break;
        std::optional<std::int64_t> step = o.step;
        bool lost = !o.step && (!o.parameter || unknown.count(*o.parameter));
        if (o.parameter)
          if (auto known = steps.find(*o.parameter); known != steps.end()) step = known->second;
        if (step && *step < 1) lost = true;
        if (!lost && !step) continue;
        auto known = steps.find(parameter);
        if (lost || (known != steps.end() && known->second != *step)) {
          unknown.insert(parameter);
          steps.erase(parameter);
          more = true;
        } else if (known == steps.end()) {
          steps[parameter] = *step;
          more = true;
        }
      }
  }
  return steps;
}

} // namespace tangram::tile
