#include "Conditions.h"

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
  Solver(const Spectrum &spectrum, const ShapeRequest &request)
      : spectrum_(spectrum), request_(request), conditions_(spectrum, shape_) {}

  std::optional<Shape> solve(const Expr **broken) {
    start();
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
      const Expr *worst = conditions_.firstBroken();
      if (!worst) return std::move(shape_);
      if (!repair(*worst, round)) break;
    }
    if (broken) *broken = conditions_.firstBroken();
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
  std::optional<std::int64_t> value(const Expr *e) const { return conditions_.value(e); }
  std::optional<std::size_t> param(const std::string &name) const { return conditions_.param(name); }

  std::optional<std::uint64_t> deduced(const Unknown &wanted) const {
    for (const Expr *condition : conditions_.all()) {
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
      else if (type.isInteger())
        argument.scalar = i < request_.scalars.size() && request_.scalars[i] ? *request_.scalars[i] : 1;
      shape_.arguments.push_back(std::move(argument));
    }
    pin();
  }

  /// What conditions say is a constant, or equal to what is one, is that from the start and stays so: repaired one by
  /// one, `a.size(1) == b.size(1) && b.size(1) == 128` may go in circles. The other sizes of a container are chosen so
  /// that it has as many elements as ever.
  void pin() {
    std::vector<std::pair<const Expr *, const Expr *>> equal;
    for (const Expr *condition : conditions_.all())
      if (const Binary *n = dyn<Binary>(withoutCasts(condition)); n && n->op == BinaryOp::Eq)
        for (auto [side, other] : {std::pair(n->lhs, n->rhs), std::pair(n->rhs, n->lhs)})
          equal.emplace_back(side, other);
    std::vector<Change> pinned;
    const auto known = [&](const Unknown &u) {
      return std::find_if(pinned.begin(), pinned.end(), [&](const Change &c) { return c.unknown == u; });
    };
    const auto valueOf = [&](const Expr *e) -> std::optional<std::int64_t> {
      if (const std::optional<std::int64_t> v = constant(e)) return v;
      const std::optional<Unknown> u = unknown(e);
      const auto at = u ? known(*u) : pinned.end();
      return at == pinned.end() ? std::nullopt : std::optional(at->value);
    };
    for (bool more = true; more;) {
      more = false;
      for (const auto &[side, other] : equal) {
        const std::optional<std::int64_t> v = valueOf(other);
        const std::optional<Change> found = v ? isolate(side, *v) : std::nullopt;
        if (!found || found->value < (found->unknown.dim < 0 ? INT64_MIN : 0)) continue;
        if (known(found->unknown) != pinned.end()) continue; // a contradiction shows in the end
        pinned.push_back(*found);
        more = true;
      }
    }
    for (std::size_t i = 0; i < shape_.arguments.size(); ++i) {
      const unsigned rank = spectrum_.params[i]->type.rank();
      std::uint64_t elements = 1;
      unsigned free = rank;
      for (const Change &c : pinned)
        if (c.unknown.param == i && c.unknown.dim >= 0)
          --free, elements *= static_cast<std::uint64_t>(std::max<std::int64_t>(1, c.value));
      if (free == rank) continue;
      const std::vector<std::uint64_t> chosen = sizes(free, (request_.n + elements - 1) / elements);
      auto next = chosen.begin();
      for (unsigned d = 0; d < rank; ++d)
        if (known({i, static_cast<int>(d)}) == pinned.end()) shape_.arguments[i].sizes[d] = *next++;
    }
    for (const Change &c : pinned) {
      set(c.unknown, c.value);
      pinned_.push_back(c.unknown);
    }
  }

  std::vector<std::uint64_t> sizes(unsigned rank) const { return sizes(rank, request_.n); }
  std::vector<std::uint64_t> sizes(unsigned rank, std::uint64_t n) const {
    if (rank == 0) return {};
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

  /// `e` as something that can be chosen.
  std::optional<Unknown> unknown(const Expr *e) const {
    const std::optional<Unknown> u = unknownOf(e);
    return u && std::find(pinned_.begin(), pinned_.end(), *u) != pinned_.end() ? std::nullopt : u;
  }
  std::optional<Unknown> unknownOf(const Expr *e) const {
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
        std::size_t left = conditions_.countBroken();
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
  Shape shape_;
  std::vector<Unknown> pinned_;
  const Conditions conditions_; // of it
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
  const std::optional<std::int64_t> value = Conditions(spectrum, shape).value(&condition);
  return value ? std::optional(*value != 0) : std::nullopt;
}

} // namespace tangram::runtime
