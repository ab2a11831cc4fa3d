#include "Polynomial.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tangram::races {

namespace {
constexpr std::size_t kMostTerms = 24, kMostFactors = 4;
constexpr unsigned kDeepest = 12;     // of bounds that rest on bounds
constexpr unsigned kMostSteps = 2000; // of a question; past it the answer is not known
} // namespace

// ---- polynomials -----------------------------------------------------------------------------------------

void Polynomial::add(const Monomial &monomial, std::int64_t factor) {
  auto it = terms_.emplace(monomial, 0).first;
  if (__builtin_add_overflow(it->second, factor, &it->second)) unknown_ = true;
  if (it->second == 0) terms_.erase(it);
  if (terms_.size() > kMostTerms || monomial.size() > kMostFactors) unknown_ = true;
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (unknown_ || terms_.size() > 1 || (terms_.size() == 1 && !terms_.begin()->first.empty())) return {};
  return terms_.empty() ? 0 : terms_.begin()->second;
}

std::optional<SymbolId> Polynomial::single() const {
  if (unknown_ || terms_.size() != 1 || terms_.begin()->second != 1 || terms_.begin()->first.size() != 1) return {};
  return terms_.begin()->first[0];
}

std::vector<SymbolId> Polynomial::symbols() const {
  std::set<SymbolId> all;
  for (const auto &[monomial, _] : terms_) all.insert(monomial.begin(), monomial.end());
  return {all.begin(), all.end()};
}

bool Polynomial::mentions(SymbolId id) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const auto &t) { return std::binary_search(t.first.begin(), t.first.end(), id); });
}

std::optional<Polynomial::Split> Polynomial::split(SymbolId id) const {
  Split result;
  if (unknown_) return {};
  for (const auto &[monomial, factor] : terms_) {
    auto n = std::count(monomial.begin(), monomial.end(), id);
    if (n > 1) return {};
    Monomial others;
    std::copy_if(monomial.begin(), monomial.end(), std::back_inserter(others), [&](SymbolId s) { return s != id; });
    (n ? result.coefficient : result.rest).add(others, factor);
  }
  return result;
}

std::optional<Polynomial> Polynomial::dividedBy(const Polynomial &divisor) const {
  if (unknown_ || divisor.unknown_) return {};
  if (*this == divisor) return Polynomial(1);
  if (divisor.terms_.size() != 1) return {};
  const auto &[below, by] = *divisor.terms_.begin();
  Polynomial result;
  for (const auto &[monomial, factor] : terms_) {
    if (factor % by || !std::includes(monomial.begin(), monomial.end(), below.begin(), below.end())) return {};
    Monomial rest;
    std::set_difference(monomial.begin(), monomial.end(), below.begin(), below.end(), std::back_inserter(rest));
    result.add(rest, factor / by);
  }
  return result;
}

Polynomial Polynomial::operator+(const Polynomial &o) const {
  Polynomial result = *this;
  result.unknown_ |= o.unknown_;
  for (const auto &[monomial, factor] : o.terms_) result.add(monomial, factor);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &o) const { return *this + o * Polynomial(-1); }

Polynomial Polynomial::operator*(const Polynomial &o) const {
  Polynomial result;
  result.unknown_ = unknown_ || o.unknown_;
  for (const auto &[m, f] : terms_)
    for (const auto &[n, g] : o.terms_) {
      if (result.unknown_) return result;
      std::int64_t factor = 0;
      if (__builtin_mul_overflow(f, g, &factor)) return unknown();
      Monomial both;
      std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(both));
      result.add(both, factor);
    }
  return result;
}

// ---- symbols ---------------------------------------------------------------------------------------------

namespace {
std::string text(const Polynomial &p) {
  std::string out;
  for (const auto &[monomial, factor] : p.terms()) out += fmt::format("{}*{};", factor, fmt::join(monomial, "."));
  return out;
}
} // namespace

Polynomial Symbols::interned(Symbol symbol) {
  std::string key = fmt::format("{} {} {} {} / {}", static_cast<int>(symbol.kind), symbol.name, symbol.dim,
                                text(symbol.a), text(symbol.b));
  auto [it, fresh] = known_.try_emplace(key, mark());
  if (fresh) symbols_.push_back(std::move(symbol));
  return Polynomial::symbol(it->second);
}

Polynomial Symbols::scalar(const std::string &name, bool natural) {
  Symbol s;
  s.kind = Symbol::Kind::Scalar;
  s.name = name;
  s.natural = natural;
  return interned(std::move(s));
}

