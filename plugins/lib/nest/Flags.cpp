#include "tangram/nest/Flags.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <map>
#include <set>
#include <utility>

namespace tangram::nest {

using namespace ast;

namespace {

/// The scalar variable that an expression sets; null for another expression.
const VarRef *scalarSetBy(const Expr *e) {
  const auto *set = dyn<Assign>(e);
  const auto *target = set ? dyn<VarRef>(set->target) : nullptr;
  return target && target->type.isScalar() && target->type.isInteger() ? target : nullptr;
}

/// The number that is set, which every integer type holds; nothing where it is another one.
std::optional<Int> numberOf(const Expr *e) {
  const std::optional<Int> number = e ? literal(withoutCasts(e)) : std::nullopt;
  return number && *number >= 0 && *number < 128 ? number : std::nullopt;
}

class Flags final : public Mutator {
public:
  Flags(Arena &arena, const Codelet &codelet) : Mutator(arena) {
    walk(codelet.body, [&](const Declare &d) {
      if (d.extents.empty()) note(d.name, numberOf(d.init));
    });
    for (const Param *p : codelet.params) note(p->name, {});
    walk(codelet.body, [&](const Assign &set) {
      if (const auto *target = dyn<VarRef>(set.target))
        note(target->name, set.op == AssignOp::Set ? numberOf(set.value) : std::nullopt);
    });
    walk(codelet.body, [&](const Unary &u) {
      if (const auto *v = dyn<VarRef>(u.operand); v && (changesOperand(u.op) || u.op == UnaryOp::AddressOf))
        note(v->name, {});
    });
  }

private:
  void note(const std::string &name, std::optional<Int> value) {
    if (!value)
      others_.insert(name);
    else if (*value != 0)
      values_[name].insert(*value);
  }

  const Node *mutateFor(const For *loop) override {
    return inside(loop, [&] { return Mutator::mutateFor(loop); });
  }
  const Node *mutateWhile(const While *loop) override {
    return inside(loop, [&] { return Mutator::mutateWhile(loop); });
  }
  const Node *mutateDoWhile(const DoWhile *loop) override {
    return inside(loop, [&] { return Mutator::mutateDoWhile(loop); });
  }
  const Node *mutateIf(const If *choice) override {
    ++conditions_;
    const Node *result = Mutator::mutateIf(choice);
    --conditions_;
    return result;
  }

  template <class Mutate> const Node *inside(const Node *loop, Mutate &&mutate) {
    const Node *const around = std::exchange(loop_, loop);
    const unsigned conditions = std::exchange(conditions_, 0);
    const Node *const result = mutate();
    loop_ = around, conditions_ = conditions;
    return result;
  }

  const Node *mutateEvaluate(const Evaluate *s) override {
    const VarRef *flag = scalarSetBy(s->expr);
    if (!flag || as<Assign>(s->expr)->op != AssignOp::Set || !loop_) return Mutator::mutateEvaluate(s);
    const auto *set = as<Assign>(s->expr);
    const Expr *value = nullptr;
    if (const std::optional<Int> constant = numberOf(set->value); constant && conditions_ > 0) {
      if (setsOnly(flag->name, *constant)) value = update(*flag, *set, *constant);
    } else if (flag->type.isBool()) {
      value = ofTruthValues(*flag, *set);
    }
    if (!value) return Mutator::mutateEvaluate(s);
    return arena().derive(s, [&](Evaluate &e) { e.expr = arena().derive(set, [&](Assign &a) { a.value = value; }); });
  }

  /// Whether all that the loop around does with a variable of before it is to set it to that number.
  bool setsOnly(const std::string &name, Int number) const {
    std::size_t mentioned = 0, set = 0;
    bool own = false;
    walk(
        loop_, [&](const VarRef &v) { mentioned += v.name == name; }, [&](const Declare &d) { own |= d.name == name; },
        [&](const Assign &a) {
          const auto *target = dyn<VarRef>(a.target);
          set += target && target->name == name && a.op == AssignOp::Set && numberOf(a.value) == number;
        });
    return !own && mentioned == set;
  }

  const Expr *update(const VarRef &flag, const Assign &set, Int number) {
    const bool truth = flag.type.isBool();
    if (!truth) {
      const auto known = values_.find(flag.name);
      if (others_.count(flag.name) || (known != values_.end() && known->second.size() > 1)) return nullptr;
    }
    const BinaryOp op =
        truth ? (number ? BinaryOp::LogicalOr : BinaryOp::LogicalAnd) : (number ? BinaryOp::Or : BinaryOp::And);
    return arena().make<Binary>(set.range, flag.type, op, &flag, set.value);
  }

  /// found = bool(int(found) | int(e)) as found = e || found, and what is changed over, inside = !inside, as
  /// inside = true != inside.
  const Expr *ofTruthValues(const VarRef &flag, const Assign &set) {
    const auto update = [&](BinaryOp op, const Expr *e) {
      return arena().make<Binary>(set.range, flag.type, op, e, &flag);
    };
    if (const auto *changed = dyn<Unary>(withoutCasts(set.value)))
      return changed->op == UnaryOp::Not && equal(withoutCasts(changed->operand), &flag)
                 ? update(BinaryOp::Ne, Build(arena(), set.range).boolean(true))
                 : nullptr;
    static const std::map<BinaryOp, BinaryOp> kOps{{BinaryOp::Or, BinaryOp::LogicalOr},
                                                   {BinaryOp::And, BinaryOp::LogicalAnd},
                                                   {BinaryOp::Xor, BinaryOp::Ne},
                                                   {BinaryOp::Ne, BinaryOp::Ne}};
    const auto *n = dyn<Binary>(withoutCasts(set.value));
    const auto op = n ? kOps.find(n->op) : kOps.end();
    if (op == kOps.end() || !set.value->type.isBool()) return nullptr;
    const auto truth = [&](const Expr *e) {
      e = withoutCasts(e);
      const std::optional<Int> number = literal(e);
      return number && (*number == 0 || *number == 1) ? Build(arena(), e->range).boolean(*number != 0) : e;
    };
    const Expr *left = truth(n->lhs), *right = truth(n->rhs);
    if (!left->type.isBool() || !right->type.isBool()) return nullptr;
    if (equal(right, &flag)) std::swap(left, right);
    if (!equal(left, &flag)) return nullptr;
    return update(op->second, right);
  }

  const Node *loop_ = nullptr;                  // around
  unsigned conditions_ = 0;                     // around, in the loop
  std::map<std::string, std::set<Int>> values_; // but for 0, that variables are set to
  std::set<std::string> others_;                // that are set to more than literals
};

} // namespace

const Codelet *withFlags(const Codelet *codelet, Arena &arena) { return Flags(arena, *codelet)(codelet); }

} // namespace tangram::nest
