#include "tangram/c-family/SizeLimits.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace tangram::c_family {

using namespace ast;

namespace {

class Sizes {
public:
  Sizes(const Kernel &kernel, const std::set<std::string> &sizes, Arena &arena)
      : kernel_(kernel), sizes_(sizes), known_(kernel), build_(arena) {
    for (const std::string &size : sizes) of_[size] = {size};
    for (bool changed = true; changed;) {
      changed = false;
      auto flow = [&](const std::string &to, const Expr *from) {
        if (!from) return;
        std::set<std::string> more = sizesIn(from);
        std::size_t before = of_[to].size();
        of_[to].insert(more.begin(), more.end());
        changed |= of_[to].size() != before;
      };
      walk(
          kernel.body, [&](const Declare &d) { flow(d.name, d.init); },
          [&](const Assign &a) {
            if (const auto *v = dyn<VarRef>(a.target)) flow(v->name, a.value);
          },
          [&](const Launch &launch) {
            for (std::size_t i = 0; i < launch.params.size() && i < launch.args.size(); ++i)
              flow(launch.params[i]->name, launch.args[i]);
          });
    }
  }

  std::vector<SizeLimit> limits() {
    std::vector<SizeLimit> result;
    auto add = [&](const Expr *value, std::uint64_t most) {
      for (SizeLimit &known : result)
        if (equal(known.value, value)) {
          known.most = std::min(known.most, most);
          return;
        }
      result.push_back({value, most});
    };
    auto of = [&](const Cast &c) {
      Type to = c.type.isVector() ? c.type.element() : c.type;
      Type from = c.operand->type.isVector() ? c.operand->type.element() : c.operand->type;
      if (!to.isInteger() || to.bytes() != 4 || !from.isInteger() || from.bytes() != 8) return;
      std::uint64_t most =
          to.isSigned() ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::uint32_t>::max();
      if (isa<VectorReduce>(c.operand) || isa<VectorLane>(c.operand)) return;
      std::set<std::string> reached = sizesIn(c.operand);
      if (reached.empty() || asked(c.operand, static_cast<double>(most))) return;
      if (const Expr *exact = overParameters(c.operand)) return add(exact, most);
      for (const std::string &size : reached) add(build_.var(size, Scalar::U64), most);
    };
    std::function<void(const Node *)> visit = [&](const Node *node) {
      walk(node, of, [&](const If &choice) {
        visit(choice.cond);
        std::size_t before = asked_.size();
        known(choice.cond);
        visit(choice.then);
        asked_.resize(before);
        if (choice.otherwise) visit(choice.otherwise);
        return WalkResult::Skip;
      });
    };
    visit(kernel_.body);
    return result;
  }

private:
  /// What a condition says of variables: f64(x) + ... <= most, where nothing is negative.
  void known(const Expr *cond) {
    const auto *b = dyn<Binary>(cond);
    if (!b) return;
    if (b->op == BinaryOp::LogicalAnd) {
      known(b->lhs);
      return known(b->rhs);
    }
    const auto *most = dyn<FloatLit>(b->rhs);
    std::vector<std::string> alone;
    if (b->op != BinaryOp::Le || !most || !isSum(b->lhs, alone)) return;
    for (const std::string &name : alone) asked_.emplace_back(name, most->value);
  }

  /// Whether it is made of unsigned variables and numbers by + and *; `alone` gets those that it is at least.
  static bool isSum(const Expr *e, std::vector<std::string> &alone) {
    if (const auto *number = dyn<FloatLit>(e)) return number->value >= 0;
    if (const auto *cast = dyn<Cast>(e)) {
      const auto *v = dyn<VarRef>(cast->operand);
      if (!v || !v->type.isInteger() || v->type.isSigned() || !(e->type == Type(Scalar::F64))) return false;
      alone.push_back(v->name);
      return true;
    }
    const auto *b = dyn<Binary>(e);
    std::vector<std::string> factors;
    if (b && b->op == BinaryOp::Mul) {
      const auto *times = dyn<FloatLit>(b->rhs);
      return isSum(b->lhs, times && times->value >= 1 ? alone : factors) && isSum(b->rhs, factors);
    }
    return b && b->op == BinaryOp::Add && isSum(b->lhs, alone) && isSum(b->rhs, alone);
  }

