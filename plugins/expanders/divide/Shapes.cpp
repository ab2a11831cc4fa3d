#include "Shapes.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Codelets.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <map>

#include <isl/aff.h>
#include <isl/set.h>

namespace tangram::divide {

using namespace ast;

namespace {

using Exprs = std::vector<const Expr *>;

/// What all places in a container have in common, and each place's indices.
struct Shape {
  const Param *param = nullptr;   // of a container that the codelet is given
  const Declare *local = nullptr; // of its own
  std::vector<std::string> text;  // of extents
  Exprs extents;                  // of all dimensions but the first
  std::map<const Subscript *, Exprs> places;
  Exprs sizes = {}; // of all dimensions, over what the codelet is given

  Type type() const {
    const Type &flat = param ? param->type : local->type;
    return Type::array(static_cast<unsigned>(extents.size() + 1), flat.element());
  }
};

/// Whether some index may be one of several dimensions.
bool hasProducts(const Codelet &codelet) {
  return any<Binary>(codelet.body, [](const Binary &b) {
    return b.op == BinaryOp::Mul && b.type.isInteger() && !literal(withoutCasts(b.lhs)) &&
           !literal(withoutCasts(b.rhs));
  });
}

/// Expressions over a codelet's own constants, as expressions over what it is given.
class OverParameters final : public Mutator {
public:
  OverParameters(Arena &arena, const Codelet &codelet) : Mutator(arena), assigned_(assignedVariables(codelet.body)) {
    for (const Param *p : codelet.params) params_.insert(p->name);
    for (const Stmt *s : codelet.body->stmts)
      if (const auto *d = dyn<Declare>(s); d && d->init && d->extents.empty() && !d->tunable && d->type.isScalar())
        constants_[d->name] = d->init;
  }
  bool possible = true;

private:
  const Node *mutateVarRef(const VarRef *v) override {
    possible &= !assigned_.count(v->name);
    if (params_.count(v->name)) return arena().derive(v, [](VarRef &) {});
    const auto known = constants_.find(v->name);
    if (known == constants_.end() || !possible) {
      possible = false;
      return v;
    }
    return Build(arena(), v->range).cast(v->type, mutateAs(known->second));
  }
  const Node *mutateSubscript(const Subscript *s) override {
    possible = false; // what data tells
    return s;
  }

  std::set<std::string> assigned_, params_;
  std::map<std::string, const Expr *> constants_;
};

class Shaping final : public Mutator {
public:
  Shaping(const std::map<std::string, Shape> &shapes, Arena &arena) : Mutator(arena), shapes_(shapes) {}

private:
  const Node *mutateSubscript(const Subscript *s) override {
    const auto *base = dyn<VarRef>(s->base);
    const auto shape = base ? shapes_.find(base->name) : shapes_.end();
    if (shape == shapes_.end()) return Mutator::mutateSubscript(s);
    Exprs index;
    for (const Expr *i : shape->second.places.at(s)) index.push_back(as<Expr>(mutate(i)));
    return Build(arena(), s->range).element(use(*base), std::move(index), s->type);
  }
  const Node *mutateDeclare(const Declare *d) override {
    const auto shape = d->type.isArray() ? shapes_.find(d->name) : shapes_.end();
    if (shape == shapes_.end()) return Mutator::mutateDeclare(d);
    Exprs extents;
    for (const Expr *size : shape->second.sizes) extents.push_back(as<Expr>(mutate(size)));
    return arena().derive(d, [&](Declare &copy) {
      copy.type = shape->second.type();
      copy.extents = extents;
    });
  }
  const Node *mutateSize(const Size *s) override {
    const auto *base = dyn<VarRef>(s->container);
    const auto shape = base ? shapes_.find(base->name) : shapes_.end();
    if (shape == shapes_.end()) return Mutator::mutateSize(s);
    const Build b(arena(), s->range);
    const Expr *all = nullptr;
    for (unsigned d = 0; d < shape->second.type().rank(); ++d) {
      const Expr *extent = arena().make<Size>(s->range, s->type, use(*base), b.integer(Scalar::U32, d));
      all = all ? b.mul(all, extent) : extent;
    }
    return all;
  }
  const Expr *use(const VarRef &v) { return Build(arena(), v.range).var(v.name, shapes_.at(v.name).type()); }

