#include "tangram/nest/Promotion.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

namespace tangram::nest {

using namespace ast;

namespace {

/// Whether a chain of loops has a turn, and the statements inside; null where that cannot be said in front of it.
const Expr *hasTurn(const Stmt *s, std::vector<const Stmt *> &inside, Arena &arena) {
  const Expr *all = nullptr;
  std::set<std::string> declared = declaredIn({s});
  for (const auto *loop = dyn<For>(s); loop;) {
    const auto *iterator = dyn<Declare>(loop->init);
    if (!iterator || !iterator->init || !loop->cond || hasEffects(loop->cond)) return nullptr;
    Build build(arena, loop->range);
    const Expr *turn = substituted(arena, loop->cond, [&](const VarRef *v) -> const Expr * {
      return v->name == iterator->name ? iterator->init : v;
    });
    if (any<VarRef>(turn, [&](const VarRef &v) { return declared.count(v.name) != 0; })) return nullptr;
    all = all ? build.both(all, turn) : turn;
    inside = loop->body->stmts;
    loop = inside.size() == 1 ? dyn<For>(inside[0]) : nullptr;
  }
  return all;
}

/// The only element of a container that a loop touches, at an index that the loop does not change, in each turn.
const Subscript *onlyElement(const std::string &container, const Stmt *loop, const std::vector<const Stmt *> &inside) {
  const Subscript *element = nullptr;
  std::size_t elements = 0, uses = 0;
  bool same = true;
  walk(
      loop, [&](const Size &) { return WalkResult::Skip; }, [&](const VarRef &v) { uses += v.name == container; },
      [&](const Subscript &s) {
        const auto *base = dyn<VarRef>(s.base);
        if (!base || base->name != container) return;
        ++elements;
        same = same && (!element || equal(element, &s));
        element = &s;
      });
  if (!element || !same || elements != uses || element->indices.size() != element->base->type.rank()) return nullptr;
  std::set<std::string> changed = declaredIn({loop});
  changed.merge(assignedVariables(loop));
  const std::set<std::string> written = writtenIn({loop});
  for (const Expr *index : element->indices)
    if (hasEffects(index) || touchesElements(index, written) ||
        any<VarRef>(index, [&](const VarRef &v) { return changed.count(v.name) != 0; }))
      return nullptr;
  for (const Stmt *s : inside)
    if (const auto *e = dyn<Evaluate>(s))
      if (const auto *a = dyn<Assign>(e->expr); a && equal(a->target, element)) return element;
  return nullptr;
}

/// The assignment to the element that the statement is; null: it is something else.
const Assign *storesTo(const Subscript *element, const Stmt *s) {
  const auto *e = dyn<Evaluate>(s);
  const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
  return assign && equal(assign->target, element) && !hasEffects(assign->value) ? assign : nullptr;
}

} // namespace

std::vector<const Stmt *> withPromotedElements(const std::vector<const Stmt *> &body, Names &names, Arena &arena) {
  std::vector<const Stmt *> result;
  for (const Stmt *s : body) {
    std::vector<const Stmt *> inside, behind;
    const Expr *turn = isa<For>(s) && !jumpsOut(as<For>(s)->body) ? hasTurn(s, inside, arena) : nullptr;
    const Stmt *loop = s;
    if (turn && !contains<Atomic>(s))
      for (const std::string &container : writtenIn({s})) {
        const Subscript *element = onlyElement(container, loop, inside);
        const Expr *zero = element ? Build(arena, element->range).zero(element->type) : nullptr;
        if (!zero) continue;
        Build build(arena, element->range);
        const Expr *value = build.var(names.fresh(container + "_value"), element->type);
        const auto ofVariable = [&](const Stmt *statement) {
          return substituted(
              arena, statement, [](const VarRef *v) -> const Expr * { return v; },
              [&](const Subscript *e) -> const Expr * { return equal(e, element) ? value : nullptr; });
        };
        loop = ofVariable(loop);
        const auto declare = [&](const Expr *init) {
          return build.declare(as<VarRef>(value)->name, element->type, init, false);
        };
        if (const Assign *before = result.empty() ? nullptr : storesTo(element, result.back())) {
          // Stored behind the loop instead, whether it has a turn or not.
          const Stmt *statement = result.back();
          const bool set = before->op == AssignOp::Set;
          result.back() = declare(set ? build.cast(element->type, before->value) : element);
          if (!set) result.push_back(ofVariable(statement));
          behind.push_back(build.assign(element, value));
          continue;
        }
        result.push_back(declare(build.select(turn, element, zero)));
        behind.push_back(build.when(turn, {build.assign(element, value)}));
      }
    result.push_back(loop);
    result.insert(result.end(), behind.begin(), behind.end());
  }
  return result;
}

namespace {

/// Outer loops first: what no loop of a chain changes is promoted out of all of it.
class Promotion : public Mutator {
public:
  Promotion(Arena &arena, Names &names) : Mutator(arena), names_(names) {}
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts = withPromotedElements(block->stmts, names_, arena());
    return Mutator::mutateBlock(
        stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); }));
  }

private:
  Names &names_;
};

} // namespace

const Codelet *withPromotedElements(const Codelet *codelet, Arena &arena) {
  Names names;
  names.reserveAll(codelet);
  return as<Codelet>(Promotion(arena, names).mutate(codelet));
}

} // namespace tangram::nest
