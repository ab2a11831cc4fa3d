#include "Pairs.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <utility>

namespace tangram::barriers {

using namespace ast;

namespace {

constexpr Int kSmall = Int(1) << 30; // the sum of two is not beyond 32 bits

bool same(const Expr *a, const Expr *b) { return equal(withoutWordCasts(a), withoutWordCasts(b)); }

void conjuncts(const Expr *e, std::vector<const Expr *> &out) {
  while (const auto *cast = dyn<Cast>(e)) {
    if (!cast->type.isBool() && !cast->operand->type.isBool()) break;
    e = cast->operand;
  }
  const auto *both = dyn<Binary>(e);
  if (!both || both->op != BinaryOp::LogicalAnd) return out.push_back(e);
  conjuncts(both->lhs, out);
  conjuncts(both->rhs, out);
}

} // namespace

const Expr *withoutWordCasts(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) {
    if (!cast->type.isInteger() || cast->type.bytes() < 4 || !cast->operand->type.isInteger()) break;
    e = cast->operand;
  }
  return e;
}

Pairs::Pairs(const KnownValues &known, const Launch &launch) : known_(known) {
  auto changed = [&](const Expr *target, AssignOp op, const Expr *value) {
    if (const auto *v = dyn<VarRef>(target)) changes_[v->name].push_back({op, value});
  };
  walk(
      &launch,
      [&](const Declare &d) {
        if (d.extents.empty()) changes_[d.name].push_back({AssignOp::Set, d.init});
      },
      [&](const Assign &a) { changed(a.target, a.op, a.value); },
      [&](const Unary &u) {
        if (hasEffects(&u) && !hasEffects(u.operand)) changed(u.operand, AssignOp::Set, nullptr);
      },
      [&](const Loop &loop) { changes_[loop.var].push_back({AssignOp::Set, nullptr}); });
  walk(&launch, [&](const For &loop) {
    const auto *cond = dyn<Binary>(loop.cond);
    const auto *init = dyn<Declare>(loop.init);
    if (!cond || !init || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le)) return;
    const auto *v = dyn<VarRef>(withoutWordCasts(cond->lhs));
    if (v && v->name == init->name && !v->type.isSigned() && v->type.bytes() <= cond->lhs->type.bytes() &&
        !assignedVariables(loop.body).count(v->name))
      bounds_[v->name] = cond->rhs;
  });
}

/// All lanes have it alike, whenever each of them gets to ask.
bool Pairs::shared(const Expr *e, const Uniformity &uniformity) const {
  return !uniformity.varying(e) && !hasEffects(e) && speculable(e);
}

bool Pairs::atLeast(const Expr *e, Int least) const {
  std::set<std::string> used;
  std::optional<Int> value = known_.value(e, &used);
  bool result = value && *value >= least;
  if (result) frozen_.merge(used);
  return result;
}

bool Pairs::smallVariable(const std::string &name, std::set<std::string> &assumed) const {
  if (!assumed.insert(name).second) return true;
  if (auto bound = bounds_.find(name); bound != bounds_.end() && small(bound->second, assumed)) return true;
  auto changes = changes_.find(name);
  return changes != changes_.end() &&
         std::all_of(changes->second.begin(), changes->second.end(), [&](const Change &change) {
           if (!change.value) return false;
           if (change.op == AssignOp::Set) return small(change.value, assumed);
           return (change.op == AssignOp::Div && atLeast(change.value, 1)) ||
                  (change.op == AssignOp::Shr && atLeast(change.value, 0));
         });
}

/// Not negative, and below kSmall.
bool Pairs::small(const Expr *e, std::set<std::string> &assumed) const {
  if (!e) return false;
  e = withoutWordCasts(e);
  std::set<std::string> used;
  if (std::optional<Int> value = known_.value(e, &used)) {
    bool result = *value >= 0 && *value <= kSmall;
    if (result) frozen_.merge(used);
    return result;
  }
  if (const auto *v = dyn<VarRef>(e)) return smallVariable(v->name, assumed);
  const auto *b = dyn<Binary>(e);
  if (!b || (b->op != BinaryOp::Div && b->op != BinaryOp::Shr)) return false;
  return atLeast(b->rhs, b->op == BinaryOp::Div ? 1 : 0) && small(b->lhs, assumed);
}

