#include "Linear.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"

#include <algorithm>
#include <vector>

namespace tangram::loop_normalization {

using namespace ast;

namespace {

constexpr Int kMostCoefficient = Int{1} << 31; // beyond it nothing is told

/// A sum of terms with coefficients, and a number.
class Linear {
public:
  void add(const Expr *e, Int times) {
    if (std::abs(times) > kMostCoefficient) known_ = false;
    if (!known_) return;
    if (const std::optional<Int> value = literal(e)) {
      if (std::abs(*value) > kMostCoefficient) known_ = false;
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
        if (std::abs(by) <= kMostCoefficient) return add(left ? binary->rhs : binary->lhs, times * by);
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

} // namespace

std::optional<Int> difference(const Expr *a, const Expr *b) {
  if (!a->type.isSigned() || !(a->type == b->type)) return {};
  Linear sum;
  sum.add(a, 1);
  sum.add(b, -1);
  return sum.number();
}

} // namespace tangram::loop_normalization
