#include "tangram/compose/CodeletSource.h"

#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>

namespace tangram {

using namespace ast;

CodeletSource::CodeletSource(const Codelet &codelet) {
  walk(codelet.body, [&](const Declare &d) { declared_[d.name] = &d; });
  const std::set<std::string> changed = changedVariables(codelet.body);
  changed_.insert(changed.begin(), changed.end());
}

const Declare *CodeletSource::declared(const std::string &name) const {
  auto it = declared_.find(name);
  return it == declared_.end() ? nullptr : it->second;
}

const CodeletSource::Parts &CodeletSource::parts(const Expr *e) const {
  auto [it, fresh] = parts_.try_emplace(e);
  if (!fresh) return it->second;
  Parts &result = it->second;
  walk(e, [&](const Expr &part) {
    result.lane |= isa<CoopIdx>(&part);
    result.loads |= isa<Subscript>(&part);
    const auto *v = dyn<VarRef>(&part);
    if (v && std::none_of(result.variables.begin(), result.variables.end(),
                          [&](const VarRef *known) { return known->name == v->name; }))
      result.variables.push_back(v);
  });
  return result;
}

const CodeletSource::Reached &CodeletSource::reached(const Expr *e) const {
  auto [it, fresh] = reached_.try_emplace(e);
  if (!fresh) return it->second;
  Reached &result = it->second;
  std::unordered_set<std::string> seen;
  std::vector<const Expr *> open{e};
  while (!open.empty()) {
    const Expr *next = open.back();
    open.pop_back();
    walk(next, [&](const Expr &part) {
      result.lane |= isa<CoopIdx>(&part);
      result.calls |=
          next == e && (isa<Subscript>(&part) || isa<Call>(&part) || isa<Map>(&part) || isa<SpectrumCall>(&part));
      const auto *v = dyn<VarRef>(&part);
      if (!v || !seen.insert(v->name).second) return;
      result.variables.push_back(v->name);
      const Declare *d = changes(v->name) ? nullptr : declared(v->name);
      if (d && d->init && d->extents.empty()) open.push_back(d->init);
    });
  }
  return result;
}

const CodeletSource::Loop &CodeletSource::loop(const Block *body, const std::function<Loop()> &look) const {
  auto it = loops_.find(body);
  return it == loops_.end() ? loops_.emplace(body, look()).first->second : it->second;
}

} // namespace tangram
