#include "tangram/nest/SelectedElements.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Nest.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

/// A place of fewer would ask for a container so small that nothing is gained.
constexpr unsigned kFewestBits = 31;

/// Bits of numbers that are not negative.
unsigned bitsOf(const Type &type) { return 8 * type.bytes() - (type.isSigned() ? 1 : 0); }

/// An element of a container that has a name.
const Subscript *wholeElement(const Expr *e) {
  const auto *element = dyn<Subscript>(e);
  const auto *base = element ? dyn<VarRef>(element->base) : nullptr;
  const bool whole = base && base->type.isArray() && element->indices.size() == base->type.rank();
  return whole && element->type.isScalar() && !hasEffects(element) ? element : nullptr;
}

using ElementPairs = std::vector<std::pair<const Subscript *, const Subscript *>>;

/// Elements in which two expressions differ that compute the same of them, by operators and functions that cannot fail
/// and what `isStill` says keeps its value; false where there is another difference.
template <class F> bool differOnlyBy(const Expr *left, const Expr *right, const F &isStill, ElementPairs &pairs) {
  if (left->kind() != right->kind() || left->type != right->type) return false;
  const auto inAll = [&](const auto &of, const auto &other) {
    return of.size() == other.size() && std::equal(of.begin(), of.end(), other.begin(), [&](auto *a, auto *b) {
             return differOnlyBy(a, b, isStill, pairs);
           });
  };
  if (isStill(left) && equal(left, right)) return true;
  if (const Subscript *one = wholeElement(left), *other = wholeElement(right); one && other) {
    if (!equal(one->base, other->base) || equal(one, other)) return false;
    pairs.emplace_back(one, other);
    return true;
  }
  if (const auto *cast = dyn<Cast>(left)) return differOnlyBy(cast->operand, as<Cast>(right)->operand, isStill, pairs);
  if (const auto *unary = dyn<Unary>(left))
    return unary->op == as<Unary>(right)->op && !changesOperand(unary->op) &&
           differOnlyBy(unary->operand, as<Unary>(right)->operand, isStill, pairs);
  if (const auto *binary = dyn<Binary>(left)) {
    const auto *other = as<Binary>(right);
    const bool mayFail = (binary->op == BinaryOp::Div || binary->op == BinaryOp::Rem) && binary->type.isInteger();
    return binary->op == other->op && !mayFail && differOnlyBy(binary->lhs, other->lhs, isStill, pairs) &&
           differOnlyBy(binary->rhs, other->rhs, isStill, pairs);
  }
  const auto *call = dyn<Call>(left);
  return call && isMathFunction(call->callee) && call->callee == as<Call>(right)->callee &&
         inAll(call->args, as<Call>(right)->args);
}

/// `place = index`, by conversions of as few bits of numbers as are given back; nothing where it is set to something
/// else.
std::optional<unsigned> bitsKept(const Expr *value, const Expr *index, const Type &place) {
  unsigned bits = bitsOf(place);
  index = withoutWidening(index);
  for (; !equal(value, index); value = as<Cast>(value)->operand) {
    const auto *cast = dyn<Cast>(value);
    if (!cast || !cast->type.isInteger() || cast->type.isBool() || !cast->operand->type.isInteger()) return {};
    bits = std::min(bits, bitsOf(cast->type));
  }
  return bits;
}

const Expr *extentOf(const Subscript *element, std::size_t dimension, const Build &b) {
  const Expr *none = nullptr;
  return b.arena().make<Size>(element->range, Type(Scalar::U64), element->base,
                              element->indices.size() == 1 ? none : b.u64(dimension));
}

/// if (candidate op best) { places = indices of the candidate; ... }
struct SelectedElement {
  const If *choice = nullptr;
  const Expr *candidate = nullptr, *best = nullptr; // the same of elements of the one and of the other
  std::vector<const Subscript *> elements;          // of the best one
  std::vector<const Expr *> conditions;             // of the codelet
};

class SelectedFinder {
public:
  SelectedFinder(const Codelet &codelet, const For &loop, Arena &arena)
      : codelet_(codelet), loop_(loop), arena_(arena) {
    walk(loop.body, [&](const Declare &d) { changed_.insert(d.name); });
    if (const auto *d = dyn<Declare>(loop.init)) changed_.insert(d->name);
    changed_.merge(assignedVariables(&loop));
    written_ = writtenIn({&loop});
    calls_ = contains<SpectrumCall>(&loop) || contains<Map>(&loop);
  }

