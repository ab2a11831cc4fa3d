#include "Expensive.h"
#include "InvariantDivisors.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tangram::invariant {

using namespace ast;

namespace {

bool isCheap(const std::string &callee) {
  // An instruction or two each.
  constexpr std::array<std::string_view, 13> kCheap{"ceil",  "copysign", "fabs",     "fma",  "fmax",  "fmin", "floor",
                                                    "isinf", "isnan",    "isfinite", "rint", "round", "trunc"};
  std::string_view name = callee;
  if (name.ends_with('f') && std::find(kCheap.begin(), kCheap.end(), name) == kCheap.end()) name.remove_suffix(1);
  return std::find(kCheap.begin(), kCheap.end(), name) != kCheap.end();
}

bool isExpensive(const Expr *e) {
  return any<Expr>(e, [](const Expr &part) {
    if (const auto *call = dyn<Call>(&part)) return !isCheap(call->callee);
    const auto *binary = dyn<Binary>(&part);
    return binary && binary->op == BinaryOp::Div && binary->type.element().isFloating();
  });
}

class Without final : public Mutator {
public:
  Without(Arena &arena, Names &names, const std::function<bool(const Expr *)> &invariant, bool reciprocals,
          std::vector<const Stmt *> &moved)
      : Mutator(arena), names_(names), invariant_(invariant), moved_(moved), divisors_(arena, names, moved),
        reciprocals_(reciprocals) {}

private:
  const Node *mutateBinary(const Binary *e) override {
    const bool quotient = reciprocals_ && e->op == BinaryOp::Div && InvariantDivisors::divides(e->type);
    if (!quotient || !invariant_(e->rhs) || invariant_(e)) return kept(e);
    return divisors_.product(as<Binary>(rebuild(e)));
  }
  const Node *mutateCall(const Call *e) override { return kept(e); }
  const Node *mutateCast(const Cast *e) override { return kept(e); }
  const Node *mutateConditional(const Conditional *e) override { return kept(e); }
  const Node *mutateUnary(const Unary *e) override { return kept(e); }
  const Node *mutateVectorSelect(const VectorSelect *e) override { return kept(e); }
  const Node *mutateBroadcast(const Broadcast *e) override { return kept(e); }

  template <class T> const Node *kept(const T *e) {
    if (!isExpensive(e) || !invariant_(e)) return rebuild(e);
    Build b(arena(), e->range);
    const auto same = std::find_if(made_.begin(), made_.end(), [&](const Declare *d) { return equal(d->init, e); });
    if (same != made_.end()) return b.var((*same)->name, e->type);
    const auto *declared = as<Declare>(b.declare(names_.fresh("invariant"), e->type, e));
    made_.push_back(declared);
    moved_.push_back(declared);
    return b.var(declared->name, e->type);
  }

  Names &names_;
  const std::function<bool(const Expr *)> &invariant_;
  std::vector<const Stmt *> &moved_;
  std::vector<const Declare *> made_;
  InvariantDivisors divisors_;
  bool reciprocals_;
};

} // namespace

const Block *withoutExpensive(Arena &arena, Names &names, const Block *body,
                              const std::function<bool(const Expr *)> &invariant, bool reciprocals,
                              std::vector<const Stmt *> &moved) {
  return as<Block>(Without(arena, names, invariant, reciprocals, moved).mutate(body));
}

} // namespace tangram::invariant