Polynomial Symbols::size(const std::string &container, unsigned dim) {
  Symbol s;
  s.kind = Symbol::Kind::Size;
  s.name = container;
  s.dim = dim;
  s.natural = true;
  return interned(std::move(s));
}

Polynomial Symbols::lanes() {
  Symbol s;
  s.kind = Symbol::Kind::Lanes;
  s.natural = true;
  return interned(std::move(s));
}

Polynomial Symbols::lane() {
  Symbol s;
  s.name = "lane";
  s.lo = Polynomial(0);
  s.hi = lanes() - Polynomial(1);
  s.natural = s.deterministic = true;
  symbols_.push_back(std::move(s));
  return Polynomial::symbol(mark() - 1);
}

Polynomial Symbols::index() {
  Symbol s;
  s.kind = Symbol::Kind::Index;
  s.natural = true;
  return interned(std::move(s));
}

Polynomial Symbols::any(std::optional<Polynomial> lo, std::optional<Polynomial> hi, bool natural, bool deterministic) {
  Symbol s;
  s.lo = lo && lo->isUnknown() ? std::nullopt : std::move(lo);
  s.hi = hi && hi->isUnknown() ? std::nullopt : std::move(hi);
  s.natural = natural;
  s.deterministic = deterministic;
  symbols_.push_back(std::move(s));
  return Polynomial::symbol(mark() - 1);
}

Polynomial Symbols::quotient(const Polynomial &a, const Polynomial &b) {
  if (a.isUnknown() || b.isUnknown()) return any();
  std::optional<std::int64_t> x = a.constant(), y = b.constant();
  if (y && *y == 0) return any();
  if (x && y) return *x / *y;
  if (std::optional<Polynomial> exact = a.dividedBy(b)) return *exact;
  Symbol s;
  s.kind = Symbol::Kind::Quotient;
  s.a = a;
  s.b = b;
  return interned(std::move(s));
}

Polynomial Symbols::remainder(const Polynomial &a, const Polynomial &b) {
  if (a.isUnknown() || b.isUnknown()) return any();
  std::optional<std::int64_t> x = a.constant(), y = b.constant();
  if (y && *y == 0) return any();
  if (x && y) return *x % *y;
  if (a.dividedBy(b)) return 0;
  Symbol s;
  s.kind = Symbol::Kind::Remainder;
  s.a = a;
  s.b = b;
  return interned(std::move(s));
}

// ---- substitution ----------------------------------------------------------------------------------------

Polynomial Substitution::operator()(const Polynomial &p) {
  if (p.isUnknown()) return p;
  Polynomial result;
  for (const auto &[monomial, factor] : p.terms()) {
    Polynomial product(factor);
    for (SymbolId id : monomial) product = product * symbol(id);
    result = result + product;
  }
  return result;
}

Polynomial Substitution::symbol(SymbolId id) {
  if (auto it = replaced.find(id); it != replaced.end()) return it->second;
  const Symbol &s = symbols_[id];
  Polynomial result = Polynomial::symbol(id);
  switch (s.kind) {
  case Symbol::Kind::Quotient: {
    Polynomial a = (*this)(s.a), b = (*this)(s.b);
    result = symbols_.quotient(a, b);
    break;
  }
  case Symbol::Kind::Remainder: {
    Polynomial a = (*this)(s.a), b = (*this)(s.b);
    result = symbols_.remainder(a, b);
    break;
  }
  case Symbol::Kind::Any: {
    std::optional<Polynomial> lo = s.lo, hi = s.hi;
    bool natural = s.natural, deterministic = s.deterministic;
    if (lo) lo = (*this)(*lo);
    if (hi) hi = (*this)(*hi);
    result = symbols_.any(std::move(lo), std::move(hi), natural, deterministic);
    break;
  }
  default: break; // what stands for it has been said, or it is what it is
  }
  return replaced[id] = result;
}

// ---- comparisons -----------------------------------------------------------------------------------------

bool Bounds::isFree(SymbolId id) const {
  if (std::find(fixed.begin(), fixed.end(), id) != fixed.end()) return false;
  const Symbol &s = symbols_[id];
  if (s.kind == Symbol::Kind::Any) return id >= mark_;
  return (s.kind == Symbol::Kind::Quotient || s.kind == Symbol::Kind::Remainder) && (hasFree(s.a) || hasFree(s.b));
}

bool Bounds::hasFree(const Polynomial &p) const {
  std::vector<SymbolId> all = p.symbols();
  return p.isUnknown() || std::any_of(all.begin(), all.end(), [&](SymbolId id) { return isFree(id); });
}

