#include "Pairs.h"

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

bool same(const Expr *a, const Expr *b) { return equal(withoutCasts(a), withoutCasts(b)); }

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

const Expr *withoutCasts(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) {
    if (!cast->type.isInteger() || cast->type.bytes() < 4 || !cast->operand->type.isInteger()) break;
    e = cast->operand;
  }
  return e;
}

Pairs::Pairs(const Kernel &kernel, const Launch &launch) : known_(kernel) {
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
    const auto *v = dyn<VarRef>(withoutCasts(cond->lhs));
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
  e = withoutCasts(e);
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
  e = withoutCasts(e);
  const Expr *value = e;
  if (const auto *v = dyn<VarRef>(e)) value = known_.initialiser(v->name);
  const auto *b = value ? dyn<Binary>(withoutCasts(value)) : nullptr;
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
      const Expr *distance = withoutCasts(other);
      result.push_back({"within " + print(distance), nullptr, distance, mentioned(distance)});
    }
  }
  return result;
}

bool Pairs::has(const Pair &pair, const Expr *index, const IsLane &lane) {
  if (lane(index)) return true;
  if (pair.partner) return same(index, pair.partner);
  const auto *b = dyn<Binary>(withoutCasts(index));
  return b && b->op == BinaryOp::Add &&
         ((lane(b->lhs) && same(b->rhs, pair.distance)) || (lane(b->rhs) && same(b->lhs, pair.distance)));
}

} // namespace tangram::barriers
