#include "Copies.h"

#include "Captures.h"
#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::DependenceKind;
using nest::Item;

namespace {

/// Elements that all of an access touches in an iteration of a loop: { [iteration] -> element }.
isl::map inIterationsOf(const nest::Nest &nest, const nest::Access &access, unsigned loop) {
  std::vector<unsigned> inner = nest.inner(nest.statements[access.statement], loop);
  inner.erase(inner.begin());
  return nest.relation(nest.without(access.elements.intersect_params(nest.assumed), inner), {loop});
}

/// Reads of what later iterations of the loop write, by the variables that they read; nothing where an iteration has to
/// wait for anything else.
std::map<unsigned, std::set<const Subscript *>> readBefore(const nest::Nest &nest, unsigned loop) {
  const nest::Dependences dependences(nest);
  const std::vector<unsigned> own = dependences.carried(loop).privatizable;
  std::map<unsigned, std::set<const Subscript *>> result;
  for (const nest::Dependence &d : dependences.all(loop)) {
    const unsigned variable = d.first->variable;
    if (std::find(own.begin(), own.end(), variable) != own.end()) continue;
    const nest::Variable &v = nest.variables[variable];
    const auto *element = dyn<Subscript>(d.first->node);
    if (d.kind != DependenceKind::Anti || !d.certain || !v.given || !v.container || !element ||
        !element->type.isScalar() || !isa<VarRef>(element->base))
      return {};
    // What it reads, no iteration has written itself: else it might be that.
    for (const unsigned s : nest.statementsOf(loop))
      for (const nest::Access &a : nest.statements[s].accesses) {
        if (a.variable != variable || a.kind == nest::AccessKind::Read) continue;
        const auto apart = nest.isl.limited(
            [&] { return inIterationsOf(nest, a, loop).intersect(inIterationsOf(nest, *d.first, loop)).is_empty(); });
        if (!apart || !*apart) return {};
      }
    result[variable].insert(element);
  }
  return result;
}

class Copying : public Mutator {
public:
  Copying(const nest::Nest &nest, const Codelet &codelet, Arena &arena) : Mutator(arena) {
    names_.reserveAll(&codelet);
    for (const Item &item : nest.items)
      if (item.kind == Item::Kind::Loop)
        if (auto reads = readBefore(nest, item.index); !reads.empty()) copy(nest.loops[item.index].node, reads);
  }

  bool any() const { return !before_.empty(); }

private:
  void copy(const For *loop, const std::map<unsigned, std::set<const Subscript *>> &reads) {
    const Build build(arena(), loop->range);
    for (const auto &[variable, elements] : reads) {
      const VarRef *of = as<VarRef>((*elements.begin())->base);
      const Expr *const none = nullptr;
      const Tunable *noTunable = nullptr;
      const std::string name = names_.fresh(of->name + "_before");
      std::vector<const Expr *> extents, indices;
      for (std::size_t d = 0; d < of->type.rank(); ++d) {
        const Expr *dimension = of->type.rank() > 1 ? build.integer(Scalar::U32, static_cast<Int>(d)) : none;
        extents.push_back(arena().make<Size>(loop->range, kSize, of, dimension));
        indices.push_back(build.var(names_.fresh("at"), kSize));
      }
      const Expr *copied = build.var(name, of->type);
      const Type &type = of->type.element();
      const Stmt *fill = build.assign(build.element(copied, indices, type), build.element(of, indices, type));
      for (std::size_t d = indices.size(); d-- > 0;)
        fill = arena().make<For>(loop->range, build.declare(as<VarRef>(indices[d])->name, kSize, build.u64(0), false),
                                 build.less(indices[d], extents[d]),
                                 arena().make<Unary>(loop->range, kSize, UnaryOp::PreInc, indices[d]),
                                 build.block({fill}));
      before_[loop].push_back(
          arena().make<Declare>(loop->range, name, of->type, false, false, std::move(extents), noTunable, none));
      before_[loop].push_back(fill);
      for (const Subscript *element : elements) copies_[element] = copied;
    }
  }

  const Node *mutateSubscript(const Subscript *s) override {
    const auto *inner = as<Subscript>(Mutator::mutateSubscript(s));
    const auto copied = copies_.find(s);
    if (copied == copies_.end()) return inner;
    return arena().derive(inner, [&](Subscript &other) { other.base = copied->second; });
  }

  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      if (const auto before = before_.find(dyn<For>(s)); before != before_.end())
        stmts.insert(stmts.end(), before->second.begin(), before->second.end());
      stmts.push_back(as<Stmt>(mutate(s)));
    }
    if (stmts == block->stmts) return block;
    return arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  Names names_;
  std::map<const For *, std::vector<const Stmt *>> before_; // what stands in front of loops
  std::map<const Subscript *, const Expr *> copies_;        // that reads are of
};

} // namespace

const Codelet *withCopies(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return &codelet;
  Copying copying(*nest, codelet, arena);
  return copying.any() ? as<Codelet>(copying.mutate(&codelet)) : &codelet;
}

} // namespace tangram::divide
