#include "tangram/compose/RangeParameters.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>

namespace tangram {

using namespace ast;

namespace {

ArgumentOrigin originOf(const Expr *e, const Spectrum &spectrum, const Codelet &codelet,
                        const std::map<std::string, const Expr *> &named) {
  bool neighbours = true;
  for (int fuel = 64; e && fuel > 0; --fuel) {
    if (const auto *partition = dyn<Partition>(e)) {
      neighbours &= partition->incs.size() == 1 && !partition->incs[0]->container && !partition->incs[0]->inc &&
                    literal(withoutCasts(partition->incs[0]->start)) == 1;
      e = partition->container;
    } else if (const auto *subscript = dyn<Subscript>(e)) {
      e = subscript->base;
    } else if (const auto *variable = dyn<VarRef>(e)) {
      if (auto init = named.find(variable->name); init != named.end()) {
        e = init->second;
        continue;
      }
      for (unsigned i = 0; i < codelet.params.size(); ++i)
        if (codelet.params[i]->name == variable->name)
          return {nullptr, SpectrumParameter{spectrum.name, i}, neighbours};
      return {};
    } else {
      return {dyn<Sequence>(e), {}, neighbours};
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

std::map<SpectrumParameter, std::vector<ArgumentOrigin>> argumentOrigins(const Module &module) {
  std::map<SpectrumParameter, std::vector<ArgumentOrigin>> given;
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
  return given;
}

RangeParameters rangeParameters(const Module &module, const std::set<std::string> &without) {
  const std::map<SpectrumParameter, std::vector<ArgumentOrigin>> given = argumentOrigins(module);
  RangeParameters result;
  for (const Spectrum *spectrum : module.spectrums)
    for (unsigned i = 0; i < spectrum->params.size(); ++i)
      if (canBeRange(*spectrum->params[i]) && !without.count(spectrum->name) && given.count({spectrum->name, i}))
        result.insert({spectrum->name, i});
  // Each call must pass one, and some call makes it.
  for (bool more = true; more;) {
    more = std::erase_if(result, [&](const SpectrumParameter &p) {
             const std::vector<ArgumentOrigin> &passed = given.at(p);
             return std::any_of(passed.begin(), passed.end(), [&](const ArgumentOrigin &o) {
               return !o.range && !(o.parameter && result.count(*o.parameter));
             });
           }) > 0;
  }
  RangeParameters made;
  for (bool more = true; more;) {
    more = false;
    for (const SpectrumParameter &p : result)
      for (const ArgumentOrigin &o : given.at(p))
        if (o.range || (o.parameter && made.count(*o.parameter))) more |= made.insert(p).second;
  }
  return made;
}

} // namespace tangram
