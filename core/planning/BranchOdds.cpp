#include "BranchOdds.h"

#include "Branches.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <cmath>

namespace tangram {

using namespace ast;

std::optional<double> BranchOdds::partAmongLeast(const If &branch) const {
  const std::string *value = runningExtreme(branch);
  if (!value) return {};
  auto isChanged = [&](const Block *block) {
    std::size_t count = 0;
    walk(block, [&](const Assign &a) {
      const std::string *target = containerOf(a.target);
      count += target && *target == *value;
    });
    return count;
  };
  const std::size_t own = isChanged(branch.then);
  double times = 1;
  for (auto loop = loops_.all().rbegin(); loop != loops_.all().rend(); ++loop) {
    const bool begins = any<Declare>(loop->body, [&](const Declare &d) { return d.name == *value; });
    if (begins || isChanged(loop->body) != own) break;
    times *= std::max(1.0, loop->turns);
  }
  const AccessWork *array = containers_.find(value);
  const double kept = array ? std::max(1.0, array->elements) : 1;
  return times > 1 ? std::optional(timesAmongLeast(kept, times) / times) : std::nullopt;
}

bool BranchOdds::isDecidedByData(const Expr *cond) const {
  return containers_.isData(cond) || any<VarRef>(cond, [](const VarRef &v) { return v.type.isFloating(); });
}

std::optional<double> BranchOdds::holds(const Expr *e) {
  constexpr double kAlike = 4, kEqual = 0.125;
  e = withoutCasts(e);
  const std::optional<double> known = numbers_(e);
  if (!indices_.followsNumber(e)) return known ? std::optional(*known != 0 ? 1.0 : 0.0) : std::nullopt;
  if (const auto *n = dyn<Unary>(e); n && n->op == UnaryOp::Not) {
    const std::optional<double> inner = holds(n->operand);
    return inner ? std::optional(1 - *inner) : std::nullopt;
  }
  const auto *n = dyn<Binary>(e);
  if (!known || !n) return {};
  if (n->op == BinaryOp::LogicalAnd || n->op == BinaryOp::LogicalOr) {
    const std::optional<double> left = holds(n->lhs), right = holds(n->rhs);
    if (!left || !right) return {};
    return n->op == BinaryOp::LogicalAnd ? *left * *right : 1 - (1 - *left) * (1 - *right);
  }
  const std::optional<double> left = numbers_(n->lhs), right = numbers_(n->rhs);
  const bool same = n->op == BinaryOp::Eq || n->op == BinaryOp::Ne;
  if (!left || !right ||
      !(same || n->op == BinaryOp::Lt || n->op == BinaryOp::Le || n->op == BinaryOp::Gt || n->op == BinaryOp::Ge))
    return *known != 0 ? 1 : 0;
  const bool alike = std::abs(*left - *right) * kAlike <= std::max(std::abs(*left), std::abs(*right));
  if (!alike) return *known != 0 ? 1 : 0;
  return !same ? 0.5 : n->op == BinaryOp::Eq ? kEqual : 1 - kEqual;
}

std::optional<bool> BranchOdds::mostlyHolds(const Expr *e) const {
  e = withoutCasts(e);
  if (const auto *n = dyn<Unary>(e); n && n->op == UnaryOp::Not) {
    const std::optional<bool> inner = mostlyHolds(n->operand);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  const auto *n = dyn<Binary>(e);
  if (!n) return {};
  if (n->op == BinaryOp::LogicalAnd || n->op == BinaryOp::LogicalOr) {
    const std::optional<bool> left = mostlyHolds(n->lhs), right = mostlyHolds(n->rhs);
    if (!left || !right) return {};
    return n->op == BinaryOp::LogicalAnd ? *left && *right : *left || *right;
  }
  if (n->op == BinaryOp::Eq) return isLeft(n->lhs, n->rhs) ? std::optional(true) : std::nullopt;
  const bool less = n->op == BinaryOp::Lt || n->op == BinaryOp::Le;
  if (!less && n->op != BinaryOp::Gt && n->op != BinaryOp::Ge) return {};
  const Expr *lower = less ? n->lhs : n->rhs, *upper = less ? n->rhs : n->lhs;
  if (isLiteral(withoutCasts(upper), 0)) return false;
  if (isLiteral(withoutCasts(lower), 0)) return true;
  const bool ofLower = isEnd(lower), ofUpper = isEnd(upper);
  return ofLower != ofUpper ? std::optional(ofUpper) : std::nullopt;
}

bool BranchOdds::isEnd(const Expr *e) const {
  e = numbers_.resolved(e);
  const auto *n = dyn<Binary>(e);
  return isa<Size>(e) || (n && n->op == BinaryOp::Sub && isEnd(n->lhs));
}

bool BranchOdds::isLeft(const Expr *e, const Expr *most) const {
  const auto *choice = dyn<Conditional>(numbers_.resolved(e));
  return choice && (equal(withoutCasts(choice->otherwise), withoutCasts(most)) ||
                    equal(withoutCasts(choice->then), withoutCasts(most)));
}

} // namespace tangram