  const std::map<std::string, Shape> &shapes_;
};

/// Containers of one dimension all of whose elements are named by places in the same dimensions.
std::map<std::string, Shape> shapesOf(const nest::Nest &nest, const Codelet &codelet) {
  std::map<std::string, Shape> shapes;
  std::set<std::string> others;
  for (const Param *p : codelet.params)
    if (p->type.isArray() && p->type.rank() == 1) shapes[p->name].param = p;
  for (const Stmt *s : codelet.body->stmts)
    if (const auto *d = dyn<Declare>(s);
        d && d->type.isArray() && d->type.rank() == 1 && d->extents.size() == 1 && !d->init)
      shapes[d->name].local = d;
  for (const nest::Statement &s : nest.statements)
    for (const nest::Access &a : s.accesses) {
      const auto shape = shapes.find(nest.variables[a.variable].name);
      if (shape == shapes.end()) continue;
      const auto *element = dyn<Subscript>(a.node);
      const bool known = element && a.delinearized && !a.delinearized->written.extents.empty() &&
                         std::none_of(a.delinearized->written.index.begin(), a.delinearized->written.index.end(),
                                      [](const Expr *e) { return e == nullptr; });
      Shape &of = shape->second;
      if (known && of.places.empty()) {
        of.text = a.delinearized->extents;
        of.extents = a.delinearized->written.extents;
      }
      if (!known || a.delinearized->extents != of.text) {
        others.insert(shape->first);
        continue;
      }
      of.places[element] = a.delinearized->written.index;
    }
  for (auto &[name, shape] : shapes) {
    const std::size_t elements = shape.local ? nest::mentionsOf(codelet.body, name) // its size is another one then
                                             : nest::valueMentionsOf(codelet.body, name);
    std::size_t seen = 0; // of those, in places that are known
    walk(codelet.body, [&, &shape = shape](const Subscript &s) { seen += shape.places.count(&s); });
    if (shape.places.empty() || elements != seen) others.insert(name);
  }
  for (const std::string &name : others) shapes.erase(name);
  return shapes;
}

/// How many of the first dimension are named, of 64 signed bits; null where that cannot be said.
const Expr *rowsOf(const nest::Nest &nest, const std::string &container, Arena &arena) {
  const std::vector<unsigned> loops = nest.allLoops();
  const auto rows = nest.isl.limited([&]() -> std::optional<isl::pw_aff> {
    isl::pw_aff last;
    for (const nest::Statement &s : nest.statements)
      for (const nest::Access &a : s.accesses) {
        if (nest.variables[a.variable].name != container || !a.delinearized) continue;
        const isl::set elements = nest.without(a.delinearized->elements, loops);
        if (elements.is_empty()) continue;
        if (isl_set_dim_has_upper_bound(elements.get(), isl_dim_set, 0) != isl_bool_true) return std::nullopt;
        isl_pw_aff *most = isl_set_dim_max(elements.copy(), 0);
        last = isl::manage(last.is_null() ? most : isl_pw_aff_union_max(last.release(), most));
      }
    if (last.is_null()) return std::nullopt;
    return last.gist_params(nest.without(nest.assumed, loops)).coalesce().add_constant(1);
  });
  return rows && *rows ? nest::written(nest, **rows, arena) : nullptr;
}

} // namespace

std::optional<Shapes> withShapes(const Module &module, const Spectrum &spectrum, const Codelet &codelet,
                                 const std::string &name, Names &names, Arena &arena) {
  if (!hasProducts(codelet)) return {};
  const std::unique_ptr<nest::Nest> nest = nest::read(module, codelet, nest::Places::All);
  std::map<std::string, Shape> shapes = nest ? shapesOf(*nest, codelet) : std::map<std::string, Shape>();
  const std::optional<Exprs> assumed = shapes.empty() ? std::nullopt : nest::conditions(*nest, arena);
  const bool ofParameters = std::any_of(shapes.begin(), shapes.end(), [](const auto &s) { return s.second.param; });
  if (!assumed || !ofParameters) return {};

  const SourceRange where = codelet.range;
  const Build b(arena, where);
  const nest::Codelets make(arena, where);
  Names own;
  own.reserveAll(&codelet);
  const Type size = Scalar::U64;
  const Expr *none = nullptr;
  const Tunable *noTunable = nullptr;
  std::vector<const Param *> params;
  Exprs arguments, conditions = *assumed;
  const auto ask = [&](const Expr *condition) {
    if (std::none_of(conditions.begin(), conditions.end(), [&](const Expr *c) { return equal(c, condition); }))
      conditions.push_back(condition);
  };
  const auto given = [&](const Expr *e) -> const Expr * {
    OverParameters over(arena, codelet);
    const Expr *result = e ? as<Expr>(over.mutate(e)) : nullptr;
    return over.possible ? result : nullptr;
  };
  for (auto &[container, shape] : shapes) {
    const Expr *row = nullptr, *all = shape.param ? arena.make<Size>(where, size, make.use(shape.param), none)
                                                  : given(shape.local->extents[0]);
    if (!all) return {};
    for (const Expr *written : shape.extents) {
      const Expr *extent = given(written);
      if (!extent) return {};
      if (!literal(withoutCasts(extent))) ask(b.binary(BinaryOp::Gt, extent, b.integer(extent->type, 0)));
      shape.sizes.push_back(b.cast(size, extent));
      row = row ? b.mul(row, shape.sizes.back()) : shape.sizes.back();
    }
    const Expr *room = b.div(b.cast(size, all), row), *rows = given(rowsOf(*nest, container, arena));
    if (rows) {
      ask(b.binary(BinaryOp::Ge, rows, b.integer(rows->type, 0)));
      ask(b.binary(BinaryOp::Le, b.cast(size, rows), room));
    } else {
      ask(b.equal(b.rem(b.cast(size, all), row), b.u64(0)));
    }
    shape.sizes.insert(shape.sizes.begin(), rows ? b.cast(size, rows) : room);
  }
  std::vector<const Stmt *> body;
  for (const Param *p : codelet.params) {
    const auto found = shapes.find(p->name);
    if (found == shapes.end()) {
      params.push_back(p);
      arguments.push_back(make.use(p));
      continue;
    }
    const Shape &shape = found->second;
    const std::string shaped = own.fresh(p->name + "_shaped");
    body.push_back(arena.make<Declare>(where, shaped, shape.type(), false, p->access == Access::In, shape.sizes,
                                       noTunable, make.use(p)));
    arguments.push_back(b.var(shaped, shape.type()));
    params.push_back(arena.derive(p, [&](Param &copy) { copy.type = shape.type(); }));
  }
  const Block *loops = as<Block>(Shaping(shapes, arena).mutate(codelet.body));
  Shapes result;
  const Codelet *inner = arena.derive(&codelet, [&](Codelet &c) {
    c.name = c.tag = "loops";
    c.from.clear();
    c.params = params;
    c.conditions.clear();
    c.body = b.block(nest::copied(loops->stmts, arena)); // nothing of it is the nest's own
  });
  result.shaped = make.spectrum(names.fresh(spectrum.name + "_" + name), spectrum.result, params, {inner});
  const Expr *call = make.call(result.shaped->name, spectrum.result, std::move(arguments));
  if (spectrum.result.isVoid())
    body.push_back(make.run(call));
  else
    body.push_back(arena.make<Return>(where, call));
  result.codelet = arena.derive(&codelet, [&](Codelet &c) {
    c.name = c.tag = name;
    c.body = b.block(std::move(body));
    c.conditions.insert(c.conditions.end(), conditions.begin(), conditions.end());
  });
  return result;
}

} // namespace tangram::divide
