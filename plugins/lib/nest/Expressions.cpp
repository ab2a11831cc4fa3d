#include "Expressions.h"

#include <fmt/format.h>

namespace tangram::nest {

using namespace ast;

namespace {
constexpr long kLargest = 1L << 40; // products with sizes stay within 64 bits far below
} // namespace

/// Rounded towards minus infinity; b is a positive number.
const Expr *Expressions::floored(const Expr *a, const Expr *b) const {
  if (std::optional<Int> n = literal(a); n && *n >= 0) return build_.div(a, b);
  const Expr *zero = build_.integer(kInteger, 0), *one = build_.integer(kInteger, 1);
  // a < 0: (a + 1) / b - 1
  return build_.select(build_.less(a, zero), build_.sub(build_.div(build_.add(a, one), b), one), build_.div(a, b));
}

const Expr *Expressions::negated(const Expr *e) const {
  const auto *b = dyn<Binary>(e);
  if (b && b->op == BinaryOp::Sub) return build_.sub(b->rhs, b->lhs);
  if (b && b->op == BinaryOp::Add) return build_.sub(negated(b->lhs), b->rhs);
  return build_.sub(build_.integer(kInteger, 0), e);
}

const Expr *Expressions::operation(const isl::ast_expr_op &e) const {
  isl_ast_expr_op_type type = isl_ast_expr_op_get_type(e.get());
  auto at = [&](int i) { return integer(e.arg(i)); };
  auto fold = [&](auto &&combine) {
    const Expr *result = at(0);
    for (int i = 1; i < static_cast<int>(e.n_arg()); ++i) result = combine(result, at(i));
    return result;
  };
  switch (type) {
  case isl_ast_expr_op_max: return fold([&](const Expr *a, const Expr *b) { return build_.max(a, b); });
  case isl_ast_expr_op_min: return fold([&](const Expr *a, const Expr *b) { return build_.min(a, b); });
  case isl_ast_expr_op_minus: return negated(at(0));
  case isl_ast_expr_op_add: return build_.add(at(0), at(1));
  case isl_ast_expr_op_sub: return build_.sub(at(0), at(1));
  case isl_ast_expr_op_mul: return build_.mul(at(0), at(1));
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_pdiv_q: return build_.div(at(0), at(1));
  case isl_ast_expr_op_fdiv_q: return floored(at(0), at(1));
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r: return build_.rem(at(0), at(1));
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select: return build_.select(condition(e.arg(0)), at(1), at(2));
  default: return build_.cast(kInteger, condition(e));
  }
}

const Expr *Expressions::integer(const isl::ast_expr &e) const {
  if (e.isa<isl::ast_expr_int>()) {
    isl::val v = e.as<isl::ast_expr_int>().val();
    if (v.abs().gt(kLargest)) throw NotWritten{"a bound has a number that is too large"};
    return build_.integer(kInteger, v.num_si());
  }
  if (e.isa<isl::ast_expr_id>()) {
    std::string id = e.as<isl::ast_expr_id>().id().name();
    if (auto it = variables_.find(id); it != variables_.end()) {
      const auto &[variable, negative] = it->second;
      const Expr *value = build_.var(variable, kInteger);
      return negative ? negated(value) : value;
    }
    for (const Parameter &p : nest_.parameters)
      if (p.id == id) {
        used_.insert(id);
        return build_.cast(kInteger, p.expr);
      }
    throw NotWritten{fmt::format("'{}' is not known there", id)};
  }
  return operation(e.as<isl::ast_expr_op>());
}

const Expr *Expressions::condition(const isl::ast_expr &e) const {
  if (!e.isa<isl::ast_expr_op>()) return build_.binary(BinaryOp::Ne, integer(e), build_.integer(kInteger, 0));
  isl::ast_expr_op op = e.as<isl::ast_expr_op>();
  auto compare = [&](BinaryOp how) { return build_.binary(how, integer(op.arg(0)), integer(op.arg(1))); };
  auto both = [&](BinaryOp how) { return build_.binary(how, condition(op.arg(0)), condition(op.arg(1))); };
  switch (isl_ast_expr_op_get_type(op.get())) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then: return both(BinaryOp::LogicalAnd);
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else: return both(BinaryOp::LogicalOr);
  case isl_ast_expr_op_eq: return compare(BinaryOp::Eq);
  case isl_ast_expr_op_le: return compare(BinaryOp::Le);
  case isl_ast_expr_op_lt: return compare(BinaryOp::Lt);
  case isl_ast_expr_op_ge: return compare(BinaryOp::Ge);
  case isl_ast_expr_op_gt: return compare(BinaryOp::Gt);
  case isl_ast_expr_op_call:
  case isl_ast_expr_op_access:
  case isl_ast_expr_op_member:
  case isl_ast_expr_op_address_of:
  case isl_ast_expr_op_error: throw NotWritten{"isl made an expression that the AST has not"};
  default: return build_.binary(BinaryOp::Ne, operation(op), build_.integer(kInteger, 0));
  }
}

} // namespace tangram::nest