  std::optional<SelectedElement> run() const {
    std::optional<SelectedElement> found;
    walk(loop_.body, [&](const If &choice) {
      found = in(choice, choice.cond);
      return found ? WalkResult::Stop : WalkResult::Advance;
    });
    return found;
  }

private:
  /// In any of what is joined by &&.
  std::optional<SelectedElement> in(const If &choice, const Expr *cond) const {
    const auto *b = dyn<Binary>(cond);
    if (!b || choice.otherwise) return {};
    if (b->op == BinaryOp::LogicalAnd) {
      std::optional<SelectedElement> found = in(choice, b->lhs);
      return found ? found : in(choice, b->rhs);
    }
    if (!isOrdering(b->op)) return {};
    ElementPairs pairs;
    const auto isStill = [&](const Expr *e) {
      return !contains<Subscript>(e) && !hasEffects(e) && !contains<Call>(e) &&
             !any<VarRef>(e, [&](const VarRef &v) { return changed_.count(v.name) != 0; });
    };
    if (!differOnlyBy(b->lhs, b->rhs, isStill, pairs) || pairs.empty()) return {};
    std::optional<SelectedElement> found = selected(choice, b->lhs, b->rhs, pairs);
    if (found) return found;
    for (auto &[one, other] : pairs) std::swap(one, other);
    return selected(choice, b->rhs, b->lhs, pairs);
  }

  std::optional<SelectedElement> selected(const If &choice, const Expr *candidate, const Expr *best,
                                          const ElementPairs &pairs) const {
    SelectedElement found{&choice, candidate, best, {}, {}};
    std::map<std::string, const Expr *> sets; // what the branch sets scalars to
    for (const Stmt *s : choice.then->stmts) {
      const auto *evaluate = dyn<Evaluate>(s);
      const auto *set = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
      if (!set || set->op != AssignOp::Set || !isa<VarRef>(set->target) || !set->target->type.isScalar() ||
          hasEffects(set->value) || !sets.emplace(as<VarRef>(set->target)->name, set->value).second)
        return {};
    }
    for (const auto &[one, other] : pairs) {
      if (!follows(one, other, sets, found)) return {};
      found.elements.push_back(other);
    }
    return found;
  }

  /// Whether the branch makes the best element the candidate, and nothing else changes which it is.
  bool follows(const Subscript *candidate, const Subscript *best, const std::map<std::string, const Expr *> &sets,
               SelectedElement &found) const {
    const If &choice = *found.choice;
    const std::string &container = as<VarRef>(best->base)->name;
    if (calls_ || changed_.count(container) || isWritten(container)) return false;
    bool moves = false;
    for (std::size_t d = 0; d < best->indices.size(); ++d) {
      const auto *place = dyn<VarRef>(withoutWidening(best->indices[d]));
      const auto set = place ? sets.find(place->name) : sets.end();
      if (set == sets.end()) { // stands still
        const bool still = equal(best->indices[d], candidate->indices[d]) && speculable(best->indices[d]) &&
                           !any<VarRef>(best->indices[d], [&](const VarRef &v) { return changed_.count(v.name) != 0; });
        if (!still) return false;
        continue;
      }
      moves = true;
      // The index is computed from what the branch leaves as it is.
      const Expr *index = withoutWidening(candidate->indices[d]);
      const std::optional<unsigned> bits = bitsKept(set->second, index, place->type);
      if (!bits || *bits < kFewestBits || any<VarRef>(index, [&](const VarRef &v) { return sets.count(v.name) != 0; }))
        return false;
      if (isSetElsewhere(place->name, choice)) return false;
      if (*bits >= 63 || *bits >= bitsOf(index->type)) continue;
      const Param *given = nullptr;
      for (const Param *p : codelet_.params)
        if (p->name == container) given = p;
      if (!given) return false;
      const Build b(arena_, choice.range);
      found.conditions.push_back(b.binary(BinaryOp::Le, extentOf(best, d, b), b.u64(std::uint64_t{1} << *bits)));
    }
    return moves;
  }