std::optional<Polynomial> Bounds::highest(SymbolId id, unsigned depth) const {
  const Symbol &s = symbols_[id];
  switch (s.kind) {
  case Symbol::Kind::Any: return s.hi;
  case Symbol::Kind::Remainder:
    if (natural(s.a, depth + 1)) return s.b - Polynomial(1);
    return {};
  case Symbol::Kind::Quotient: {
    std::optional<std::int64_t> by = s.b.constant();
    std::optional<Polynomial> most = by && *by > 0 ? bound(s.a, depth + 1) : std::nullopt;
    std::optional<std::int64_t> value = most ? most->constant() : std::nullopt;
    if (value && *value >= 0) return Polynomial(*value / *by);
    return {};
  }
  default: return {};
  }
}

std::optional<Polynomial> Bounds::lowest(SymbolId id, unsigned depth) const {
  const Symbol &s = symbols_[id];
  if (s.kind == Symbol::Kind::Any && s.lo) return s.lo;
  if (s.natural) return Polynomial(0);
  if ((s.kind == Symbol::Kind::Remainder || s.kind == Symbol::Kind::Quotient) && natural(s.a, depth + 1) &&
      natural(s.b, depth + 1))
    return Polynomial(0);
  return {};
}

std::optional<Polynomial> Bounds::bound(const Polynomial &p, unsigned depth) const {
  if (p.isUnknown() || depth > kDeepest || ++steps_ > kMostSteps) return {};
  if (!hasFree(p)) return p;
  for (const Polynomial &fact : facts_)
    if (Polynomial sum = p + fact; !hasFree(sum)) return sum;
  std::vector<SymbolId> all = p.symbols();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (!isFree(*it)) continue;
    std::optional<Polynomial::Split> split = p.split(*it);
    if (!split) continue;
    std::optional<Polynomial> at;
    if (natural(split->coefficient, depth + 1))
      at = highest(*it, depth);
    else if (natural(Polynomial(0) - split->coefficient, depth + 1))
      at = lowest(*it, depth);
    if (!at) continue;
    if (std::optional<Polynomial> found = bound(split->coefficient * *at + split->rest, depth + 1)) return found;
  }
  return {};
}

bool Bounds::natural(const Polynomial &p, unsigned depth) const {
  if (p.isUnknown() || depth > kDeepest || ++steps_ > kMostSteps) return false;
  // All of it in terms of how far symbols lie above the least that they can be.
  Polynomial above = p;
  for (SymbolId id : p.symbols()) {
    const Symbol &s = symbols_[id];
    std::optional<Polynomial> low = s.kind == Symbol::Kind::Any ? s.lo : std::nullopt;
    std::optional<std::int64_t> least = low ? low->constant() : std::nullopt;
    if (!least || *least == 0) continue;
    std::optional<Polynomial::Split> split = above.split(id);
    if (split) above = split->coefficient * (Polynomial::symbol(id) + Polynomial(*least)) + split->rest;
  }
  bool all = std::all_of(above.terms().begin(), above.terms().end(), [&](const auto &term) {
    return term.second >= 0 && std::all_of(term.first.begin(), term.first.end(), [&](SymbolId id) {
             const Symbol &s = symbols_[id];
             if (s.kind == Symbol::Kind::Any && s.lo && s.lo->constant()) return true;
             return lowest(id, depth + 1) && (s.natural || s.kind != Symbol::Kind::Any || natural(*s.lo, depth + 1));
           });
  });
  if (all && !above.isUnknown()) return true;
  for (const Polynomial &fact : facts_)
    if (Polynomial rest = p - fact; rest.constant() && *rest.constant() >= 0) return true;
  // By the bounds of one of its symbols.
  std::vector<SymbolId> symbols = p.symbols();
  for (auto it = symbols.rbegin(); it != symbols.rend(); ++it) {
    const Symbol &s = symbols_[*it];
    if (s.kind != Symbol::Kind::Any && s.kind != Symbol::Kind::Remainder && s.kind != Symbol::Kind::Quotient) continue;
    std::optional<Polynomial::Split> split = p.split(*it);
    std::optional<std::int64_t> sign = split ? split->coefficient.constant() : std::nullopt;
    if (!sign) continue;
    std::optional<Polynomial> at = *sign > 0 ? lowest(*it, depth + 1) : highest(*it, depth + 1);
    if (at && natural(split->coefficient * *at + split->rest, depth + 1)) return true;
  }
  return false;
}

bool Bounds::positiveInGeneral(const Polynomial &p) const {
  if (p.isUnknown() || p.isZero()) return false;
  return std::all_of(p.terms().begin(), p.terms().end(), [](const auto &term) { return term.second > 0; });
}

} // namespace tangram::races
