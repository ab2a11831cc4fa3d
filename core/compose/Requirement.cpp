#include "tangram/compose/Requirement.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tangram {

using namespace ast;

namespace {

/// lane * coopIdx() + width * coopDim() + (between `lo` and `hi`).
struct Reach {
  std::int64_t lane = 0, width = 0, lo = 0, hi = 0;
};

/// How far the accesses of a cooperative codelet reach.
class LaneAccesses {
public:
  explicit LaneAccesses(const Codelet &codelet) : changed_(changedVariables(codelet.body)) {
    walk(codelet.body, [&](const Declare &d) { declared_[d.name] = &d; }, [&](const For &f) { shortLoop(f); });
    for (const Param *param : codelet.params)
      if (param->type.rank() == 1) containers_.insert(param->name);
    walk(codelet.body, [&](const Subscript &s) { access(s); });
  }

  /// Of each container that every lane touches only near its own place: the farthest such place.
  std::map<std::string, Reach> owned() const {
    std::map<std::string, Reach> result;
    for (const auto &[name, reach] : reach_)
      if (!free_.count(name)) result.emplace(name, reach);
    return result;
  }

private:
  /// A loop of a few steps, written in literals, reaches no farther than its last step.
  void shortLoop(const For &loop) {
    const Declare *init = dyn<Declare>(loop.init);
    const Binary *cond = dyn<Binary>(withoutCasts(loop.cond));
    if (!init || !init->init || !cond || !step(loop.step, init->name)) return;
    const IntLit *first = dyn<IntLit>(withoutCasts(init->init)), *last = dyn<IntLit>(withoutCasts(cond->rhs));
    const VarRef *var = dyn<VarRef>(withoutCasts(cond->lhs));
    if (!first || !last || !var || var->name != init->name || changedVariables(loop.body).count(init->name)) return;
    std::int64_t end = last->value;
    if (cond->op == BinaryOp::Le)
      ++end;
    else if (cond->op != BinaryOp::Lt)
      return;
    if (end > first->value) counters_[init->name] = {0, 0, first->value, end - 1};
  }
  static bool step(const Expr *expr, const std::string &name) {
    const Unary *unary = dyn<Unary>(expr);
    const VarRef *ref = unary ? dyn<VarRef>(unary->operand) : nullptr;
    return ref && ref->name == name && (unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc);
  }

  void access(const Subscript &subscript) {
    const VarRef *base = dyn<VarRef>(subscript.base);
    if (!base || !containers_.count(base->name) || subscript.indices.size() != 1) return;
    std::optional<Reach> reach = evaluate(subscript.indices[0]);
    if (!reach) { // moved by a loop or by data: it goes wherever it wants
      free_.insert(base->name);
      return;
    }
    if (reach->lane <= 0) return; // the same place for all lanes
    auto [it, fresh] = reach_.emplace(base->name, *reach);
    if (!fresh && farther(*reach, it->second)) it->second = *reach;
  }
  static bool farther(const Reach &a, const Reach &b) {
    return std::pair(a.lane + a.width, a.hi - a.lane) > std::pair(b.lane + b.width, b.hi - b.lane);
  }