  /// Whether the loop writes elements of the container, or of one that one of the two is a part of.
  bool isWritten(const std::string &container) const {
    const std::set<std::string> mine = withViewed({container}, codelet_.body);
    return std::any_of(written_.begin(), written_.end(), [&](const std::string &name) {
      const std::set<std::string> others = withViewed({name}, codelet_.body);
      return std::any_of(others.begin(), others.end(), [&](const auto &n) { return mine.count(n) != 0; });
    });
  }

  /// Whether the loop declares the scalar, or sets it anywhere but in the branch.
  bool isSetElsewhere(const std::string &place, const If &choice) const {
    std::size_t all = 0, here = 0;
    const auto isIt = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == place; };
    const auto count = [&](const Node *tree, std::size_t &sets) {
      walk(
          tree, [&](const Assign &a) { sets += isIt(a.target); }, [&](const Declare &d) { sets += d.name == place; },
          [&](const Unary &u) { sets += isIt(u.operand) && changesOperand(u.op); },
          [&](const Atomic &a) { sets += isIt(a.target); },
          [&](const Call &c) { // which may be given it to change
            for (const Expr *argument : c.args) sets += isIt(argument);
          });
    };
    count(&loop_, all);
    count(choice.then, here);
    return all != here;
  }

  const Codelet &codelet_;
  const For &loop_;
  Arena &arena_;
  std::set<std::string> changed_, written_;
  bool calls_ = false;
};

class KeepingValues final : public Mutator {
public:
  KeepingValues(const Codelet &codelet, Arena &arena) : Mutator(arena), codelet_(codelet) {
    names_.reserveAll(&codelet);
  }
  const std::vector<const Expr *> &conditions() const { return conditions_; }

private:
  const Node *mutateFor(const For *loop) override {
    while (const std::optional<SelectedElement> found = SelectedFinder(codelet_, *loop, arena()).run()) {
      const Build b(arena(), found->choice->range);
      const Type &type = found->candidate->type;
      const Expr *zero = b.zero(type);
      if (!zero) break;
      const std::string &container = as<VarRef>(found->elements.front()->base)->name;
      const Expr *value = b.var(names_.fresh(container + "_best"), type);
      // Where there is no such element, nothing is compared with it.
      const Expr *first = found->best;
      for (const Subscript *element : found->elements)
        for (std::size_t d = element->indices.size(); d-- > 0;)
          first = b.select(b.less(b.cast(Scalar::U64, element->indices[d]), extentOf(element, d, b)), first, zero);
      emitBefore(b.declare(as<VarRef>(value)->name, type, first, false));
      conditions_.insert(conditions_.end(), found->conditions.begin(), found->conditions.end());
      loop = as<For>(Keeping(arena(), *found, value).mutate(loop));
    }
    return rebuild(loop);
  }

  class Keeping final : public Mutator {
  public:
    Keeping(Arena &arena, const SelectedElement &selected, const Expr *value)
        : Mutator(arena), selected_(selected), value_(value) {}

  private:
    const Node *mutateIf(const If *node) override {
      if (node != selected_.choice) return Mutator::mutateIf(node);
      Stmts then{Build(arena(), node->range).assign(value_, selected_.candidate)};
      then.insert(then.end(), node->then->stmts.begin(), node->then->stmts.end());
      const Expr *cond = mutateAs(node->cond);
      return arena().derive(node, [&](If &copy) {
        copy.cond = cond;
        copy.then = Build(arena(), node->range).block(std::move(then));
      });
    }
    const Node *mutateBinary(const Binary *compare) override {
      if (compare->lhs != selected_.best && compare->rhs != selected_.best) return rebuild(compare);
      return arena().derive(compare, [&](Binary &b) { (b.lhs == selected_.best ? b.lhs : b.rhs) = value_; });
    }

    const SelectedElement &selected_;
    const Expr *value_;
  };

  const Codelet &codelet_;
  Names names_;
  std::vector<const Expr *> conditions_;
};

} // namespace

const Codelet *withSelectedElements(const Codelet *codelet, Arena &arena) {
  KeepingValues keeping(*codelet, arena);
  const auto *made = keeping(codelet);
  if (made == codelet || keeping.conditions().empty()) return made;
  return arena.derive(made, [&](Codelet &c) {
    c.conditions.insert(c.conditions.end(), keeping.conditions().begin(), keeping.conditions().end());
  });
}

} // namespace tangram::nest