  /// Whether a condition around has asked that the variable is no greater.
  bool asked(const Expr *e, double most) const {
    const auto *v = dyn<VarRef>(e);
    return v && std::any_of(asked_.begin(), asked_.end(),
                            [&](const auto &entry) { return entry.first == v->name && entry.second <= most; });
  }

  /// The size parameters that bound the value of an expression.
  std::set<std::string> sizesIn(const Expr *e) const {
    std::set<std::string> result;
    auto merge = [&](const Expr *child) {
      std::set<std::string> more = sizesIn(child);
      result.insert(more.begin(), more.end());
    };
    if (!e) return result;
    switch (exprKind(*e)) {
    case ExprKind::VarRef: {
      auto it = of_.find(as<VarRef>(e)->name);
      return it == of_.end() ? result : it->second;
    }
    case ExprKind::Binary: {
      const auto *b = as<Binary>(e);
      switch (b->op) {
      case BinaryOp::Div:
      case BinaryOp::Shr: merge(b->lhs); break;
      case BinaryOp::Rem: merge(b->rhs); break;
      case BinaryOp::Add:
      case BinaryOp::Sub:
      case BinaryOp::Mul:
      case BinaryOp::Shl:
      case BinaryOp::Or:
      case BinaryOp::Xor:
        merge(b->lhs);
        merge(b->rhs);
        break;
      case BinaryOp::And:
        if (!isa<IntLit>(b->rhs) && !isa<IntLit>(b->lhs)) merge(b->lhs);
        break;
      default: break; // a comparison is 0 or 1
      }
      return result;
    }
    case ExprKind::Conditional:
      merge(as<Conditional>(e)->then);
      merge(as<Conditional>(e)->otherwise);
      return result;
    case ExprKind::VectorSelect:
      merge(as<VectorSelect>(e)->then);
      merge(as<VectorSelect>(e)->otherwise);
      return result;
    case ExprKind::Cast: merge(as<Cast>(e)->operand); return result;
    case ExprKind::Unary: merge(as<Unary>(e)->operand); return result;
    case ExprKind::Broadcast: merge(as<Broadcast>(e)->operand); return result;
    case ExprKind::VectorReduce: merge(as<VectorReduce>(e)->operand); return result;
    case ExprKind::VectorLane: merge(as<VectorLane>(e)->operand); return result;
    case ExprKind::Assign: merge(as<Assign>(e)->value); return result;
    case ExprKind::IntLit:
    case ExprKind::FloatLit:
    case ExprKind::Call:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case ExprKind::LaneIndex:
    case ExprKind::VectorLoad:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_DEVICE_EXPRS:
    case TANGRAM_CHECKED_EXPRS: break;
    }
    return result; // what memory holds is no size
  }

  /// The value in terms of size parameters, where it grows with each of them and so cannot wrap unnoticed; else null.
  const Expr *overParameters(const Expr *e) const {
    if (const auto *n = dyn<IntLit>(e)) return n->value >= 0 ? e : nullptr;
    if (const auto *v = dyn<VarRef>(e)) {
      if (sizes_.count(v->name)) return e;
      const Expr *init = known_.initialiser(v->name);
      return init ? overParameters(init) : nullptr;
    }
    if (const auto *c = dyn<Cast>(e)) {
      if (!e->type.isInteger() || !c->operand->type.isInteger()) return nullptr;
      const Expr *operand = overParameters(c->operand);
      return operand ? build_.cast(Scalar::U64, operand) : nullptr;
    }
    const auto *b = dyn<Binary>(e);
    if (!b || (b->op != BinaryOp::Add && b->op != BinaryOp::Mul)) return nullptr;
    const Expr *lhs = overParameters(b->lhs), *rhs = overParameters(b->rhs);
    if (!lhs || !rhs) return nullptr;
    return build_.binary(b->op, build_.cast(Scalar::U64, lhs), build_.cast(Scalar::U64, rhs));
  }

  const Kernel &kernel_;
  const std::set<std::string> &sizes_;
  KnownValues known_;
  Build build_;
  std::map<std::string, std::set<std::string>> of_;
  std::vector<std::pair<std::string, double>> asked_; // by conditions around
};

} // namespace

std::vector<SizeLimit> sizeLimits(const Kernel &kernel, const std::set<std::string> &sizes, Arena &arena) {
  return Sizes(kernel, sizes, arena).limits();
}

} // namespace tangram::c_family