  std::optional<Reach> evaluate(const Expr *expr) {
    switch (exprKind(*expr)) {
    case ExprKind::IntLit: return Reach{0, 0, as<IntLit>(expr)->value, as<IntLit>(expr)->value};
    case ExprKind::CoopIdx: return Reach{1, 0, 0, 0};
    case ExprKind::CoopDim: return Reach{0, 1, 0, 0};
    case ExprKind::Cast: return evaluate(as<Cast>(expr)->operand);
    case ExprKind::VarRef: {
      const std::string &name = as<VarRef>(expr)->name;
      if (auto it = counters_.find(name); it != counters_.end()) return it->second;
      auto it = declared_.find(name);
      if (it == declared_.end() || changed_.count(name) || !it->second->init || !it->second->extents.empty()) return {};
      return evaluate(it->second->init);
    }
    case ExprKind::Binary: {
      const Binary *n = as<Binary>(expr);
      std::optional<Reach> a = evaluate(n->lhs), b = evaluate(n->rhs);
      if (!a || !b || !small(*a) || !small(*b)) return {};
      switch (n->op) {
      case BinaryOp::Add: return Reach{a->lane + b->lane, a->width + b->width, a->lo + b->lo, a->hi + b->hi};
      case BinaryOp::Sub: return Reach{a->lane - b->lane, a->width - b->width, a->lo - b->hi, a->hi - b->lo};
      case BinaryOp::Mul:
        // A number, or the counter of a short loop: what counts is how far the last step reaches.
        if (b->lane == 0 && b->width == 0) std::swap(a, b);
        if (a->lane != 0 || a->width != 0 || a->lo < 0 || b->lo < 0) return {};
        return Reach{b->lane * a->hi, b->width * a->hi, b->lo * a->lo, b->hi * a->hi};
      default: return {};
      }
    }
    case ExprKind::FloatLit:
    case ExprKind::Unary:
    case ExprKind::Assign:
    case ExprKind::Conditional:
    case ExprKind::Call:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::Atomic:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_DEVICE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    return {};
  }
  static bool small(const Reach &r) {
    auto within = [](std::int64_t v) { return v > -(1 << 30) && v < (1 << 30); };
    return within(r.lane) && within(r.width) && within(r.lo) && within(r.hi);
  }

  std::set<std::string> changed_, containers_, free_;
  std::map<std::string, const Declare *> declared_;
  std::map<std::string, Reach> counters_, reach_;
};

/// container.size() <= elements that the lanes reach. Where that is no round number of rows of lanes, the lower one
/// is taken: too strict is safe.
const Expr *coverage(const Codelet &codelet, const std::string &container, const Reach &reach, Arena &arena) {
  const Param *param = nullptr;
  for (const Param *p : codelet.params)
    if (p->name == container) param = p;
  SourceRange range = codelet.range;
  Type size(Scalar::U64), index(Scalar::U32);
  const Expr *left = arena.make<Size>(range, size, arena.make<VarRef>(range, param->type, container),
                                      static_cast<const Expr *>(nullptr));
  const Expr *right = arena.make<Cast>(range, size, arena.make<CoopDim>(range, index));
  std::int64_t rows = std::max<std::int64_t>(reach.lane + reach.width, 0), missing = reach.lane - 1 - reach.hi;
  if (rows != 1) right = arena.make<Binary>(range, size, BinaryOp::Mul, arena.make<IntLit>(range, size, rows), right);
  if (missing > 0) // left + missing <= right: nothing wraps below 0
    left = arena.make<Binary>(range, size, BinaryOp::Add, left, arena.make<IntLit>(range, size, missing));
  return arena.make<Binary>(range, Scalar::Bool, BinaryOp::Le, left, right);
}

std::string text(const Expr *expr, int outer = -1);

std::string list(const std::vector<const Expr *> &exprs) {
  std::string out;
  for (const Expr *e : exprs) out += (out.empty() ? "" : ", ") + text(e);
  return out;
}

std::string text(const Expr *expr, int outer) {
  switch (exprKind(*expr)) {
  case ExprKind::IntLit: {
    const IntLit *n = as<IntLit>(expr);
    if (n->type.isBool()) return n->value ? "true" : "false";
    bool unsignedBits = n->value < 0 && !n->type.isSigned();
    return unsignedBits ? fmt::to_string(static_cast<std::uint64_t>(n->value)) : fmt::to_string(n->value);
  }
  case ExprKind::FloatLit: return fmt::to_string(as<FloatLit>(expr)->value);
  case ExprKind::VarRef: return as<VarRef>(expr)->name;
  case ExprKind::Cast: return text(as<Cast>(expr)->operand, outer);
  case ExprKind::CoopIdx: return "coopIdx()";
  case ExprKind::CoopDim: return "coopDim()";
  case ExprKind::Size: {
    const Size *n = as<Size>(expr);
    return fmt::format("{}.size({})", text(n->container, 20), n->dim ? text(n->dim) : "");
  }
  case ExprKind::Unary: {
    const Unary *n = as<Unary>(expr);
    bool postfix = n->op == UnaryOp::PostInc || n->op == UnaryOp::PostDec;
    return postfix ? text(n->operand, 20) + std::string(symbol(n->op))
                   : std::string(symbol(n->op)) + text(n->operand, 20);
  }
  case ExprKind::Binary: {
    const Binary *n = as<Binary>(expr);
    int own = precedence(n->op);
    std::string out = fmt::format("{} {} {}", text(n->lhs, own), symbol(n->op), text(n->rhs, own + 1));
    return own < outer ? "(" + out + ")" : out;
  }
  case ExprKind::Conditional: {
    const Conditional *n = as<Conditional>(expr);
    std::string out = fmt::format("{} ? {} : {}", text(n->cond, 1), text(n->then), text(n->otherwise));
    return outer >= 0 ? "(" + out + ")" : out;
  }
  case ExprKind::Subscript:
    return fmt::format("{}[{}]", text(as<Subscript>(expr)->base, 20), list(as<Subscript>(expr)->indices));
  case ExprKind::Member: return fmt::format("{}.{}", text(as<Member>(expr)->base, 20), as<Member>(expr)->field);
  case ExprKind::Call: return fmt::format("{}({})", as<Call>(expr)->callee, list(as<Call>(expr)->args));
  case ExprKind::Assign:
  case ExprKind::InitList:
  case ExprKind::Pitch:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return fmt::format("<{}>", name(expr->kind()));
}

} // namespace

std::string describe(const Expr &requirement) { return text(&requirement); }

std::vector<const Expr *> requirements(const Codelet &codelet, Arena &arena) {
  std::vector<const Expr *> result = codelet.conditions;
  if (!codelet.coop) return result;
  // Where the author has limited a container, that limit is what counts.
  std::set<std::string> said;
  auto limited = [&](const Expr *expr) {
    walk(expr, [&](const Size &n) {
      if (const VarRef *ref = dyn<VarRef>(n.container)) said.insert(ref->name);
    });
  };
  for (const Expr *condition : codelet.conditions)
    walk(condition, [&](const Binary &n) {
      if (n.op == BinaryOp::Lt || n.op == BinaryOp::Le || n.op == BinaryOp::Eq) limited(n.lhs);
      if (n.op == BinaryOp::Gt || n.op == BinaryOp::Ge || n.op == BinaryOp::Eq) limited(n.rhs);
    });
  std::map<std::string, Reach> owned = LaneAccesses(codelet).owned();
  for (const Param *param : codelet.params)
    if (auto it = owned.find(param->name); it != owned.end() && !said.count(param->name))
      result.push_back(coverage(codelet, param->name, it->second, arena));
  return result;
}

bool provable(const Expr &requirement, const Codelet &codelet, const std::vector<std::optional<std::uint64_t>> &bounds,
              std::uint64_t lanes) {
  return Sizes(nullptr, codelet, bounds, {}, lanes).value(&requirement).truth() == true;
}

} // namespace tangram
