#include "tangram/ranges/Bound.h"

#include "tangram/ast/Text.h"

#include <algorithm>
#include <cmath>

namespace tangram::ranges {

using namespace ast;

namespace {
constexpr std::size_t kMostDegree = 3; // what is larger is no size of anything
}

Bound::Bound(double constant) {
  if (constant > 0) terms_[{}] = constant;
}

Bound Bound::atom(const Expr *e) {
  Bound result;
  std::string name = print(e);
  result.terms_[{name}] = 1;
  result.atoms_[name] = e;
  return result;
}

Bound Bound::operator+(const Bound &other) const {
  Bound result = *this;
  for (const auto &[monomial, factor] : other.terms_) result.terms_[monomial] += factor;
  result.atoms_.insert(other.atoms_.begin(), other.atoms_.end());
  return result;
}

Bound Bound::operator*(const Bound &other) const {
  Bound result;
  for (const auto &[left, a] : terms_)
    for (const auto &[right, b] : other.terms_) {
      Monomial both;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
      result.terms_[both] += a * b;
    }
  result.atoms_ = atoms_;
  result.atoms_.insert(other.atoms_.begin(), other.atoms_.end());
  return result;
}

Bound Bound::scaled(double factor) const {
  Bound result = *this;
  for (auto &entry : result.terms_) entry.second *= factor;
  return result;
}

Bound Bound::max(const Bound &a, const Bound &b) {
  Bound result = a;
  for (const auto &[monomial, factor] : b.terms_) {
    double &mine = result.terms_[monomial];
    mine = std::max(mine, factor);
  }
  result.atoms_.insert(b.atoms_.begin(), b.atoms_.end());
  return result;
}

const Bound &Bound::min(const Bound &a, const Bound &b) {
  if (a.within(b)) return a;
  if (b.within(a)) return b;
  if (a.degree() != b.degree()) return a.degree() < b.degree() ? a : b;
  return b.terms_.size() < a.terms_.size() ? b : a;
}

std::optional<double> Bound::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

std::size_t Bound::degree() const {
  std::size_t result = 0;
  for (const auto &entry : terms_) result = std::max(result, entry.first.size());
  return result;
}

bool Bound::possible(double most) const {
  auto alone = terms_.find({});
  return degree() <= kMostDegree && (alone == terms_.end() || alone->second <= most);
}

bool Bound::within(const Bound &other) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const auto &term) {
    auto found = other.terms_.find(term.first);
    return found != other.terms_.end() && term.second <= found->second;
  });
}

bool Bound::follows(const std::vector<Bound> &others, double most) const {
  double weights = 0, constant = 0;
  for (const auto &[monomial, factor] : terms_) {
    if (monomial.empty()) {
      constant = factor;
      continue;
    }
    weights += factor;
    bool known = std::any_of(others.begin(), others.end(), [&, &mine = monomial](const Bound &other) {
      auto found = &other == this ? other.terms_.end() : other.terms_.find(mine);
      return found != other.terms_.end() && found->second >= 1;
    });
    if (!known) return false;
  }
  return weights <= 1 && constant + 1 <= (1 - weights) * most;
}

const Expr *Bound::atMost(double most, const Build &b) const {
  auto number = [&](double value) { return b.arena().make<FloatLit>(SourceRange{}, Type(Scalar::F64), value); };
  const Expr *sum = nullptr;
  auto add = [&](const Expr *term) { sum = sum ? b.add(sum, term) : term; };
  double constant = 0;
  for (const auto &[monomial, factor] : terms_) {
    if (monomial.empty()) {
      constant = std::ceil(factor);
      continue;
    }
    const Expr *product = nullptr;
    for (const std::string &name : monomial) {
      const Expr *atom = b.cast(Scalar::F64, atoms_.at(name));
      product = product ? b.mul(product, atom) : atom;
    }
    add(factor == 1 ? product : b.mul(product, number(factor)));
  }
  // Factors that are no whole numbers are rounded; what that may be in all is far below 1.
  return b.binary(BinaryOp::Le, sum ? sum : number(0), number(most - constant - 1));
}

} // namespace tangram::ranges
