#include "tangram/verify/Shapes.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tangram::runtime {

using namespace ast;

std::string_view name(Aspect aspect) {
  switch (aspect) {
  case Aspect::Square: return "square";
  case Aspect::OneRow: return "one row";
  case Aspect::OneColumn: return "one column";
  case Aspect::Wide: return "wide";
  case Aspect::Tall: break;
  }
  return "tall";
}

namespace {

/// A size or an integer scalar: what may be chosen.
struct Unknown {
  std::size_t param = 0;
  int dim = -1; // -1: a scalar
  bool operator==(const Unknown &) const = default;
};

struct Change {
  Unknown unknown;
  std::int64_t value = 0;
};

class Solver {
public:
  Solver(const Spectrum &spectrum, const ShapeRequest &request) : spectrum_(spectrum), request_(request) {
    for (const Expr *condition : spectrum.conditions) split(condition);
  }

  std::optional<Shape> solve(const Expr **broken) {
    start();
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
      const Expr *worst = firstBroken();
      if (!worst) return std::move(shape_);
      if (!repair(*worst, round)) break;
    }
    if (broken) *broken = firstBroken();
    return std::nullopt;
  }

  std::optional<std::int64_t> value(const Expr *e) const {
    e = withoutCasts(e);
    if (const IntLit *n = dyn<IntLit>(e)) return n->value;
    if (const VarRef *ref = dyn<VarRef>(e)) {
      std::optional<std::size_t> i = param(ref->name);
      return i ? shape_.arguments[*i].scalar : std::nullopt;
    }
    if (const Size *size = dyn<Size>(e)) return sizeOf(*size);
    if (const Unary *n = dyn<Unary>(e)) {
      std::optional<std::int64_t> v = value(n->operand);
      if (!v) return v;
      switch (n->op) {
      case UnaryOp::Plus: return v;
      case UnaryOp::Minus: return static_cast<std::int64_t>(-static_cast<std::uint64_t>(*v));
      case UnaryOp::Not: return !*v;
      case UnaryOp::BitNot: return ~*v;
      default: return std::nullopt;
      }
    }
    if (const Conditional *n = dyn<Conditional>(e)) {
      std::optional<std::int64_t> v = value(n->cond);
      return v ? value(*v ? n->then : n->otherwise) : v;
    }
    if (const Binary *n = dyn<Binary>(e)) return binary(*n);
    return std::nullopt;
  }

  void take(const Shape &shape) { shape_ = shape; }
  const Shape &shape() const { return shape_; }

  void deduce() {
    for (bool more = true; more;) { // one container's sizes may follow from another's
      more = false;
      for (std::size_t i = 0; i < spectrum_.params.size(); ++i) {
        if (!spectrum_.params[i]->type.isArray() || !shape_.arguments[i].sizes.empty()) continue;
        std::vector<std::uint64_t> sizes;
        for (unsigned d = 0; d < spectrum_.params[i]->type.rank(); ++d)
          if (std::optional<std::uint64_t> size = deduced({i, static_cast<int>(d)})) sizes.push_back(*size);
        if (sizes.size() != spectrum_.params[i]->type.rank()) continue;
        shape_.arguments[i].sizes = std::move(sizes);
        more = true;
      }
    }
  }

private:
  /// Conditions joined by && are repaired one by one.
  void split(const Expr *condition) {
    const Binary *n = dyn<Binary>(withoutCasts(condition));
    if (n && n->op == BinaryOp::LogicalAnd) {
      split(n->lhs);
      split(n->rhs);
    } else {
      conditions_.push_back(condition);
    }
  }

  std::optional<std::size_t> param(const std::string &name) const {
    for (std::size_t i = 0; i < spectrum_.params.size(); ++i)
      if (spectrum_.params[i]->name == name) return i;
    return std::nullopt;
  }

  std::optional<std::int64_t> sizeOf(const Size &size) const {
    const VarRef *ref = dyn<VarRef>(size.container);
    std::optional<std::size_t> i = ref ? param(ref->name) : std::nullopt;
    if (!i) return std::nullopt;
    const std::vector<std::uint64_t> &sizes = shape_.arguments[*i].sizes;
    if (sizes.empty()) return std::nullopt; // not known yet
    if (!size.dim) {
      std::uint64_t all = 1;
      for (std::uint64_t s : sizes) all *= s;
      return static_cast<std::int64_t>(all);
    }
    std::optional<std::int64_t> d = value(size.dim);
    if (!d || *d < 0 || static_cast<std::size_t>(*d) >= sizes.size()) return std::nullopt;
    return static_cast<std::int64_t>(sizes[static_cast<std::size_t>(*d)]);
  }