/// i ^ s, itself or the variable that keeps it; null: it is nothing of that.
const Expr *Pairs::exchanged(const Expr *e, const Uniformity &uniformity, const IsLane &lane) const {
  e = withoutWordCasts(e);
  const Expr *value = e;
  if (const auto *v = dyn<VarRef>(e)) value = known_.initialiser(v->name);
  const auto *b = value ? dyn<Binary>(withoutWordCasts(value)) : nullptr;
  if (!b || b->op != BinaryOp::Xor) return nullptr;
  bool found = (lane(b->lhs) && shared(b->rhs, uniformity)) || (lane(b->rhs) && shared(b->lhs, uniformity));
  return found ? e : nullptr;
}

std::vector<Pair> Pairs::of(const Expr *cond, bool holds, const Uniformity &uniformity, const IsLane &lane) const {
  std::vector<const Expr *> parts;
  conjuncts(cond, parts);
  std::vector<Pair> result;
  if (!holds && parts.size() > 1) return result;
  for (const Expr *part : parts) {
    const auto *b = dyn<Binary>(part);
    if (!b) continue;
    bool less = b->op == BinaryOp::Lt || b->op == BinaryOp::Le;
    if (!less && b->op != BinaryOp::Gt && b->op != BinaryOp::Ge) continue;
    const Expr *low = less ? b->lhs : b->rhs, *high = less ? b->rhs : b->lhs;
    bool strict = b->op == BinaryOp::Lt || b->op == BinaryOp::Gt;
    bool first = lane(low);
    if (!first && !lane(high)) continue;
    const Expr *other = first ? high : low;
    if (const Expr *partner = exchanged(other, uniformity, lane)) {
      // Where they are equal, the lane has one element, which no other lane has.
      std::string order = first == holds ? "above" : "below";
      result.push_back({order + " " + print(partner), partner, nullptr, mentioned(partner)});
    } else if (std::set<std::string> assumed;
               first && holds && strict && shared(other, uniformity) && small(other, assumed)) {
      const Expr *distance = withoutWordCasts(other);
      result.push_back({"within " + print(distance), nullptr, distance, mentioned(distance)});
    }
  }
  return result;
}

/// What is added up in `e`, where a constant variable stands for what it was given.
std::vector<const Expr *> Pairs::terms(const Expr *e) const {
  e = withoutWordCasts(e);
  if (const auto *v = dyn<VarRef>(e))
    if (const Expr *init = known_.initialiser(v->name))
      if (const auto *sum = dyn<Binary>(withoutWordCasts(init));
          sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub))
        return terms(sum);
  const auto *sum = dyn<Binary>(e);
  if (!sum || sum->op != BinaryOp::Add) return {e};
  std::vector<const Expr *> result = terms(sum->lhs), more = terms(sum->rhs);
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

/// The c of a product x / s * c * s.
std::optional<Int> Pairs::multiple(const Expr *e, const Expr *x, const Expr *s) const {
  std::vector<const Expr *> open{e};
  Int constant = 1;
  bool hasQuotient = false, hasFactor = false;
  while (!open.empty()) {
    const Expr *factor = withoutWordCasts(open.back());
    open.pop_back();
    const auto *b = dyn<Binary>(factor);
    std::set<std::string> used;
    if (b && b->op == BinaryOp::Mul) {
      open.push_back(b->lhs);
      open.push_back(b->rhs);
    } else if (b && b->op == BinaryOp::Div && !hasQuotient && same(b->lhs, x) && same(b->rhs, s)) {
      hasQuotient = true;
    } else if (!hasFactor && same(factor, s)) {
      hasFactor = true;
    } else if (std::optional<Int> value = known_.value(factor, &used); value && *value > 0 && *value < kSmall) {
      if (constant > kSmall / *value) return {};
      constant *= *value;
      frozen_.merge(used);
    } else {
      return {};
    }
  }
  if (!hasQuotient) return {};
  if (hasFactor) return constant;
  std::set<std::string> used;
  std::optional<Int> size = known_.value(withoutWordCasts(s), &used);
  if (!size || *size <= 0 || constant % *size) return {};
  frozen_.merge(used);
  return constant / *size;
}

