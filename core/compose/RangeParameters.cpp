#include "tangram/compose/RangeParameters.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace tangram {

using namespace ast;

namespace {

using Parameter = std::pair<std::string, unsigned>;

/// What an argument is a part of, or all of.
struct Origin {
  bool isRange = false;
  std::optional<Parameter> parameter;
};

Origin originOf(const Expr *e, const Spectrum &spectrum, const Codelet &codelet,
                const std::map<std::string, const Expr *> &named) {
  for (int fuel = 64; e && fuel > 0; --fuel) {
    if (const auto *partition = dyn<Partition>(e)) {
      e = partition->container;
    } else if (const auto *subscript = dyn<Subscript>(e)) {
      e = subscript->base;
    } else if (const auto *variable = dyn<VarRef>(e)) {
      if (auto init = named.find(variable->name); init != named.end()) {
        e = init->second;
        continue;
      }
      for (unsigned i = 0; i < codelet.params.size(); ++i)
        if (codelet.params[i]->name == variable->name) return {false, Parameter{spectrum.name, i}};
      return {};
    } else {
      return {isa<Sequence>(e), {}};
    }
  }
  return {};
}

bool canBeRange(const Param &p) {
  return p.access == Access::In && p.type.isArray() && p.type.rank() == 1 && p.type.element().isInteger() &&
         !p.type.element().isBool();
}

} // namespace

bool declaresRange(const Declare &declare) { return declare.init && isa<Sequence>(declare.init); }

RangeParameters rangeParameters(const Module &module, const std::set<std::string> &without) {
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

  RangeParameters result;
  for (const Spectrum *spectrum : module.spectrums)
    for (unsigned i = 0; i < spectrum->params.size(); ++i)
      if (canBeRange(*spectrum->params[i]) && !without.count(spectrum->name) && given.count({spectrum->name, i}))
        result.insert({spectrum->name, i});
  // Each call must pass one, and some call makes it.
  for (bool more = true; more;) {
    more = std::erase_if(result, [&](const Parameter &p) {
             return std::any_of(given[p].begin(), given[p].end(), [&](const Origin &o) {
               return !o.isRange && !(o.parameter && result.count(*o.parameter));
             });
           }) > 0;
  }
  RangeParameters made;
  for (bool more = true; more;) {
    more = false;
    for (const Parameter &p : result)
      for (const Origin &o : given[p])
        if (o.isRange || (o.parameter && made.count(*o.parameter))) more |= made.insert(p).second;
  }
  return made;
}

} // namespace tangram