  std::optional<std::int64_t> binary(const Binary &n) const {
    if (n.lhs->type.isFloating() || n.rhs->type.isFloating()) return std::nullopt;
    std::optional<std::int64_t> a = value(n.lhs), b = value(n.rhs);
    if (n.op == BinaryOp::LogicalAnd && ((a && !*a) || (b && !*b))) return 0;
    if (n.op == BinaryOp::LogicalOr && ((a && *a) || (b && *b))) return 1;
    if (!a || !b) return std::nullopt;
    std::int64_t result = 0;
    switch (n.op) {
    case BinaryOp::Add: return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Sub: return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Mul: return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Div: return *b == 0 || *b == -1 ? std::nullopt : std::optional(*a / *b);
    case BinaryOp::Rem: return *b == 0 || *b == -1 ? std::nullopt : std::optional(*a % *b);
    case BinaryOp::Shl:
      return *b < 0 || *b > 62 || *a < 0 || *a > (INT64_MAX >> *b) ? std::nullopt : std::optional(*a << *b);
    case BinaryOp::Shr: return *b < 0 || *b > 62 ? std::nullopt : std::optional(*a >> *b);
    case BinaryOp::And: return *a & *b;
    case BinaryOp::Or: return *a | *b;
    case BinaryOp::Xor: return *a ^ *b;
    case BinaryOp::LogicalAnd: return *a && *b;
    case BinaryOp::LogicalOr: return *a || *b;
    case BinaryOp::Eq: return *a == *b;
    case BinaryOp::Ne: return *a != *b;
    case BinaryOp::Lt: return *a < *b;
    case BinaryOp::Le: return *a <= *b;
    case BinaryOp::Gt: return *a > *b;
    case BinaryOp::Ge: return *a >= *b;
    case BinaryOp::Comma: return b;
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> deduced(const Unknown &wanted) const {
    for (const Expr *condition : conditions_) {
      const Binary *n = dyn<Binary>(withoutCasts(condition));
      if (!n || n->op != BinaryOp::Eq) continue;
      for (auto [side, other] : {std::pair(n->lhs, n->rhs), std::pair(n->rhs, n->lhs)}) {
        std::optional<std::int64_t> v = value(other);
        std::optional<Change> found = v ? isolate(side, *v) : std::nullopt;
        if (found && found->unknown == wanted && found->value >= 0) return static_cast<std::uint64_t>(found->value);
      }
    }
    return std::nullopt;
  }

  void start() {
    for (std::size_t i = 0; i < spectrum_.params.size(); ++i) {
      const Type &type = spectrum_.params[i]->type;
      Shape::Argument argument;
      if (type.isArray())
        argument.sizes = i < request_.fixed.size() && request_.fixed[i] ? *request_.fixed[i] : sizes(type.rank());
      else if (!type.isFloating())
        argument.scalar = i < request_.scalars.size() && request_.scalars[i] ? *request_.scalars[i] : 1;
      shape_.arguments.push_back(std::move(argument));
    }
  }

  std::vector<std::uint64_t> sizes(unsigned rank) const {
    std::uint64_t n = request_.n;
    if (rank == 1) return {n};
    std::vector<std::uint64_t> result(rank, 1);
    auto root = [](double x, double k) {
      return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(std::pow(x, 1 / k))));
    };
    std::uint64_t side = root(static_cast<double>(n), rank);
    switch (request_.aspect) {
    case Aspect::Square: result.assign(rank, side); break;
    case Aspect::OneRow: result.back() = n; break;
    case Aspect::OneColumn: result.front() = n; break;
    case Aspect::Wide: result.front() = std::min<std::uint64_t>(n, 7); break;
    case Aspect::Tall: result.back() = std::min<std::uint64_t>(n, 7); break;
    }
    if (n == 0) {
      // No elements, but not always no rows.
      result.assign(rank, request_.aspect == Aspect::Square ? 0 : 5);
      (request_.aspect == Aspect::OneColumn || request_.aspect == Aspect::Tall ? result.back() : result.front()) = 0;
    } else if (request_.aspect == Aspect::Wide) {
      result.back() = std::max<std::uint64_t>(1, n / result.front());
    } else if (request_.aspect == Aspect::Tall) {
      result.front() = std::max<std::uint64_t>(1, n / result.back());
    }
    return result;
  }

