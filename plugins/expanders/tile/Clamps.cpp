#include "Clamps.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"

namespace tangram::tile {

using namespace ast;

namespace {

const std::string kIndex = "unclamped index"; // a name that no variable has
constexpr unsigned kDeepestClamp = 8;
constexpr unsigned kMostNodes = 200;

class Unclamping {
public:
  Unclamping(const Module &module, const nest::Nest &nest, const nest::Access &access,
             const std::set<std::string> &moving, Arena &arena)
      : module_(module), nest_(nest), access_(access), moving_(moving), arena_(arena) {}

  std::optional<Clamp> run(const Expr *index) {
    const Expr *inlined = inlinedCalls(index, 0);
    if (!inlined || nodes(inlined) > kMostNodes || hasEffects(inlined)) return {};
    clamp_.inner = leafOf(inlined);
    const isl::pw_aff *value = clamp_.inner ? valueOf(clamp_.inner) : nullptr;
    if (!value || clamp_.inner == nest::withoutWidening(inlined)) return {};
    clamp_.value = *value;
    clamp_.whole = within(inlined);
    if (!clamp_.whole || !clamp_.keeps) return {};
    return clamp_;
  }

private:
  static std::size_t nodes(const Expr *e) {
    std::size_t count = 0;
    walk(e, [&](const Expr &) { ++count; });
    return count;
  }

  bool moves(const Expr *e) const {
    return any<VarRef>(e, [&](const VarRef &v) { return moving_.count(v.name) != 0; });
  }

  /// Functions that are expressions, where choices stand.
  const Expr *inlinedCalls(const Expr *e, unsigned depth) const {
    if (depth > kDeepestClamp) return nullptr;
    if (!moves(e)) return contains<Subscript>(e) ? nullptr : e;
    auto part = [&](const Expr *p) { return inlinedCalls(p, depth + 1); };
    if (const auto *c = dyn<Cast>(e); c && nest::widens(*c)) {
      const Expr *operand = part(c->operand);
      return operand ? arena_.derive(c, [&](Cast &made) { made.operand = operand; }) : nullptr;
    }
    if (const auto *call = dyn<Call>(e)) {
      const Function *function = functionOfExpression(module_, *call);
      if (!function) return nullptr;
      std::map<std::string, const Expr *> arguments;
      for (std::size_t i = 0; i < call->args.size(); ++i) {
        arguments[function->params[i]->name] = part(call->args[i]);
        if (!arguments[function->params[i]->name]) return nullptr;
      }
      const Expr *result = substituted(arena_, resultOf(*function), [&](const VarRef *v) -> const Expr * {
        auto given = arguments.find(v->name);
        return given == arguments.end() ? v : given->second;
      });
      return nodes(result) <= kMostNodes ? part(result) : nullptr;
    }
    if (const auto *c = dyn<Conditional>(e)) {
      const auto *compared = dyn<Binary>(c->cond);
      if (!compared) return nullptr;
      const Expr *lhs = part(compared->lhs), *rhs = part(compared->rhs), *then = part(c->then),
                 *otherwise = part(c->otherwise);
      if (!lhs || !rhs || !then || !otherwise) return nullptr;
      const Expr *cond = arena_.derive(compared, [&](Binary &made) { made.lhs = lhs, made.rhs = rhs; });
      return arena_.derive(c,
                           [&](Conditional &made) { made.cond = cond, made.then = then, made.otherwise = otherwise; });
    }
    return contains<Subscript>(e) ? nullptr : e;
  }

  /// What is left where no bound is taken; null where that is not one expression.
  const Expr *leafOf(const Expr *e) const {
    e = nest::withoutWidening(e);
    const auto *c = dyn<Conditional>(e);
    if (!c) return e;
    if (moves(c->then) == moves(c->otherwise)) return nullptr;
    return leafOf(moves(c->then) ? c->then : c->otherwise);
  }

  const isl::pw_aff *valueOf(const Expr *e) const {
    for (const auto &[leaf, value] : access_.choices)
      if (leaf == e || equal(leaf, e)) return &value;
    return nullptr;
  }

  /// How much more a leaf is than the index, where that is a number.
  std::optional<Int> more(const Expr *leaf) const {
    if (equal(leaf, clamp_.inner)) return 0;
    const isl::pw_aff *value = valueOf(leaf);
    if (!value) return {};
    auto result = nest_.isl.limited([&]() -> std::optional<Int> {
      isl::pw_aff between = value->sub(clamp_.value);
      isl::val lo = between.min_val(), hi = between.max_val();
      return lo.is_int() && lo.eq(hi) ? std::optional<Int>(lo.num_si()) : std::nullopt;
    });
    return result ? *result : std::nullopt;
  }

  /// With the index's variable in place of it; null where that cannot be.
  const Expr *within(const Expr *e) {
    if (!moves(e)) return e;
    const Build build(arena_, e->range);
    if (const auto *c = dyn<Cast>(e); c && nest::widens(*c)) {
      const Expr *operand = within(c->operand);
      return operand ? build.cast(c->type, operand) : nullptr;
    }
    const auto *c = dyn<Conditional>(e);
    if (!c) {
      std::optional<Int> by = more(e);
      if (!by || !e->type.isInteger()) return nullptr;
      const Expr *index = Clamp::index(arena_);
      return build.cast(e->type, *by ? build.add(index, build.integer(index->type, *by)) : index);
    }
    const auto *compared = as<Binary>(c->cond);
    const Expr *left = within(compared->lhs), *right = within(compared->rhs);
    const bool first = moves(c->then);
    const Expr *chosen = first ? c->then : c->otherwise;
    if (!isOrdering(compared->op) || !left || !right || moves(compared->lhs) == moves(compared->rhs)) return nullptr;
    // Where the bound is not taken the index is on one side of a number, whether it or what is chosen is compared.
    const Expr *asked = nest::withoutWidening(moves(compared->lhs) ? compared->lhs : compared->rhs);
    if (isa<Conditional>(asked) && !equal(asked, nest::withoutWidening(chosen))) return nullptr;
    const Expr *other = within(chosen);
    if (!other) return nullptr;
    const Expr *cond = build.binary(compared->op, left, right), *keeps = cond;
    if (!first) keeps = arena_.make<Unary>(e->range, cond->type, UnaryOp::Not, cond);
    clamp_.keeps = clamp_.keeps ? build.both(clamp_.keeps, keeps) : keeps;
    return first ? build.select(cond, other, c->otherwise) : build.select(cond, c->then, other);
  }

  const Module &module_;
  const nest::Nest &nest_;
  const nest::Access &access_;
  const std::set<std::string> &moving_;
  Arena &arena_;
  Clamp clamp_;
};

} // namespace

const Expr *Clamp::index(Arena &arena) { return Build(arena, {}).var(kIndex, nest::kInteger); }

const Expr *Clamp::at(const Expr *e, const Expr *at, Arena &arena) {
  return substituted(arena, e, [&](const VarRef *v) -> const Expr * { return v->name == kIndex ? at : v; });
}

std::optional<Clamp> clampOf(const Module &module, const nest::Nest &nest, const nest::Access &access,
                             const Expr *index, const std::set<std::string> &moving, Arena &arena) {
  if (access.choices.empty()) return {};
  return Unclamping(module, nest, access, moving, arena).run(index);
}

} // namespace tangram::tile
