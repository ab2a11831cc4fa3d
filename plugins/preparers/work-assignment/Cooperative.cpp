// Cooperative codelets: all workers of their unit are lanes; what lanes assign of the variables around them is settled.
#include "Assigner.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/ast/Walk.h"

#include <limits>

namespace tangram::assignment {

using namespace ast;

namespace {
constexpr DiagnosticKind kWidth{"work-assignment.width", DiagnosticClass::Bug,
                                "{} lanes cooperate at level '{}', which has {} workers", ""};
constexpr DiagnosticKind kNested{"work-assignment.nested-assignment", DiagnosticClass::Limitation,
                                 "lanes assign '{}' different values within an expression",
                                 "assign it in a statement of its own"};

/// Statements that assign a variable: `change` gets each.
class Assignments final : public Mutator {
public:
  Assignments(Arena &arena, std::string variable, std::function<std::vector<const Stmt *>(const Expr *)> change)
      : Mutator(arena), variable_(std::move(variable)), change_(std::move(change)) {}

private:
  const Node *mutateEvaluate(const Evaluate *s) override {
    const auto *assign = dyn<Assign>(s->expr);
    const auto *target = assign ? dyn<VarRef>(assign->target) : nullptr;
    if (target && target->name == variable_ && assign->op == AssignOp::Set &&
        !assignedVariables(arena().make<Evaluate>(s->range, assign->value)).count(variable_)) {
      std::vector<const Stmt *> stmts = change_(assign->value);
      return Build(arena(), s->range).block(std::move(stmts));
    }
    if (assignedVariables(s).count(variable_)) fail(kNested, s->range, variable_);
    return s;
  }
  std::string variable_;
  std::function<std::vector<const Stmt *>(const Expr *)> change_;
};

class Replace final : public Mutator {
public:
  Replace(Arena &arena, std::string variable, const Expr *by)
      : Mutator(arena), variable_(std::move(variable)), by_(by) {}

private:
  const Node *mutateVarRef(const VarRef *v) override { return v->name == variable_ ? by_ : v; }
  std::string variable_;
  const Expr *by_;
};

} // namespace

/// Gives lanes a variable of their own for one around them. Where they all come to one value that is it; where they do
/// not, the lowest lane that assigns decides, through memory.
Stmts Assigner::settle(const Cooperate *node, const std::string &variable, const Type &type, Stmts body, Stmts &before,
                       Stmts &after) {
  std::string own = names_.fresh(variable + "_lane");
  const Expr *outer = b().var(variable, type), *mine = b().var(own, type);
  Stmts local{b().declare(own, type, outer, false)};
  for (const Stmt *s : body) local.push_back(Replace(arena_, variable, mine)(s));
  const Block *region = b().block(local);
  bool agree = !Uniformity(Region{region, node->lane, true, node->level}).varying(own);
  if (agree) {
    local.push_back(b().assign(outer, mine));
    return local;
  }
  const Expr *value = cell(variable + "_cell", type, before);
  const Expr *first = cell(variable + "_first", Scalar::U32, before);
  before.push_back(single(levels_.worker->name, {b().assign(value, outer)}));
  const Expr *lane = b().var(node->lane, Scalar::U32);
  const Expr *none = b().integer(Scalar::U32, std::numeric_limits<std::uint32_t>::max());
  Assignments settled(arena_, variable, [&](const Expr *assigned) {
    std::string name = names_.fresh("assigned");
    const Expr *kept = b().var(name, type);
    const Expr *least =
        arena_.make<Atomic>(here_, Type(Scalar::U32), AtomicOp::Min, first, std::vector<const Expr *>{lane});
    return Stmts{b().declare(name, type, assigned), b().assign(first, none), arena_.make<Evaluate>(here_, least),
                 b().when(b().equal(first, lane), {b().assign(value, kept)})};
  });
  Stmts result;
  for (const Stmt *s : body) result.push_back(Replace(arena_, variable, value)(settled(s)));
  after.push_back(b().assign(outer, value));
  return result;
}

void Assigner::cooperate(const Cooperate *node, Stmts &out) {
  std::uint64_t workers = levels_.workers(node->level);
  if (literal(node->width) != static_cast<Int>(workers))
    fail(kWidth, node->range, literal(node->width).value_or(0), node->level, workers);
  bool deeper = depth(node->level) > depth(unit_);
  Stmts body = node->body->stmts, before, after;
  std::set<std::string> assigned = assignedVariables(node->body);
  for (const std::string &local : declaredIn(node->body)) assigned.erase(local);
  Stmts inner, settledBefore;
  for (const std::string &variable : assigned) {
    if (storage_.kind(variable) != Storage::Kind::None) continue; // memory already
    const Type &type = types_.at(variable);
    at(node->level, [&] { return body = settle(node, variable, type, body, settledBefore, inner); });
    if (!deeper) continue;
    const Expr *place = cell(variable + "_cell", type, before);
    inner.push_back(
        at(node->level, [&] { return single(levels_.worker->name, {b().assign(place, b().var(variable, type))}); }));
    after.push_back(b().assign(b().var(variable, type), place));
  }
  const Stmt *lanes = arena_.derive(node, [&](Cooperate &copy) { copy.body = b().block(std::move(body)); });
  Stmts all = std::move(settledBefore);
  all.push_back(lanes);
  all.insert(all.end(), inner.begin(), inner.end());
  out.insert(out.end(), before.begin(), before.end());
  if (deeper)
    out.push_back(single(node->level, std::move(all)));
  else
    out.insert(out.end(), all.begin(), all.end());
  out.insert(out.end(), after.begin(), after.end());
}

} // namespace tangram::assignment