  const Expr *firstBroken() const {
    for (const Expr *condition : conditions_)
      if (value(condition) == std::optional<std::int64_t>(0)) return condition;
    return nullptr;
  }
  std::size_t countBroken() const {
    return static_cast<std::size_t>(std::count_if(conditions_.begin(), conditions_.end(), [&](const Expr *c) {
      return value(c) == std::optional<std::int64_t>(0);
    }));
  }

  /// `e` as something that can be chosen.
  std::optional<Unknown> unknown(const Expr *e) const {
    e = withoutCasts(e);
    if (const VarRef *ref = dyn<VarRef>(e)) {
      std::optional<std::size_t> i = param(ref->name);
      if (i && shape_.arguments[*i].scalar) return Unknown{*i, -1};
    }
    if (const Size *size = dyn<Size>(e)) {
      const VarRef *ref = dyn<VarRef>(size->container);
      std::optional<std::size_t> i = ref ? param(ref->name) : std::nullopt;
      if (!i || (*i < request_.fixed.size() && request_.fixed[*i])) return std::nullopt;
      std::size_t rank = spectrum_.params[*i]->type.rank();
      std::optional<std::int64_t> d = size->dim   ? value(size->dim)
                                      : rank == 1 ? std::optional<std::int64_t>(0)
                                                  : std::nullopt;
      if (d && *d >= 0 && static_cast<std::size_t>(*d) < rank) return Unknown{*i, static_cast<int>(*d)};
    }
    return std::nullopt;
  }

  std::int64_t get(const Unknown &u) const {
    const Shape::Argument &a = shape_.arguments[u.param];
    return u.dim < 0 ? *a.scalar : static_cast<std::int64_t>(a.sizes[static_cast<std::size_t>(u.dim)]);
  }
  bool set(const Unknown &u, std::int64_t v) {
    Shape::Argument &a = shape_.arguments[u.param];
    if (u.dim < 0) {
      a.scalar = v;
      return true;
    }
    if (v < 0) return false;
    a.sizes[static_cast<std::size_t>(u.dim)] = static_cast<std::uint64_t>(v);
    std::uint64_t all = 1;
    for (std::uint64_t s : a.sizes)
      if (__builtin_mul_overflow(all, s, &all)) return false;
    return all <= request_.most;
  }

  bool repair(const Expr &condition, int round) {
    std::vector<Change> changes;
    if (const Binary *n = dyn<Binary>(withoutCasts(&condition))) {
      solveFor(changes, n->lhs, n->op, n->rhs);
      solveFor(changes, n->rhs, mirrored(n->op), n->lhs);
    }
    // The container of lower rank gives way, then the later parameter; the other way round where that went in circles.
    bool reversed = round > 100;
    std::stable_sort(changes.begin(), changes.end(), [&](const Change &a, const Change &b) {
      auto rank = [&](const Change &c) { return shape_.arguments[c.unknown.param].sizes.size(); };
      if (rank(a) != rank(b)) return (rank(a) < rank(b)) != reversed;
      return (a.unknown.param > b.unknown.param) != reversed;
    });
    if (changes.empty()) probe(changes, condition);
    std::optional<Change> best;
    std::size_t fewest = 0;
    for (const Change &change : changes) {
      Shape before = shape_;
      if (set(change.unknown, change.value) && value(&condition).value_or(1)) {
        std::size_t left = countBroken();
        if (!best || left < fewest) {
          best = change;
          fewest = left;
        }
      }
      shape_ = std::move(before);
    }
    return best && set(best->unknown, best->value);
  }

  void solveFor(std::vector<Change> &changes, const Expr *side, BinaryOp op, const Expr *other) const {
    std::optional<std::int64_t> v = value(other);
    if (!v) return;
    std::int64_t wanted = *v;
    switch (op) {
    case BinaryOp::Eq:
    case BinaryOp::Le:
    case BinaryOp::Ge: break;
    case BinaryOp::Lt: --wanted; break;
    case BinaryOp::Ne:
    case BinaryOp::Gt: ++wanted; break;
    default: return;
    }
    if (std::optional<Change> change = isolate(side, wanted)) changes.push_back(*change);
  }

