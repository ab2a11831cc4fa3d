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

/// Whether two elements of a container are surely different ones.
class ElementsApart {
public:
  explicit ElementsApart(const Nest *nest) : nest_(nest) {}

  /// In all iterations of the loop.
  bool operator()(const Stmt *loop, const Subscript *one, const Subscript *other) const {
    for (std::size_t d = 0; d < std::min(one->indices.size(), other->indices.size()); ++d) {
      const std::optional<Int> a = literal(one->indices[d]), b = literal(other->indices[d]);
      if (a && b && *a != *b) return true;
    }
    for (unsigned l = 0; nest_ && l < nest_->loops.size(); ++l)
      if (nest_->loops[l].node == loop) {
        const auto found = nest_->isl.limited([&] { return apart(l, one, other); });
        return found && *found;
      }
    return false;
  }

private:
  bool apart(unsigned loop, const Subscript *one, const Subscript *other) const {
    const std::vector<isl::set> first = touched(loop, one), second = touched(loop, other);
    return !first.empty() && !second.empty() && std::all_of(first.begin(), first.end(), [&](const isl::set &a) {
      return std::all_of(second.begin(), second.end(), [&](const isl::set &b) { return a.intersect(b).is_empty(); });
    });
  }

  /// One set for each access; none where there is no telling.
  std::vector<isl::set> touched(unsigned loop, const Subscript *element) const {
    std::vector<isl::set> result;
    for (const unsigned s : nest_->statementsOf(loop))
      for (const Access &a : nest_->statements[s].accesses)
        if (a.node == element)
          result.push_back(
              nest_->without(a.elements.intersect_params(nest_->assumed), nest_->inner(nest_->statements[s], loop)));
    return result;
  }

  const Nest *nest_;
};

/// The elements of a container that a loop updates in each turn, at indices that it does not change, and that are
/// surely apart from all else that it touches of the container.
std::vector<const Subscript *> updatedElements(const std::string &container, const Stmt *loop,
                                               const std::vector<const Stmt *> &inside, const ElementsApart &apart) {
  const auto isOfContainer = [&](const Expr *e) {
    const auto *s = dyn<Subscript>(e);
    const auto *base = s ? dyn<VarRef>(s->base) : nullptr;
    return base && base->name == container && s->indices.size() == base->type.rank() ? s : nullptr;
  };
  std::vector<const Subscript *> all;
  std::size_t uses = 0;
  walk(
      loop, [&](const Size &) { return WalkResult::Skip; }, [&](const VarRef &v) { uses += v.name == container; },
      [&](const Subscript &s) {
        if (isOfContainer(&s)) all.push_back(&s);
      });
  if (all.size() != uses) return {};
  std::set<std::string> changed = declaredIn({loop});
  changed.merge(assignedVariables(loop));
  const std::set<std::string> written = writtenIn({loop});
  const auto stays = [&](const Expr *index) {
    return !hasEffects(index) && !touchesElements(index, written) &&
           !any<VarRef>(index, [&](const VarRef &v) { return changed.count(v.name) != 0; });
  };
  std::vector<const Subscript *> result;
  for (const Stmt *s : inside) {
    const auto *e = dyn<Evaluate>(s);
    const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
    const Subscript *element = a ? isOfContainer(a->target) : nullptr;
    const auto same = [&](const Subscript *other) { return equal(element, other); };
    if (element && std::none_of(result.begin(), result.end(), same) &&
        std::all_of(element->indices.begin(), element->indices.end(), stays) &&
        std::all_of(all.begin(), all.end(),
                    [&](const Subscript *other) { return same(other) || apart(loop, element, other); }))
      result.push_back(element);
  }
  return result;
}

std::vector<const Subscript *> updatedElements(const Stmt *loop, const std::vector<const Stmt *> &inside,
                                               const ElementsApart &apart) {
  std::vector<const Subscript *> result;
  for (const std::string &container : writtenIn({loop})) {
    const std::vector<const Subscript *> own = updatedElements(container, loop, inside, apart);
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

/// The assignment to the element that the statement is; null: it is something else.
const Assign *storesTo(const Subscript *element, const Stmt *s) {
  const auto *e = dyn<Evaluate>(s);
  const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
  return assign && equal(assign->target, element) && !hasEffects(assign->value) ? assign : nullptr;
}

std::vector<const Stmt *> promoted(const std::vector<const Stmt *> &body, const ElementsApart &apart, Names &names,
                                   Arena &arena) {
  std::vector<const Stmt *> result;
  for (const Stmt *s : body) {
    std::vector<const Stmt *> inside, behind;
    const Expr *turn = isa<For>(s) && !jumpsOut(as<For>(s)->body) ? hasTurn(s, inside, arena) : nullptr;
    const Stmt *loop = s;
    if (turn && !contains<Atomic>(s))
      for (const Subscript *element : updatedElements(s, inside, apart)) {
        const Expr *zero = Build(arena, element->range).zero(element->type);
        if (!zero) continue;
        Build build(arena, element->range);
        const Expr *value = build.var(names.fresh(as<VarRef>(element->base)->name + "_value"), element->type);
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

/// Outer loops first: what no loop of a chain changes is promoted out of all of it.
class Promotion : public Mutator {
public:
  Promotion(const Nest *nest, Arena &arena, Names &names) : Mutator(arena), apart_(nest), names_(names) {}
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts = promoted(block->stmts, apart_, names_, arena());
    return Mutator::mutateBlock(
        stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); }));
  }

private:
  ElementsApart apart_;
  Names &names_;
};

} // namespace

std::vector<const Stmt *> withPromotedElements(const std::vector<const Stmt *> &body, Names &names, Arena &arena) {
  return promoted(body, ElementsApart(nullptr), names, arena);
}

const Codelet *withPromotedElements(Nests &nests, const Codelet *codelet, Arena &arena) {
  Names names;
  names.reserveAll(codelet);
  return as<Codelet>(Promotion(nests.of(*codelet), arena, names).mutate(codelet));
}

} // namespace tangram::nest
