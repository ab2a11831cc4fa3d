#include "Indirection.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/RangeParameters.h"

namespace tangram {

using namespace ast;

bool Origin::add(const Origin &other) {
  bool news = other.data && !data;
  data |= other.data;
  for (const std::string &name : other.scalars) news |= scalars.insert(name).second;
  return news;
}

Indirection::Indirection(const Codelet &codelet, const std::set<std::string> &ranges) : ranges_(ranges) {
  for (const Param *param : codelet.params)
    if (!param->type.isArray()) scalars_.insert(param->name);
  walk(codelet.body, [&](const Declare &d) {
    if (declaresRange(d)) ranges_.insert(d.name);
  });
  for (bool news = true; news;) {
    news = false;
    auto flow = [&](const std::string &name, const Expr *value) {
      if (value) news |= variables_[name].add(of(value));
    };
    walk(
        codelet.body, [&](const Declare &d) { flow(d.name, d.init); },
        [&](const Assign &a) {
          if (const VarRef *target = dyn<VarRef>(a.target)) flow(target->name, a.value);
        });
  }
  // Between a map's parts a codelet does little: its callees' accesses count.
  bool composes = false;
  walk(codelet.body, [&](const Map &) { composes = true; });
  if (composes) return;
  walk(codelet.body, [&](const Subscript &access) {
    const VarRef *container = rootVariable(&access);
    if (!container) return;
    for (const Expr *index : access.indices) accesses_[container->name].add(of(index));
  });
}

Origin Indirection::of(const Expr *value) const {
  Origin result;
  walk(
      value,
      [&](const Subscript &s) {
        const auto *base = dyn<VarRef>(s.base);
        result.data |= !s.type.isArray() && !(base && ranges_.count(base->name));
      },
      [&](const Atomic &) { result.data = true; }, [&](const SpectrumCall &) { result.data = true; },
      [&](const Map &) { result.data = true; },
      [&](const VarRef &ref) {
        if (ref.type.isArray()) return; // of which the size is asked
        if (scalars_.count(ref.name)) result.scalars.insert(ref.name);
        if (auto it = variables_.find(ref.name); it != variables_.end()) result.add(it->second);
      });
  return result;
}

} // namespace tangram