  /// The unknown of `side` with the value for which `side` is `wanted`, where constants are added to it, taken from
  /// it, or multiply it.
  std::optional<Change> isolate(const Expr *side, std::int64_t wanted) const {
    for (;;) {
      side = withoutCasts(side);
      if (std::optional<Unknown> u = unknown(side)) return Change{*u, wanted};
      const Binary *n = dyn<Binary>(side);
      if (!n) return std::nullopt;
      std::optional<std::int64_t> left = constant(n->lhs), right = constant(n->rhs);
      if (!left == !right) return std::nullopt;
      std::int64_t known = left ? *left : *right;
      bool overflows = false;
      switch (n->op) {
      case BinaryOp::Add: overflows = __builtin_sub_overflow(wanted, known, &wanted); break;
      case BinaryOp::Sub:
        overflows =
            right ? __builtin_add_overflow(wanted, known, &wanted) : __builtin_sub_overflow(known, wanted, &wanted);
        break;
      case BinaryOp::Mul:
        if (known <= 0 || wanted % known != 0) return std::nullopt;
        wanted /= known;
        break;
      default: return std::nullopt;
      }
      if (overflows) return std::nullopt;
      side = left ? n->rhs : n->lhs;
    }
  }

  /// The value of what speaks of no parameter.
  std::optional<std::int64_t> constant(const Expr *e) const {
    bool speaks = contains<Size>(e) || contains<VarRef>(e);
    return speaks ? std::nullopt : value(e);
  }

  /// For conditions of other forms (`n % 4 == 0`, `n & (n - 1)`): values near, and powers of two below, what it is.
  void probe(std::vector<Change> &changes, const Expr &condition) const {
    std::vector<Unknown> unknowns;
    walk(&condition, [&](const Expr &e) {
      std::optional<Unknown> u = isa<Cast>(&e) ? std::nullopt : unknown(&e);
      if (u && std::find(unknowns.begin(), unknowns.end(), *u) == unknowns.end()) unknowns.push_back(*u);
    });
    for (const Unknown &u : unknowns) {
      std::int64_t now = get(u);
      for (std::int64_t d = 1; d <= 128; ++d) {
        changes.push_back({u, now - d});
        changes.push_back({u, now + d});
      }
      for (std::int64_t p = 1ll << 40; p > 0; p /= 2)
        if (p < now) changes.push_back({u, p});
      changes.push_back({u, 0});
    }
  }

  const Spectrum &spectrum_;
  const ShapeRequest &request_;
  std::vector<const Expr *> conditions_;
  Shape shape_;
};

std::string describe(const Spectrum &spectrum, const Shape &shape) {
  std::string text;
  for (std::size_t i = 0; i < spectrum.params.size(); ++i) {
    const Shape::Argument &a = shape.arguments[i];
    if (a.sizes.empty() && !a.scalar) continue;
    if (!text.empty()) text += ", ";
    text += spectrum.params[i]->name;
    if (a.scalar)
      text += fmt::format("={}", *a.scalar);
    else
      text += fmt::format("[{}]", fmt::join(a.sizes, "x"));
  }
  return text;
}

} // namespace

std::optional<Shape> makeShape(const Spectrum &spectrum, const ShapeRequest &request, const Expr **broken) {
  std::optional<Shape> shape = Solver(spectrum, request).solve(broken);
  if (shape) shape->text = describe(spectrum, *shape);
  return shape;
}

void deduceSizes(const Spectrum &spectrum, Shape &shape) {
  ShapeRequest none;
  Solver solver(spectrum, none);
  solver.take(shape);
  solver.deduce();
  shape = solver.shape();
}

std::optional<bool> holds(const Expr &condition, const Spectrum &spectrum, const Shape &shape) {
  ShapeRequest none;
  Solver solver(spectrum, none);
  solver.take(shape);
  std::optional<std::int64_t> value = solver.value(&condition);
  return value ? std::optional(*value != 0) : std::nullopt;
}

} // namespace tangram::runtime
