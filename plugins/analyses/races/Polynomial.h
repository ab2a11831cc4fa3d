// Integers of a program as polynomials over symbols: what indices, bounds and extents are compared by.
//
// Numbers are taken for mathematical ones: an index whose computation wraps around is not an index of its container.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::races {

using SymbolId = unsigned;
using Monomial = std::vector<SymbolId>; // sorted; empty: the constant

/// A sum of products of symbols. One that got too large, or overflowed, is `unknown`: equal to nothing.
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(std::int64_t constant) {
    if (constant) terms_[{}] = constant;
  }
  static Polynomial symbol(SymbolId id) {
    Polynomial p;
    p.terms_[{id}] = 1;
    return p;
  }
  static Polynomial unknown() {
    Polynomial p;
    p.unknown_ = true;
    return p;
  }

  bool isUnknown() const { return unknown_; }
  bool isZero() const { return !unknown_ && terms_.empty(); }
  std::optional<std::int64_t> constant() const;
  /// The symbol, where it is nothing else.
  std::optional<SymbolId> single() const;
  const std::map<Monomial, std::int64_t> &terms() const { return terms_; }
  std::vector<SymbolId> symbols() const;
  bool mentions(SymbolId id) const;

  /// coefficient * id + rest, neither of which mentions it; nothing where it is not linear in it.
  struct Split;
  std::optional<Split> split(SymbolId id) const;
  /// The quotient by another, exact; nothing where there is none, or the other has more than one term.
  std::optional<Polynomial> dividedBy(const Polynomial &divisor) const;

  Polynomial operator+(const Polynomial &o) const;
  Polynomial operator-(const Polynomial &o) const;
  Polynomial operator*(const Polynomial &o) const;
  bool operator==(const Polynomial &o) const { return !unknown_ && !o.unknown_ && terms_ == o.terms_; }

private:
  void add(const Monomial &monomial, std::int64_t factor);
  std::map<Monomial, std::int64_t> terms_;
  bool unknown_ = false;
};

struct Polynomial::Split {
  Polynomial coefficient, rest;
};

/// What is known of a symbol.
struct Symbol {
  enum class Kind : std::uint8_t {
    Scalar,    // a parameter of the codelet
    Size,      // extent `dim` of a container parameter
    Lanes,     // coopDim()
    Any,       // a number between lo and hi, as far as these are known
    Index,     // of an element, in what a container holds
    Quotient,  // a / b
    Remainder, // a % b
  };
  Kind kind = Kind::Any;
  std::string name; // Scalar, Size
  unsigned dim = 0;
  bool natural = false;             // never negative
  std::optional<Polynomial> lo, hi; // Any; inclusive
  Polynomial a, b;                  // Quotient, Remainder
  bool deterministic = false;       // Any: the same numbers in each call, as of lanes and loops over sizes
};

/// All symbols of one analysis. A symbol's bounds and operands mention older symbols alone.
class Symbols {
public:
  const Symbol &operator[](SymbolId id) const { return symbols_[id]; }
  SymbolId mark() const { return static_cast<SymbolId>(symbols_.size()); }

  Polynomial scalar(const std::string &name, bool natural);
  Polynomial size(const std::string &container, unsigned dim);
  Polynomial lanes();
  /// coopIdx(): one of the lanes.
  Polynomial lane();
  Polynomial index();
  Polynomial any(std::optional<Polynomial> lo = {}, std::optional<Polynomial> hi = {}, bool natural = false,
                 bool deterministic = false);
  Polynomial quotient(const Polynomial &a, const Polynomial &b);
  Polynomial remainder(const Polynomial &a, const Polynomial &b);

private:
  Polynomial interned(Symbol symbol);
  std::deque<Symbol> symbols_;
  std::map<std::string, SymbolId> known_;
};

/// A polynomial in other words: symbols replaced, with their bounds; memoised for one instance of a summary.
class Substitution {
public:
  explicit Substitution(Symbols &symbols) : symbols_(symbols) {}
  std::map<SymbolId, Polynomial> replaced;
  Polynomial operator()(const Polynomial &p);

private:
  Polynomial symbol(SymbolId id);
  Symbols &symbols_;
};

/// Comparisons under `facts`: polynomials that are not negative. A symbol is free where it, or an operand of it, is of
/// the mark or newer; `bound` are free ones that count as fixed.
class Bounds {
public:
  Bounds(Symbols &symbols, SymbolId mark, std::vector<Polynomial> facts)
      : symbols_(symbols), mark_(mark), facts_(std::move(facts)) {}
  std::vector<SymbolId> fixed;

  bool isFree(SymbolId id) const;
  bool hasFree(const Polynomial &p) const;
  /// At most that, over symbols that are not free.
  std::optional<Polynomial> upper(const Polynomial &p) const {
    steps_ = 0;
    return bound(p, 0);
  }
  /// Whether it is never negative.
  bool natural(const Polynomial &p) const {
    steps_ = 0;
    return natural(p, 0);
  }
  /// Whether it is positive where all sizes, counts and tunables are large enough: what tells a conflict.
  bool positiveInGeneral(const Polynomial &p) const;

private:
  bool natural(const Polynomial &p, unsigned depth) const;
  std::optional<Polynomial> bound(const Polynomial &p, unsigned depth) const;
  std::optional<Polynomial> highest(SymbolId id, unsigned depth) const;
  std::optional<Polynomial> lowest(SymbolId id, unsigned depth) const;

  Symbols &symbols_;
  SymbolId mark_;
  std::vector<Polynomial> facts_;
  mutable unsigned steps_ = 0; // of the question at hand; there may be as many ways to bound as symbols have orders
};

} // namespace tangram::races
