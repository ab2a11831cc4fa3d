#include "tangram/nest/PreviousValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr unsigned kMostRounds = 8;    // of scalars that hand values on, and of definitions of definitions
constexpr std::size_t kMostNodes = 64; // of what is computed twice

/// for (T iterator = begin; iterator < ...; iterator += step), where the body leaves the iterator alone.
struct Counting {
  const Declare *iterator = nullptr;
  Int step = 1;
};

std::optional<Counting> countingOf(const For &loop) {
  const auto *iterator = dyn<Declare>(loop.init);
  const auto *cond = dyn<Binary>(loop.cond);
  if (!iterator || !iterator->init || !iterator->type.isInteger() || !cond || hasEffects(cond)) return std::nullopt;
  const auto is = [&](const Expr *e) {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == iterator->name;
  };
  Counting result{iterator, 1};
  if (const auto *u = dyn<Unary>(loop.step)) {
    if (!is(u->operand) || (u->op != UnaryOp::PreInc && u->op != UnaryOp::PostInc)) return std::nullopt;
  } else if (const auto *a = dyn<Assign>(loop.step); a && is(a->target) && a->op == AssignOp::Add) {
    const std::optional<Int> step = literal(a->value);
    if (!step || *step < 1) return std::nullopt;
    result.step = *step;
  } else {
    return std::nullopt;
  }
  if (assignedVariables(loop.body).count(iterator->name)) return std::nullopt;
  return result;
}

class PreviousValues final : public Mutator {
public:
  PreviousValues(Arena &arena, const Codelet &codelet) : Mutator(arena), codelet_(codelet) {
    names_.reserveAll(&codelet);
  }

private:
  const Node *mutateBlock(const Block *block) override {
    const auto *inner = as<Block>(Mutator::mutateBlock(block));
    std::vector<const Stmt *> stmts = inner->stmts;
    for (std::size_t at = 0; at < stmts.size(); ++at)
      for (unsigned round = 0; round < kMostRounds && isa<For>(stmts[at]); ++round) {
        const For *made = nullptr;
        for (std::size_t d = 0; d < at && !made; ++d) {
          const auto *scalar = dyn<Declare>(stmts[d]);
          const auto mentioned = [&](const Stmt *s) { return mentions(s, scalar->name); };
          if (scalar && scalar->type.isScalar() && scalar->extents.empty() && !scalar->shared && !scalar->tunable &&
              std::none_of(stmts.begin() + static_cast<std::ptrdiff_t>(at) + 1, stmts.end(), mentioned))
            made = withoutHandingOn(*as<For>(stmts[at]), *scalar);
        }
        if (!made) break;
        stmts[at] = made;
      }
    return stmts == inner->stmts ? inner : arena().derive(inner, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  /// Null where iterations do something else with the scalar.
  const For *withoutHandingOn(const For &loop, const Declare &scalar) {
    const std::optional<Counting> counting = countingOf(loop);
    if (!counting || jumpsOut(loop.body) || contains<Return>(loop.body)) return nullptr;
    const auto &body = loop.body->stmts;
    const auto sets = std::find_if(body.begin(), body.end(), [&](const Stmt *s) { return setting(s, scalar.name); });
    if (sets == body.end()) return nullptr;
    const std::set<std::string> assigned = assignedVariables(loop.body);
    std::vector<const Stmt *> before(body.begin(), sets), others = before;
    others.insert(others.end(), sets + 1, body.end());
    for (const Stmt *s : others) // in front of it, it is read; behind it, it would be the next iteration's
      if (assignedVariables(s).count(scalar.name)) return nullptr;
    if (std::any_of(sets + 1, body.end(), [&](const Stmt *s) { return mentions(s, scalar.name); })) return nullptr;
    if (mentions(loop.cond, scalar.name) || mentions(counting->iterator->init, scalar.name)) return nullptr;

    const Expr *value = resolved(setting(*sets, scalar.name)->value, before, assigned);
    const std::set<std::string> declared = declaredIn(body), written = withViewed(writtenIn(body), codelet_.body);
    const auto moves = [&](const Expr *e) {
      return hasEffects(e) || contains<Call>(e) || touches(e, written) ||
             any<VarRef>(e, [&](const VarRef &v) { return declared.count(v.name) || assigned.count(v.name); });
    };
    const Expr *first = counting->iterator->init;
    if (moves(value) || moves(first) || contains<Subscript>(first) || value->type != scalar.type ||
        nodeCount(value) > kMostNodes)
      return nullptr;

    const Build build(arena(), (*sets)->range);
    const Expr *i = build.var(counting->iterator->name, counting->iterator->type);
    const Expr *last = build.sub(i, build.integer(i->type, counting->step));
    const Expr *previous = substituted(arena(), value, [&](const VarRef *v) -> const Expr * {
      return v->name == counting->iterator->name ? last : v;
    });
    const std::string own = names_.fresh(scalar.name + "_before");
    const Expr *begun = build.var(scalar.name, scalar.type);
    std::vector<const Stmt *> stmts{
        build.declare(own, scalar.type, build.select(build.less(first, i), previous, begun))};
    for (const Stmt *s : others)
      stmts.push_back(substituted(arena(), s, [&](const VarRef *v) -> const Expr * {
        return v->name == scalar.name ? build.var(own, scalar.type) : v;
      }));
    return arena().derive(
        &loop, [&](For &f) { f.body = arena().derive(loop.body, [&](Block &b) { b.stmts = std::move(stmts); }); });
  }

  /// Whether it touches one of these, also by a view of it.
  bool touches(const Expr *e, const std::set<std::string> &containers) const {
    return any<Subscript>(e, [&](const Subscript &s) {
      const VarRef *root = rootVariable(&s);
      const std::set<std::string> own = root ? withViewed({root->name}, codelet_.body) : std::set<std::string>();
      return std::any_of(own.begin(), own.end(), [&](const std::string &name) { return containers.count(name) != 0; });
    });
  }

  static const Assign *setting(const Stmt *s, const std::string &name) {
    const Assign *set = variableSet(s);
    return set && as<VarRef>(set->target)->name == name ? set : nullptr;
  }

  /// With what the iteration declares, and leaves, in place of these variables.
  const Expr *resolved(const Expr *e, const std::vector<const Stmt *> &before, const std::set<std::string> &assigned) {
    std::map<std::string, const Expr *> values;
    for (const Stmt *s : before)
      if (const auto *d = dyn<Declare>(s);
          d && d->init && d->type.isScalar() && !assigned.count(d->name) && !hasEffects(d->init))
        values[d->name] = Build(arena(), d->range).cast(d->type, d->init);
    for (unsigned round = 0; round < kMostRounds && nodeCount(e) <= kMostNodes; ++round) {
      bool more = false;
      e = substituted(arena(), e, [&](const VarRef *v) -> const Expr * {
        const auto value = values.find(v->name);
        more |= value != values.end();
        return value == values.end() ? v : value->second;
      });
      if (!more) break;
    }
    return e;
  }

  const Codelet &codelet_;
  Names names_;
};

} // namespace

const Codelet *withPreviousValues(const Codelet *codelet, Arena &arena) {
  return PreviousValues(arena, *codelet)(codelet);
}

} // namespace tangram::nest
