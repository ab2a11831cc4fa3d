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
  findProgress(codelet);
  if (codelet.coop) findArraysOfLanes(codelet);
}

void CodeletSource::findProgress(const Codelet &codelet) {
  std::unordered_map<std::string, std::vector<const Expr *>> steps;
  const auto changes = [&](const Expr *target, const Expr *by) {
    if (const auto *v = dyn<VarRef>(withoutCasts(target))) steps[v->name].push_back(by);
  };
  walk(
      codelet.body, [&](const Assign &a) { changes(a.target, &a); },
      [&](const Unary &u) {
        if (hasEffects(&u) && !hasEffects(u.operand)) changes(u.operand, &u);
      });
  const auto goesOn = [&](const Stmt *loop, const Expr *cond) {
    if (!cond) return;
    walk(cond, [&](const VarRef &v) {
      const auto own = steps.find(v.name);
      const Declare *begins = declared(v.name);
      if (own == steps.end() || own->second.size() != 1 || !begins || !begins->init) return;
      const Expr *step = own->second.front();
      if (!any<Expr>(loop, [&](const Expr &e) { return &e == step; })) return;
      Progress &found = progress_[v.name] = {loop, begins, cond, step};
      if (stage_.empty() && found.byFactor()) stage_ = v.name;
    });
  };
  walk( // of several loops that mention it, the innermost
      codelet.body, [&](const For &f) { goesOn(&f, f.cond); }, [&](const While &w) { goesOn(&w, w.cond); });
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

bool CodeletSource::Progress::byFactor() const {
  const auto *a = dyn<Assign>(step);
  return a && (a->op == AssignOp::Mul || a->op == AssignOp::Shl || a->op == AssignOp::Div || a->op == AssignOp::Shr);
}

const CodeletSource::Progress *CodeletSource::progress(const std::string &name) const {
  auto it = progress_.find(name);
  return it == progress_.end() ? nullptr : &it->second;
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
