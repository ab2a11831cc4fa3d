#include "tangram/compose/CodeletSource.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>

namespace tangram {

using namespace ast;

CodeletSource::CodeletSource(const Codelet &codelet) {
  walk(
      codelet.body,
      [&](const Declare &d) {
        declared_[d.name] = &d;
        declarations_.push_back(&d);
      },
      [&](const For &f) {
        const Stmt *first = f.init;
        if (const auto *several = dyn<Block>(first); several && several->stmts.size() == 1) first = several->stmts[0];
        if (const auto *d = dyn<Declare>(first)) counting_[d->name] = &f;
      },
      [&](const Assign &a) {
        if (isa<Subscript>(withoutCasts(a.target))) stores_.push_back(&a);
      });
  const std::set<std::string> changed = changedVariables(codelet.body);
  changed_.insert(changed.begin(), changed.end());
  if (codelet.coop) findArraysOfLanes(codelet);
}

bool CodeletSource::isLane(const Expr *e) const {
  e = withoutCasts(e);
  if (isa<CoopIdx>(e)) return true;
  const auto *v = dyn<VarRef>(e);
  const Declare *d = v && !changes(v->name) ? declared(v->name) : nullptr;
  return d && d->init && d->extents.empty() && isLane(d->init);
}

void CodeletSource::findArraysOfLanes(const Codelet &codelet) {
  for (const auto &[name, d] : declared_)
    if (d->shared && d->extents.size() == 1 && isa<CoopDim>(withoutCasts(d->extents[0]))) ofLanes_.insert(name);
  auto nameOf = [](const Expr *place) -> const std::string * {
    const auto *s = dyn<Subscript>(withoutCasts(place));
    const auto *v = s ? dyn<VarRef>(s->base) : nullptr;
    return v ? &v->name : nullptr;
  };
  auto written = [&](const Expr *place) {
    const std::string *name = nameOf(place);
    if (name && !isLane(as<Subscript>(withoutCasts(place))->indices[0])) ofLanes_.erase(*name);
  };
  std::unordered_map<std::string, std::size_t> mentions, elements;
  walk(
      codelet.body, [&](const VarRef &v) { ++mentions[v.name]; },
      [&](const Subscript &s) {
        if (const std::string *name = nameOf(&s)) ++elements[*name];
      },
      [&](const Assign &a) { written(a.target); },
      [&](const Unary &u) {
        if (hasEffects(&u)) written(u.operand);
      },
      [&](const Atomic &a) {
        if (const std::string *name = nameOf(a.target)) ofLanes_.erase(*name);
      });
  for (const auto &[name, count] : mentions) // as a whole it is passed on
    if (count != elements[name]) ofLanes_.erase(name);
}

const Declare *CodeletSource::declared(const std::string &name) const {
  auto it = declared_.find(name);
  return it == declared_.end() ? nullptr : it->second;
}

const For *CodeletSource::counting(const std::string &name) const {
  auto it = counting_.find(name);
  return it == counting_.end() ? nullptr : it->second;
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
