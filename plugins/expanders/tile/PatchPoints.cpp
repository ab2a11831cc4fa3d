// Copies of the body for a lane's points, and what they find in tiles.
#include "PatchWriter.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <algorithm>

namespace tangram::tile {

using namespace ast;

const Stmt *PatchWriter::count(const std::string &name, const Type &type, const Expr *end, Stmts body,
                               const Expr *by) const {
  const Expr *v = build_.var(name, type);
  const Expr *step = by ? static_cast<const Expr *>(arena_.make<Assign>(SourceRange{}, type, AssignOp::Add, v, by))
                        : arena_.make<Unary>(SourceRange{}, type, UnaryOp::PreInc, v);
  return arena_.make<For>(nest_.loops[0].where, build_.declare(name, type, build_.integer(type, 0), false),
                          build_.less(v, end), step, build_.block(std::move(body)));
}

Stmts PatchWriter::copy(const Stmts &stmts, const Context &context) {
  Stmts result;
  std::map<std::string, std::string> renamed;
  for (const std::string &name : nest::declaredIn(stmts))
    if (!kept_.count(name)) renamed[name] = names_.fresh(name);
  auto variable = [&](const VarRef *v) -> const Expr * {
    if (auto r = renamed.find(v->name); r != renamed.end()) return v;
    auto known = context.variables.find(v->name);
    return known == context.variables.end() ? v : known->second;
  };
  auto element = [&](const Subscript *e) -> const Expr * {
    auto known = context.elements.find(e);
    return known == context.elements.end() ? nullptr : known->second;
  };
  for (const Stmt *s : stmts) {
    const Stmt *made = nullptr;
    if (const auto *d = dyn<Declare>(s); d && kept_.count(d->name)) {
      if (d->init)
        made =
            build_.at(d->range).assign(context.variables.at(d->name), substituted(arena_, d->init, variable, element));
    } else {
      made = substituted(arena_, s, variable, element);
    }
    if (made) result.push_back(as<Stmt>(renameVariables(arena_, made, renamed)));
  }
  return result;
}

const Expr *PatchWriter::replaced(const Expr *e, const Context &context) const {
  return substituted(arena_, e, [&](const VarRef *v) -> const Expr * {
    auto known = context.variables.find(v->name);
    return known == context.variables.end() ? v : known->second;
  });
}

Stmts PatchWriter::points(Context context, const std::vector<bool> &along, bool only, const PerPoint &inside) {
  std::vector<const Expr *> point(dims_.size()), at(dims_.size());
  std::vector<std::string> place(dims_.size()), iterator(dims_.size());
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (!along[d]) continue;
    const RangeLoop &l = *dims_[d];
    point[d] = build_.var(names_.fresh("point"), kNumber);
    place[d] = names_.fresh("at_" + l.iterator->name);
    at[d] = build_.var(place[d], kSize);
    iterator[d] = names_.fresh(l.iterator->name);
    context.variables[l.iterator->name] = build_.var(iterator[d], l.iterator->type);
  }
  if (std::all_of(along.begin(), along.end(), [](bool all) { return all; }))
    for (const auto &[name, kept] : kept_) {
      const Expr *index = point[0];
      if (dims_.size() > 1) index = build_.add(build_.mul(point[0], many(1)), point[1]);
      context.variables[name] = element(block_.empty() ? kept.array : kept.block, kept.declare->type, index);
    }
  Stmts stmts = inside(context, point);
  auto declare = [&](std::size_t d, const Expr *position) {
    const RangeLoop &l = *dims_[d];
    if (along[d] && mentions(stmts, iterator[d]))
      stmts.insert(stmts.begin(), build_.declare(iterator[d], l.iterator->type, numberAt(l, position)));
  };
  if (only) {
    if (nest_.guard && !whole_) stmts = {build_.when(replaced(nest_.guard, context), std::move(stmts))};
    const Expr *there = lanes_->working();
    for (std::size_t d = dims_.size(); d-- > 0;) declare(d, at[d]);
    for (std::size_t d = 0; d < dims_.size() && !whole_; ++d) {
      const Expr *fits = build_.less(at[d], origins_[d].size);
      there = there ? build_.both(there, fits) : fits;
    }
    if (there) stmts = {build_.when(there, std::move(stmts))};
  }
  for (std::size_t d = dims_.size(); d-- > 0;) {
    if (!along[d]) continue;
    // Points that are not there do what the last one does.
    const Expr *last = build_.sub(origins_[d].size, build_.u64(1));
    if (!only) declare(d, whole_ ? at[d] : build_.select(build_.less(at[d], origins_[d].size), at[d], last));
    if (mentions(stmts, place[d])) {
      const Expr *position = build_.cast(kSize, lanes_->position(d, ofAll(d, point[d])));
      stmts.insert(stmts.begin(), build_.declare(place[d], kSize, build_.add(origins_[d].first, position)));
    }
    stmts = {count(as<VarRef>(point[d])->name, kNumber, many(d), std::move(stmts))};
  }
  return stmts;
}

