#include "tangram/loops/ConstantTrips.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <vector>

namespace tangram::loops {

using namespace ast;

namespace {

constexpr Int kMostTrips = 256;
constexpr Int kMostFactor = Int{1} << 31; // beyond it nothing is told

/// A sum of terms with coefficients, and a number.
class Linear {
public:
  void add(const Expr *e, Int times) {
    if (std::abs(times) > kMostFactor) known_ = false;
    if (!known_) return;
    if (const std::optional<Int> value = literal(e)) {
      if (std::abs(*value) > kMostFactor) known_ = false;
      number_ += known_ ? *value * times : 0;
      return;
    }
    if (const auto *unary = dyn<Unary>(e); unary && unary->op == UnaryOp::Minus) return add(unary->operand, -times);
    if (const auto *binary = dyn<Binary>(e); binary && binary->type.isSigned()) {
      if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) {
        add(binary->lhs, times);
        return add(binary->rhs, binary->op == BinaryOp::Add ? times : -times);
      }
      const std::optional<Int> left = literal(binary->lhs), right = literal(binary->rhs);
      if (binary->op == BinaryOp::Mul && (left || right)) {
        const Int by = left ? *left : *right;
        if (std::abs(by) <= kMostFactor) return add(left ? binary->rhs : binary->lhs, times * by);
      }
    }
    auto same = std::find_if(terms_.begin(), terms_.end(), [&](const auto &term) { return equal(term.first, e); });
    if (same == terms_.end()) same = terms_.insert(terms_.end(), {e, 0});
    same->second += times;
  }

  /// Where no term is left.
  std::optional<Int> number() const {
    const bool alone =
        known_ && std::all_of(terms_.begin(), terms_.end(), [](const auto &term) { return term.second == 0; });
    return alone ? std::optional(number_) : std::nullopt;
  }

private:
  std::vector<std::pair<const Expr *, Int>> terms_;
  Int number_ = 0;
  bool known_ = true;
};

/// a - b, where it is the same number whatever their variables are. Both are signed.
std::optional<Int> difference(const Expr *a, const Expr *b) {
  if (!a->type.isSigned() || !(a->type == b->type)) return {};
  Linear sum;
  sum.add(a, 1);
  sum.add(b, -1);
  return sum.number();
}

/// Made of numbers and of variables that none of `changed` is.
bool isUnchangedSum(const Expr *e, const std::set<std::string> &changed) {
  return !any<Expr>(e, [&](const Expr &part) {
    if (const auto *v = dyn<VarRef>(&part)) return changed.count(v->name) != 0;
    const auto *unary = dyn<Unary>(&part);
    return !isa<IntLit>(&part) && !isa<Binary>(&part) && !isa<Cast>(&part) && !(unary && unary->op == UnaryOp::Minus);
  });
}

} // namespace

std::optional<Int> constantTrips(const For *loop) {
  const auto *counter = dyn<Declare>(loop->init);
  const auto *cond = dyn<Binary>(loop->cond);
  const auto *step = dyn<Unary>(loop->step);
  auto isCounter = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == counter->name; };
  if (!counter || !counter->init || !counter->extents.empty() || !cond || !step) return {};
  if (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le) return {};
  if (!isCounter(cond->lhs) || !isCounter(step->operand)) return {};
  if (step->op != UnaryOp::PreInc && step->op != UnaryOp::PostInc) return {};
  std::set<std::string> changed = assignedVariables(loop->body);
  if (changed.count(counter->name) || !isUnchangedSum(counter->init, changed)) return {};
  changed.insert(counter->name);
  if (!isUnchangedSum(cond->rhs, changed)) return {};
  const std::optional<Int> distance = difference(cond->rhs, counter->init);
  const Int trips = distance.value_or(0) + (cond->op == BinaryOp::Le ? 1 : 0);
  return distance && trips >= 1 && trips <= kMostTrips ? std::optional(trips) : std::nullopt;
}

} // namespace tangram::loops
