#include "OwnCopies.h"
#include "Accumulations.h"
#include "LoopParts.h"
#include "Reductions.h"
#include "ReplacedLoops.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"

namespace tangram::divide {

using namespace ast;
using Stmts = std::vector<const Stmt *>;
using Exprs = std::vector<const Expr *>;

namespace {

constexpr std::int64_t kParts = 8; // that memory is asked for

class OwnCopies final : public ReplacedLoops {
public:
  OwnCopies(const nest::Nest &nest, bool reorder, Arena &arena) : ReplacedLoops(arena), nest_(nest) {
    names_.reserveAll(nest.codelet);
    for (const Accumulation &a : accumulations(nest, reorder, arena))
      if (a.outermost) prepare(a);
  }
  bool any() const { return !made.empty(); }
  /// Elements of one copy of each container.
  const Exprs &sizes() const { return sizes_; }

private:
  struct Copy {
    const VarRef *container = nullptr;
    const Expr *own = nullptr;
    nest::ReductionOp op = nest::ReductionOp::Add;
    Exprs extents;
  };

  void prepare(const Accumulation &a) {
    const For *loop = nest_.loops[a.loop].node;
    std::string why;
    const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, a.loop, arena(), why);
    if (!range || range->step < 1) return;
    const Build build(arena(), loop->range);
    Exprs sizes;
    for (const auto &[name, op] : a.containers) {
      const Param *param = nullptr;
      for (const Param *p : nest_.codelet->params)
        if (p->name == name) param = p;
      if (!param || !neutral(build, op, param->type.element())) return copies_.clear();
      const auto *container = as<VarRef>(build.var(name, param->type));
      Copy copy{container,
                build.var(names_.fresh(name + "_own"), Type::array(param->type.rank() + 1, param->type.element())),
                op,
                {}};
      const Expr *none = nullptr;
      for (unsigned d = 0; d < param->type.rank(); ++d)
        copy.extents.push_back(arena().make<Size>(loop->range, kSize, container,
                                                  param->type.rank() > 1 ? build.integer(Scalar::U32, d) : none));
      sizes.push_back(arena().make<Size>(loop->range, kSize, container, none));
      copies_[name] = std::move(copy);
    }
    sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
    made[loop] = inParts(build, *loop, *range);
    copies_.clear(); // others touch the container itself
  }

  Stmts inParts(const Build &build, const For &loop, const nest::LoopRange &range) {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    LoopParts parts(range, false, {}, nullptr, names_, arena());
    Stmts stmts = parts.declarations();
    for (const auto &[name, copy] : copies_) {
      Exprs extents{parts.count()};
      extents.insert(extents.end(), copy.extents.begin(), copy.extents.end());
      stmts.push_back(arena().make<Declare>(loop.range, as<VarRef>(copy.own)->name, copy.own->type, false, false,
                                            std::move(extents), noTunable, none));
    }

    part_ = build.var(names_.fresh("part"), kSize);
    Stmts fill, body;
    for (const auto &[name, copy] : copies_)
      fill.push_back(overElements(build, names_, copy.extents, [&](const Exprs &at) {
        const Type type = copy.own->type.element();
        return Stmts{build.assign(own(build, copy, part_, at), neutral(build, copy.op, type))};
      }));
    for (const Stmt *s : loop.body->stmts) body.push_back(as<Stmt>(mutate(s)));
    stmts.push_back(parts.loop(part_, std::move(fill), body));

    for (const auto &[name, copy] : copies_)
      stmts.push_back(overElements(build, names_, copy.extents, [&](const Exprs &at) {
        const Type type = copy.own->type.element();
        const Expr *element = build.element(copy.container, at, type), *all = build.var(names_.fresh("all"), type);
        const Expr *of = build.var(names_.fresh("part"), kSize);
        return Stmts{build.declare(as<VarRef>(all)->name, type, element, false),
                     counted(build, of, build.u64(0), parts.count(),
                             {build.assign(all, combined(build, copy.op, all, own(build, copy, of, at)))}),
                     build.assign(element, all)};
      }));
    return stmts;
  }

  const Expr *own(const Build &build, const Copy &copy, const Expr *part, const Exprs &at) const {
    Exprs indices{part};
    indices.insert(indices.end(), at.begin(), at.end());
    return build.element(copy.own, std::move(indices), copy.own->type.element());
  }

  const Node *mutateSubscript(const Subscript *s) override {
    const auto *inner = as<Subscript>(Mutator::mutateSubscript(s));
    const auto *base = dyn<VarRef>(s->base);
    const auto copy = base ? copies_.find(base->name) : copies_.end();
    if (copy == copies_.end()) return inner;
    return own(Build(arena(), s->range), copy->second, part_, inner->indices);
  }

  const nest::Nest &nest_;
  Names names_;
  Exprs sizes_;
  // Of the loop at hand:
  std::map<std::string, Copy> copies_; // of containers, by their names
  const Expr *part_ = nullptr;
};

} // namespace

const Codelet *withOwnCopies(const nest::Nest &nest, bool reorder, std::int64_t most, Arena &arena) {
  OwnCopies copies(nest, reorder, arena);
  if (!copies.any()) return nest.codelet;
  const auto *made = as<Codelet>(copies.mutate(nest.codelet));
  return arena.derive(made, [&](Codelet &c) {
    for (const Expr *size : copies.sizes()) {
      const Build build(arena, size->range);
      c.conditions.push_back(build.binary(BinaryOp::Le, size, build.integer(kSize, most / kParts)));
    }
  });
}

} // namespace tangram::divide