const Expr *PatchWriter::numberAt(const RangeLoop &l, const Expr *at) const {
  return build_.cast(l.iterator->type,
                     build_.element(build_.var(l.range->name, l.range->type), {at}, l.range->type.element()));
}

const Stmt *PatchWriter::array(const std::string &name, const Type &type, const Expr *extent) const {
  const Tunable *noTunable = nullptr;
  const Expr *none = nullptr;
  return arena_.make<Declare>(nest_.loops[0].where, name, type, false, false,
                              std::vector<const Expr *>{build_.cast(kSize, extent)}, noTunable, none);
}

const Expr *PatchWriter::pointsOf(const std::vector<bool> &along) const {
  const Expr *all = number(1);
  for (std::size_t d = 0; d < dims_.size(); ++d)
    if (along[d]) all = build_.mul(all, many(d));
  return all;
}

Staged &PatchWriter::staged(const Tile &tile, const std::vector<const Expr *> &panel) {
  std::vector<const Expr *> extents;
  for (std::size_t d = 0; d < dims_.size(); ++d) extents.push_back(lanes_->size(d));
  extents.insert(extents.end(), panel.begin(), panel.end());
  staged_.emplace_back(make_, arena_, *lanes_, tile, extents, options_.banks, options_.lockstep, options_.copies,
                       names_);
  return staged_.back();
}

ReplaceVariable PatchWriter::replacement(const Context &context) const {
  return [&context](const VarRef *v) -> const Expr * {
    auto known = context.variables.find(v->name);
    return known == context.variables.end() ? v : known->second;
  };
}

Stmts PatchWriter::load(const std::deque<Staged *> &tiles, const Context &first, const PerTile &each) {
  Stmts stmts, whole, parts;
  const Expr *all = nullptr;
  for (const Staged *t : tiles) {
    Staged::Corner corner = t->corner(replacement(first), names_);
    stmts.insert(stmts.end(), corner.declarations.begin(), corner.declarations.end());
    all = all ? build_.both(all, corner.whole) : corner.whole;
    whole.push_back(each(*t, corner, false));
    parts.push_back(each(*t, corner, true));
  }
  if (all) stmts.push_back(build_.when(all, std::move(whole), std::move(parts)));
  return stmts;
}

Stmts PatchWriter::load(const std::deque<Staged *> &tiles, const Context &first) {
  return load(tiles, first,
              [&](const Staged &t, const Staged::Corner &corner, bool asks) { return t.load(corner, asks, names_); });
}

std::vector<const Expr *> PatchWriter::positions(const std::vector<const Expr *> &point) const {
  std::vector<const Expr *> result;
  for (std::size_t d = 0; d < dims_.size(); ++d)
    result.push_back(point[d] ? lanes_->position(d, ofAll(d, point[d])) : number(0));
  return result;
}

Stmts PatchWriter::forAll(const Stmts &body, const Context &context, bool only, const std::deque<Staged *> &tiles,
                          const std::vector<const Expr *> &turns) {
  const std::vector<bool> all(dims_.size(), true);
  return points(context, all, only, [&](Context here, const std::vector<const Expr *> &point) {
    for (const Staged *t : tiles)
      for (const Reference &r : t->tile().references)
        if (!here.elements.count(r.node)) {
          std::vector<const Expr *> at = positions(point);
          at.insert(at.end(), turns.begin(), turns.end());
          here.elements[r.node] = t->element(r, at);
        }
    for (auto &[node, e] : here.elements) // those of fragments speak of points
      if (auto fragment = fragments_.find(node); fragment != fragments_.end() && !e)
        e = ofFragment(fragment->second, point);
    return copy(body, here);
  });
}

} // namespace tangram::tile
