#include "Gathers.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::invariant {

using namespace ast;

namespace {

/// Puts variables for loads.
class Replacement final : public Mutator {
public:
  using Loads = std::vector<std::pair<const VectorLoad *, const Expr *>>;
  Replacement(Arena &arena, const Loads &loads) : Mutator(arena), loads_(loads) {}

private:
  const Node *mutateVectorLoad(const VectorLoad *load) override {
    for (const auto &[known, variable] : loads_)
      if (equal(known, load)) return variable;
    return rebuild(load);
  }
  const Loads &loads_;
};

/// Calls `found` for loads that each execution of the statements comes to; false where what follows may not be.
template <class F> bool unconditional(const Block *block, F &&found) {
  auto loads = [&](const Expr *e) {
    walk(
        e, [&](const VectorLoad &load) { found(load); }, [](const Conditional &) { return WalkResult::Skip; },
        [](const Binary &b) {
          const bool choosing = b.op == BinaryOp::LogicalAnd || b.op == BinaryOp::LogicalOr;
          return choosing ? WalkResult::Skip : WalkResult::Advance;
        });
  };
  for (const Stmt *s : block->stmts) {
    if (const auto *nested = dyn<Block>(s)) {
      if (!unconditional(nested, found)) return false;
    } else if (const auto *d = dyn<Declare>(s)) {
      loads(d->init);
    } else if (const auto *e = dyn<Evaluate>(s)) {
      loads(e->expr);
    } else if (const auto *store = dyn<VectorStore>(s)) {
      loads(store->value);
    }
    if (jumpsOut(s)) return false;
  }
  return true;
}

} // namespace

Gathers::Gathers(Arena &arena, const Kernel &kernel) : arena_(arena) {
  names_.reserveAll(&kernel);
  for (const Param *p : kernel.params) given_.insert(p->name);
  walk(kernel.body, [&](const Declare &d) {
    if (!d.extents.empty()) arrays_.insert(d.name);
  });
}

bool Gathers::stores(const Block *body) const {
  auto elsewhere = [&](const Expr *place) {
    const VarRef *root = rootVariable(place);
    return !root || (!isa<VarRef>(place) && !arrays_.count(root->name));
  };
  bool found = contains<Atomic>(body) || contains<Sync>(body) || contains<Report>(body) || contains<Return>(body);
  walk(
      body, [&](const Assign &a) { found |= elsewhere(a.target); },
      [&](const Unary &u) {
        const bool counts = changesOperand(u.op) || u.op == UnaryOp::AddressOf;
        found |= counts && elsewhere(u.operand);
      },
      [&](const VectorStore &s) {
        const auto *base = dyn<VarRef>(s.base);
        found |= !base || !arrays_.count(base->name);
      },
      [&](const Call &c) {
        found |= std::any_of(c.args.begin(), c.args.end(),
                             [](const Expr *arg) { return arg->type.isPointer() || arg->type.isArray(); });
      });
  return found;
}

const Block *Gathers::without(const Block *body, const Expr *turns, const std::set<std::string> &varying,
                              std::vector<const Stmt *> &moved) {
  auto same = [&](const Expr *e) {
    return !e || (speculable(e) && !any<VarRef>(e, [&](const VarRef &v) { return varying.count(v.name) != 0; }));
  };
  if (!turns || !same(turns) || stores(body)) return body;
  Replacement::Loads loads;
  unconditional(body, [&](const VectorLoad &load) {
    const auto *base = dyn<VarRef>(load.base);
    const bool left = load.mask || load.index->type.isVector();
    if (!left || !base || !given_.count(base->name) || !same(load.index) || !same(load.mask)) return;
    if (std::any_of(loads.begin(), loads.end(), [&](const auto &known) { return equal(known.first, &load); })) return;
    const Build build(arena_, load.range);
    const Type lanes = Type::vector(Scalar::Bool, load.type.lanes());
    const Expr *mask = arena_.make<Broadcast>(load.range, lanes, turns);
    if (load.mask) mask = arena_.make<Binary>(load.range, lanes, BinaryOp::And, load.mask, mask);
    const std::string name = names_.fresh(base->name + "_at_hand");
    moved.push_back(build.declare(name, load.type, arena_.derive(&load, [&](VectorLoad &copy) { copy.mask = mask; })));
    loads.emplace_back(&load, build.var(name, load.type));
  });
  return loads.empty() ? body : Replacement(arena_, loads)(body);
}

} // namespace tangram::invariant