/// A power of two, or zero.
bool Pairs::powerOrZero(const Expr *e, std::set<std::string> &assumed) const {
  e = withoutWordCasts(e);
  std::set<std::string> used;
  auto isPower = [](Int n) { return n >= 0 && (n & (n - 1)) == 0; };
  if (std::optional<Int> value = known_.value(e, &used)) {
    if (isPower(*value)) frozen_.merge(used);
    return isPower(*value);
  }
  auto scales = [&](AssignOp op, const Expr *by) {
    if (op == AssignOp::Shl || op == AssignOp::Shr) return true;
    return (op == AssignOp::Mul || op == AssignOp::Div) && powerOrZero(by, assumed);
  };
  if (const auto *v = dyn<VarRef>(e)) {
    if (!assumed.insert(v->name).second) return true;
    auto changes = changes_.find(v->name);
    return changes != changes_.end() &&
           std::all_of(changes->second.begin(), changes->second.end(), [&](const Change &change) {
             if (!change.value) return false;
             return change.op == AssignOp::Set ? powerOrZero(change.value, assumed) : scales(change.op, change.value);
           });
  }
  const auto *b = dyn<Binary>(e);
  if (!b) return false;
  for (AssignOp op : {AssignOp::Mul, AssignOp::Div, AssignOp::Shl, AssignOp::Shr})
    if (binaryOf(op) == b->op) return powerOrZero(b->lhs, assumed) && scales(op, b->rhs);
  return false;
}

/// The x and s of x / s * 2 * s + x % s, or of 2 * x - (x & (s - 1)), which is the same where s is a power of two;
/// `rest`: what else is added.
std::optional<Pairs::Half> Pairs::half(const std::vector<const Expr *> &terms, std::vector<const Expr *> &rest) const {
  auto others = [&](std::initializer_list<const Expr *> without) {
    rest.clear();
    for (const Expr *term : terms)
      if (std::find(without.begin(), without.end(), term) == without.end()) rest.push_back(term);
  };
  for (const Expr *term : terms) {
    const auto *b = dyn<Binary>(term);
    if (!b) continue;
    if (b->op == BinaryOp::Rem)
      for (const Expr *other : terms)
        if (other != term && multiple(other, b->lhs, b->rhs) == 2) {
          others({term, other});
          return Half{b->lhs, b->rhs};
        }
    const auto *mask = b->op == BinaryOp::Sub ? dyn<Binary>(withoutWordCasts(b->rhs)) : nullptr;
    const auto *twice = mask ? dyn<Binary>(withoutWordCasts(b->lhs)) : nullptr;
    if (!twice || twice->op != BinaryOp::Mul || mask->op != BinaryOp::And) continue;
    for (auto [x, below] : {std::pair(mask->lhs, mask->rhs), std::pair(mask->rhs, mask->lhs)}) {
      const auto *less = dyn<Binary>(withoutWordCasts(below));
      bool isTwice = (isLiteral(withoutWordCasts(twice->lhs), 2) && same(twice->rhs, x)) ||
                     (isLiteral(withoutWordCasts(twice->rhs), 2) && same(twice->lhs, x));
      if (!isTwice || !less || less->op != BinaryOp::Sub || !isLiteral(withoutWordCasts(less->rhs), 1)) continue;
      std::set<std::string> assumed;
      if (!powerOrZero(less->lhs, assumed)) continue;
      others({term});
      return Half{x, less->lhs};
    }
  }
  return {};
}

std::optional<Pair> Pairs::inBlocks(const Expr *index, const Uniformity &uniformity, const IsLane &own) const {
  const std::set<std::string> frozen = frozen_; // nothing rests on what is asked of other indices
  std::vector<const Expr *> rest;
  std::optional<Half> half = this->half(terms(index), rest);
  const Expr *size = half ? withoutWordCasts(half->size) : nullptr;
  const bool isHalf = half && (rest.empty() || (rest.size() == 1 && same(rest[0], size)));
  std::set<std::string> assumed;
  if (!isHalf || !own(half->number) || !shared(size, uniformity) || !small(half->number, assumed) ||
      !small(size, assumed)) {
    frozen_ = frozen;
    return {};
  }
  return Pair{"in halves of " + print(size), nullptr, nullptr, mentioned(size)};
}

bool Pairs::has(const Pair &pair, const Expr *index, const IsLane &lane) {
  if (lane(index)) return true;
  if (pair.partner) return same(index, pair.partner);
  const auto *b = dyn<Binary>(withoutWordCasts(index));
  return b && b->op == BinaryOp::Add &&
         ((lane(b->lhs) && same(b->rhs, pair.distance)) || (lane(b->rhs) && same(b->lhs, pair.distance)));
}

} // namespace tangram::barriers
