#include "Reductions.h"

#include "Accumulations.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"
#include "tangram/nest/Searches.h"
#include "tangram/nest/Selections.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace tangram::divide {

using namespace ast;
using nest::ReductionOp;

const Expr *combined(const Build &build, ReductionOp op, const Expr *a, const Expr *b) {
  switch (op) {
  case ReductionOp::Add: return build.add(a, b);
  case ReductionOp::Mul: return build.mul(a, b);
  case ReductionOp::Min: return build.select(build.less(b, a), b, a);
  case ReductionOp::Max: return build.select(build.less(a, b), b, a);
  case ReductionOp::And: return build.binary(a->type.isBool() ? BinaryOp::LogicalAnd : BinaryOp::And, a, b);
  case ReductionOp::Or: return build.binary(a->type.isBool() ? BinaryOp::LogicalOr : BinaryOp::Or, a, b);
  case ReductionOp::Xor: return build.binary(a->type.isBool() ? BinaryOp::Ne : BinaryOp::Xor, a, b);
  }
  return a;
}

const Expr *combined(const Build &build, const std::vector<Reduced> &scalars, std::size_t k,
                     const std::vector<const Expr *> &a, const std::vector<const Expr *> &b) {
  const Reduced &scalar = scalars[k];
  if (scalar.scaledBy) {
    const Expr *factor = b[*scalar.scaledBy];
    auto wide = [&](const Expr *e) { return build.cast(factor->type, e); };
    const Expr *scaled = build.cast(scalar.type, build.add(build.mul(factor, wide(a[k])), wide(b[k])));
    if (!scalar.type.isFloating()) return scaled;
    // What is nothing yet stays so, also where factors come to an infinity.
    return build.select(build.equal(a[k], build.zero(scalar.type)), b[k], scaled);
  }
  const Expr *onward = combined(build, scalar.op, a[k], b[k]);
  return scalar.restartedBy ? build.select(b[*scalar.restartedBy], b[k], onward) : onward;
}

bool ReductionLoop::isCompanion(std::size_t scalar) const {
  return std::any_of(scalars.begin(), scalars.end(),
                     [&](const Reduced &r) { return r.restartedBy == scalar || r.scaledBy == scalar; });
}

bool ReductionLoop::inOrder() const {
  return std::any_of(scalars.begin(), scalars.end(), [](const Reduced &r) { return r.restartedBy || r.scaledBy; });
}

std::vector<std::size_t> SelectedTogether::all() const {
  std::vector<std::size_t> result = followers;
  if (any) result.push_back(*any);
  result.push_back(value); // last: whether the others are replaced depends on it
  return result;
}

const SelectedTogether *ReductionLoop::selectionOf(std::size_t scalar) const {
  for (const SelectedTogether &s : selections) {
    const std::vector<std::size_t> all = s.all();
    if (std::find(all.begin(), all.end(), scalar) != all.end()) return &s;
  }
  return nullptr;
}

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

} // namespace

const Expr *replaces(const Build &build, const SelectedTogether &selection, const Exprs &mine, const Exprs &others,
                     const Expr *number, const Expr *otherNumber) {
  const Expr *value = mine[selection.value], *other = others[selection.value];
  const bool orEqual = selection.replacesEqual();
  if (!number) {
    const Expr *better = build.binary(selection.compare, other, value);
    return selection.any ? build.both(others[*selection.any], better) : better;
  }
  const bool greatest = selection.compare == BinaryOp::Gt || selection.compare == BinaryOp::Ge;
  // A value that was there before the loop has number 0, and an iteration's is equal only where that replaces it.
  const Expr *sooner = build.both(build.equal(other, value),
                                  orEqual ? build.less(number, otherNumber) : build.less(otherNumber, number));
  return build.binary(BinaryOp::LogicalOr, build.binary(greatest ? BinaryOp::Gt : BinaryOp::Lt, other, value), sooner);
}

Stmts takeOver(const Build &build, const ReductionLoop &loop, const Exprs &mine, const Exprs &others,
               const Numbers &numbers) {
  Stmts result;
  for (std::size_t k = 0; k < mine.size(); ++k)
    if (!loop.selectionOf(k)) result.push_back(build.assign(mine[k], combined(build, loop.scalars, k, mine, others)));
  for (std::size_t s = 0; s < loop.selections.size(); ++s) {
    const SelectedTogether &selection = loop.selections[s];
    Stmts sets;
    for (const std::size_t k : selection.all()) sets.push_back(build.assign(mine[k], others[k]));
    if (!numbers.mine.empty()) sets.push_back(build.assign(numbers.mine[s], numbers.others[s]));
    const bool compared = !numbers.mine.empty() && !numbers.inOrder;
    result.push_back(build.when(compared ? replaces(build, selection, mine, others, numbers.mine[s], numbers.others[s])
                                         : replaces(build, selection, mine, others),
                                std::move(sets)));
  }
  return result;
}

Stmts numbered(const ReductionLoop &loop, Stmts body, const std::string &position, const Exprs &numbers, Arena &arena) {
  const Build build(arena, loop.range.where);
  const Expr *next = build.add(build.var(position, kSize), build.u64(1));
  for (std::size_t s = 0; s < loop.selections.size(); ++s)
    body = nest::withMoreSelected(body, loop.scalars[loop.selections[s].value].name, {build.assign(numbers[s], next)},
                                  arena);
  return body;
}

namespace {

/// Makes the codelets of one loop.
class ReductionMaker {
public:
  ReductionMaker(ReductionLoop loop, const std::string &base, Names &names, Arena &arena)
      : loop_(std::move(loop)), arena_(arena), where_(loop_.range.where), local_(localNames()),
        make_(arena, where_, local_), build_(make_.build()),
        name_(names.fresh(fmt::format("{}_{}", base, loop_.range.iterator))), names_(names) {
    range_ = make_.param(local_.fresh(loop_.range.iterator + "_range"), loop_.range.containerType());
    params_.push_back(range_);
    for (const Reduced &r : loop_.scalars) {
      before_.push_back(make_.param(local_.fresh(r.name + "_before"), r.type));
      params_.push_back(before_.back());
    }
    for (std::size_t k = 0; k < loop_.scalars.size(); ++k) nothing_.push_back(nothingOf(k));
    params_.insert(params_.end(), loop_.captures.params.begin(), loop_.captures.params.end());
    body_ = withOwn(loop_.body);
  }

  std::vector<const Spectrum *> run() {
    std::vector<const Codelet *> codelets{loops("loops", body_)};
    if (!loop_.divided.empty()) codelets.push_back(loops("divided", withOwn(loop_.divided)));
    if (std::find(nothing_.begin(), nothing_.end(), nullptr) != nothing_.end())
      return {spectrum(name_, params_, codelets)};
    const std::string all = names_.fresh(name_ + "_all");
    codelets.push_back(parts(all));
    for (const char *own : {"results", "combined"}) local_.reserve(own);
    if (loop_.inOrder()) {
      codelets.push_back(make_.codelet("lanes", params_, lanesInOrder(loop_.range, range_, body_, before()), true));
      return {spectrum(name_, params_, codelets), combining(all)};
    }
    codelets.push_back(lanes("lanes", body_, true));
    for (const PrivateCopies &copies : loop_.privates)
      if (const Codelet *codelet = privatized(copies)) codelets.push_back(codelet);
    if (const std::optional<Stmts> inner = innermostByLanes())
      codelets.push_back(lanes("lanes_innermost", *inner, false));
    return {spectrum(name_, params_, codelets), combining(all)};
  }

private:
  Names localNames() {
    Names local;
    local.reserve(loop_.range.iterator);
    for (const Reduced &r : loop_.scalars) local.reserve(r.name);
    for (const Param *p : loop_.captures.params) local.reserve(p->name);
    for (const Stmts *body : {&loop_.body, &loop_.divided})
      for (const Stmt *s : *body) local.reserveAll(s);
    loop_.range.position = local.fresh("at_" + loop_.range.iterator);
    return local;
  }

  /// What a part begins with. Selections: with what there was, which each part may leave in place.
  const Expr *nothingOf(std::size_t k) const {
    if (!loop_.reorder || loop_.scalars[k].type.isHalf()) return nullptr;
    const SelectedTogether *selection = loop_.selectionOf(k);
    if (!selection || selection->any == k) return neutral(build_, loop_.scalars[k].op, loop_.scalars[k].type);
    return make_.use(before_[k]);
  }

  /// Behind declarations of what each iteration has for itself.
  Stmts withOwn(const Stmts &body) const {
    Stmts result;
    for (const Declare *d : loop_.captures.own)
      result.push_back(arena_.derive(d, [](Declare &copy) {
        copy.init = nullptr;
        copy.isConst = false;
      }));
    result.insert(result.end(), body.begin(), body.end());
    return result;
  }
  const Spectrum *spectrum(const std::string &name, const std::vector<const Param *> &params,
                           std::vector<const Codelet *> codelets) const {
    return make_.spectrum(name, loop_.result(), params, std::move(codelets));
  }
  const Expr *scalar(std::size_t k) const { return build_.var(loop_.scalars[k].name, loop_.scalars[k].type); }
  Exprs scalars() const {
    Exprs all;
    for (std::size_t k = 0; k < loop_.scalars.size(); ++k) all.push_back(scalar(k));
    return all;
  }
  Exprs valuesOf(const Expr *result) const {
    Exprs all;
    for (std::size_t k = 0; k < loop_.scalars.size(); ++k) all.push_back(valueOf(loop_, k, result, arena_));
    return all;
  }
  /// Scalar `k` of two values each, the second of which is from later iterations.
  const Expr *both(std::size_t k, const Exprs &a, const Exprs &b) const {
    if (const SelectedTogether *selection = loop_.selectionOf(k))
      return build_.select(replaces(build_, *selection, a, b), b[k], a[k]);
    return combined(build_, loop_.scalars, k, a, b);
  }
  /// T scalar = first; of each.
  void declare(const Exprs &first, Stmts &out) const {
    for (std::size_t k = 0; k < first.size(); ++k)
      out.push_back(build_.declare(loop_.scalars[k].name, loop_.scalars[k].type, first[k], false));
  }
  const Stmt *returned(Exprs values) const {
    const Expr *value =
        loop_.values ? arena_.make<InitList>(where_, loop_.result(), std::move(values)) : values.front();
    return arena_.make<Return>(where_, value);
  }
  Exprs before() const {
    Exprs all;
    for (const Param *p : before_) all.push_back(make_.use(p));
    return all;
  }

  const Codelet *loops(const std::string &name, const Stmts &each) const {
    Stmts body;
    declare(before(), body);
    body.push_back(make_.loop(loop_.range, range_, nest::endingAtFirst(each, loop_.range.iterator, arena_)));
    body.push_back(returned(scalars()));
    return make_.codelet(name, params_, std::move(body));
  }

  /// Parts at once, each from nothing, and what they have combined with what there was.
  const Codelet *parts(const std::string &all) {
    Exprs args{make_.parts(range_)};
    args.insert(args.end(), nothing_.begin(), nothing_.end());
    for (const Param *p : loop_.captures.params) args.push_back(make_.use(p));
    Stmts body = make_.tiling(range_);
    Exprs given{make_.map(name_, loop_.result(), std::move(args))};
    for (std::size_t k = 0; k < before_.size(); ++k)
      if (isGivenToAll(k)) given.push_back(make_.use(before_[k]));
    const Expr *result = make_.call(all, loop_.result(), std::move(given));
    const ReductionOp op = loop_.scalars[0].op;
    if (loop_.values || op == ReductionOp::Min || op == ReductionOp::Max) { // is named twice
      const std::string own = local_.fresh("of_parts");
      body.push_back(build_.declare(own, loop_.result(), result));
      result = build_.var(own, loop_.result());
    }
    const Exprs first = before(), behind = valuesOf(result);
    Exprs values;
    for (std::size_t k = 0; k < before_.size(); ++k)
      values.push_back(isGivenToAll(k) ? behind[k] : both(k, first, behind));
    body.push_back(returned(std::move(values)));
    return make_.codelet("over_" + loop_.range.iterator, params_, std::move(body), false, true);
  }

  /// What the spectrum that combines parts begins with, too.
  bool isGivenToAll(std::size_t k) const {
    const SelectedTogether *selection = loop_.selectionOf(k);
    return selection && selection->any != k;
  }

  // ---- lanes combine what each has, in as many rounds as their number has bits; any number of them ----

  const Expr *index() const { return arena_.make<CoopIdx>(where_, kLane); }
  const Expr *count() const { return arena_.make<CoopDim>(where_, kLane); }
  const Expr *wide(const Expr *e) const { return build_.cast(kSize, e); }

  /// Variables for the iterations that selections are from, which lanes tell equal values apart by; of none, 0.
  Exprs declareNumbers(Stmts &out) {
    Exprs numbers;
    for (std::size_t s = 0; s < loop_.selections.size(); ++s) {
      const std::string name = local_.fresh("number");
      out.push_back(build_.declare(name, kSize, build_.u64(0), false));
      numbers.push_back(build_.var(name, kSize));
    }
    return numbers;
  }

  /// Lanes have neighbouring iterations, as many as there are lanes at a time, and combine what each comes to from
  /// nothing with what is in front of it (an inclusive scan of Hillis and Steele).
  Stmts lanesInOrder(const LoopRange &range, const Param *container, const Stmts &each, const Exprs &first) {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    auto number = [&](const char *hint, const Type &type) { return build_.var(local_.fresh(hint), type); };
    auto declared = [&](const Expr *v, const Expr *init, bool isConst) {
      return build_.declare(as<VarRef>(v)->name, v->type, init, isConst);
    };
    const Expr *lane = number("lane", kLane), *lanes = number("lanes", kLane), *step = number("step", kLane);
    const Expr *from = number("from", kSize), *at = build_.var(range.position, kSize);
    const Expr *size = arena_.make<Size>(where_, kSize, make_.use(container), none);
    Stmts body{declared(lane, index(), true), declared(lanes, count(), true)};
    Exprs behind, mine, earlier, last;
    for (std::size_t k = 0; k < loop_.scalars.size(); ++k) {
      const Type &type = loop_.scalars[k].type;
      const Expr *array = number("shared", Type::array(1, type));
      auto element = [&](const Expr *of) { return build_.element(array, {wide(of)}, type); };
      body.push_back(arena_.make<Declare>(where_, as<VarRef>(array)->name, type, false, true, Exprs{wide(count())},
                                          noTunable, none));
      behind.push_back(number("behind", type));
      mine.push_back(element(lane));
      earlier.push_back(element(build_.sub(lane, step)));
      last.push_back(element(build_.sub(lanes, build_.integer(kLane, 1))));
    }
    auto set = [&](Stmts &out, const Exprs &targets, const std::function<const Expr *(std::size_t)> &value) {
      for (std::size_t k = 0; k < targets.size(); ++k) out.push_back(build_.assign(targets[k], value(k)));
    };
    for (std::size_t k = 0; k < behind.size(); ++k) body.push_back(declared(behind[k], first[k], false));
    Stmts turn{declared(at, build_.add(from, wide(lane)), true)}, combine;
    declare(nothing_, turn);
    turn.push_back(build_.when(build_.less(at, size), make_.iteration(range, container, each)));
    set(turn, mine, [&](std::size_t k) { return scalar(k); });
    set(combine, mine, [&](std::size_t k) { return both(k, earlier, mine); });
    turn.push_back(
        arena_.make<For>(where_, declared(step, build_.integer(kLane, 1), false), build_.less(step, lanes),
                         arena_.make<Assign>(where_, kLane, AssignOp::Mul, step, build_.integer(kLane, 2)),
                         build_.block({build_.when(build_.binary(BinaryOp::Ge, lane, step), std::move(combine))})));
    set(turn, behind, [&](std::size_t k) { return both(k, behind, last); });
    body.push_back(arena_.make<For>(where_, declared(from, build_.u64(0), false), build_.less(from, size),
                                    arena_.make<Assign>(where_, kSize, AssignOp::Add, from, wide(lanes)),
                                    build_.block(std::move(turn))));
    body.push_back(returned(behind));
    return body;
  }

  /// __shared T shared[coopDim()]; ... of each scalar; the last lane has the result.
  void together(const std::string &laneName, const std::string &suffix, const Exprs &values, const Exprs &numbers,
                Stmts &out) {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr, *lane = build_.var(laneName, kLane), *step = build_.var(local_.fresh("step"), kLane);
    auto element = [&](const Expr *array, const Expr *at) {
      return build_.element(array, {wide(at)}, array->type.element());
    };
    Stmts first;
    auto shared = [&](const std::string &name, const Expr *value) {
      const Expr *array = build_.var(local_.fresh(name), Type::array(1, value->type));
      out.push_back(arena_.make<Declare>(where_, as<VarRef>(array)->name, value->type, false, true,
                                         Exprs{wide(count())}, noTunable, none));
      first.push_back(build_.assign(element(array, lane), value));
      return array;
    };
    Exprs mine, others, last, mineNumbers, otherNumbers;
    const Expr *other = build_.sub(lane, step);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Expr *array = shared("shared" + (loop_.values ? "_" + loop_.scalars[k].name + suffix : ""), values[k]);
      mine.push_back(element(array, lane));
      others.push_back(element(array, other));
      last.push_back(element(array, build_.sub(count(), build_.integer(kLane, 1))));
    }
    for (const Expr *number : numbers) {
      const Expr *array = shared("shared_number" + suffix, number);
      mineNumbers.push_back(element(array, lane));
      otherNumbers.push_back(element(array, other));
    }
    out.insert(out.end(), first.begin(), first.end());
    const Expr *next = arena_.make<Assign>(where_, kLane, AssignOp::Mul, step, build_.integer(kLane, 2));
    out.push_back(arena_.make<For>(
        where_, build_.declare(as<VarRef>(step)->name, kLane, build_.integer(kLane, 1), false),
        build_.less(step, count()), next,
        build_.block({build_.when(build_.binary(BinaryOp::Ge, lane, step),
                                  takeOver(build_, loop_, mine, others, {mineNumbers, otherNumbers}))})));
    out.push_back(returned(std::move(last)));
  }

  /// The body with the innermost of its loops shared out among lanes, where these loops stand in each other and nothing
  /// but their sums is carried or stored: what lanes load is then side by side.
  std::optional<Stmts> innermostByLanes() {
    const bool stores = std::any_of(loop_.body.begin(), loop_.body.end(), [&](const Stmt *s) {
      return contains<Atomic>(s) || contains<SpectrumCall>(s) || contains<Map>(s) ||
             any<Assign>(s, [](const Assign &a) { return !isa<VarRef>(a.target); }) ||
             any<Unary>(s, [](const Unary &u) { return hasEffects(&u) && !isa<VarRef>(u.operand); }) ||
             any<Call>(s, [](const Call &c) { return hasEffects(&c); });
    });
    if (stores || !loop_.selections.empty() || !loop_.captures.own.empty()) return {};
    return byLanes(loop_.body);
  }
  std::optional<Stmts> byLanes(const Stmts &body) {
    const auto *loop = body.empty() ? nullptr : dyn<For>(body.back());
    const std::optional<loops::Counted> counts = loop ? loops::counted(arena_, loop) : std::nullopt;
    if (!counts || !counts->begin || !isLiteral(counts->step, 1) || counts->begin->type != counts->end->type) return {};
    const std::set<std::string> assigned = assignedVariables(loop);
    const bool alone = std::all_of(body.begin(), body.end() - 1, [&](const Stmt *s) {
      const auto *d = dyn<Declare>(s);
      return d && d->init && d->extents.empty() && !hasEffects(d->init) && !assigned.count(d->name);
    });
    if (!alone) return {};
    Stmts result(body.begin(), body.end() - 1);
    const bool innermost = !any<Stmt>(loop->body, [](const Stmt &s) { return loops::isLoop(s); });
    if (!innermost) {
      const std::optional<Stmts> inner = byLanes(loop->body->stmts);
      if (!inner) return {};
      result.push_back(arena_.derive(loop, [&](For &copy) { copy.body = build_.block(*inner); }));
      return result;
    }
    const std::string position = local_.fresh("at_" + counts->variable), size = local_.fresh("turns");
    const Expr *at = build_.var(position, kSize), *begin = wide(counts->begin), *end = wide(counts->end);
    result.push_back(build_.declare(
        size, kSize, build_.select(build_.less(counts->begin, counts->end), build_.sub(end, begin), build_.u64(0))));
    Stmts turn{build_.declare(counts->variable, counts->type, build_.exactCast(counts->type, build_.add(begin, at)))};
    turn.insert(turn.end(), loop->body->stmts.begin(), loop->body->stmts.end());
    const Expr *next = arena_.make<Assign>(where_, kSize, AssignOp::Add, at, wide(count()));
    result.push_back(arena_.make<For>(loop->range, build_.declare(position, kSize, wide(index()), false),
                                      build_.less(at, build_.var(size, kSize)), next, build_.block(std::move(turn))));
    return result;
  }

  /// Lanes have every so many iterations each, or all go through all with a part of `each`. Before they come together,
  /// the first has what there was.
  const Codelet *lanes(const std::string &name, const Stmts &each, bool apart) {
    return lanes(name, local_.fresh("lane"), {{}, each, {}, {}}, apart);
  }
  const Codelet *lanes(const std::string &name, const std::string &own, const Privatization &does, bool apart) {
    const Stmts &each = does.body;
    const Expr *lane = build_.var(own, kLane);
    Stmts body{build_.declare(own, kLane, index())}, first;
    body.insert(body.end(), does.before.begin(), does.before.end());
    declare(nothing_, body);
    const Exprs numbers = declareNumbers(body);
    const Stmts numberedEach = numbered(loop_, each, loop_.range.position, numbers, arena_);
    body.push_back(apart ? make_.loop(loop_.range, range_, numberedEach, wide(lane), wide(count()))
                         : make_.loop(loop_.range, range_, numberedEach));
    body.insert(body.end(), does.behind.begin(), does.behind.end());
    for (std::size_t k = 0; k < before_.size(); ++k)
      if (!loop_.selectionOf(k)) first.push_back(build_.assign(scalar(k), both(k, before(), scalars())));
    if (!first.empty()) body.push_back(build_.when(build_.equal(lane, build_.integer(kLane, 0)), std::move(first)));
    together(own, "", scalars(), numbers, body);
    const Codelet *codelet = make_.codelet(name, params_, std::move(body), true);
    return does.conditions.empty() ? codelet
                                   : arena_.derive(codelet, [&](Codelet &c) { c.conditions = does.conditions; });
  }

  /// Lanes that accumulate into copies of containers, beside what they combine; null where there are none.
  const Codelet *privatized(const PrivateCopies &copies) {
    std::set<std::string> own{loop_.range.iterator};
    for (const Reduced &r : loop_.scalars) own.insert(r.name);
    const std::string lane = local_.fresh("lane");
    const std::optional<Privatization> made =
        privatization(body_, std::move(own), loop_.captures, copies, lane, where_, local_, arena_);
    return made ? lanes(fmt::format("privatized_{}", copies.elements), lane, *made, true) : nullptr;
  }

  /// The spectrum that combines a container of results.
  const Spectrum *combining(const std::string &all) {
    const Param *results = make_.param("results", Type::array(1, loop_.result()));
    std::vector<const Param *> params{results};
    for (std::size_t k = 0; k < before_.size(); ++k)
      if (isGivenToAll(k)) params.push_back(before_[k]);
    LoopRange numbers = loop_.range;
    numbers.iterator = "combined";
    numbers.iteratorType = numbers.type = loop_.result();
    const Exprs one = valuesOf(build_.var("combined", loop_.result()));
    Stmts serial;
    declare(nothing_, serial);
    serial.push_back(make_.loop(numbers, results, takeOver(build_, loop_, scalars(), one)));
    serial.push_back(returned(scalars()));
    const Stmts takes = takeOver(build_, loop_, scalars(), one);
    if (loop_.inOrder())
      return spectrum(all, params,
                      {make_.codelet("loops", params, std::move(serial)),
                       make_.codelet("lanes", params, lanesInOrder(numbers, results, takes, nothing_), true)});
    const std::string own = local_.fresh("lane");
    Stmts coop{build_.declare(own, kLane, index())};
    declare(nothing_, coop);
    const Exprs places = declareNumbers(coop);
    const Expr *next = build_.add(build_.var(numbers.position, kSize), build_.u64(1));
    const Numbers inOrder{places, Exprs(places.size(), next), true};
    coop.push_back(make_.loop(numbers, results, takeOver(build_, loop_, scalars(), one, inOrder),
                              wide(build_.var(own, kLane)), wide(count())));
    together(own, "_all", scalars(), places, coop);
    return spectrum(
        all, params,
        {make_.codelet("loops", params, std::move(serial)), make_.codelet("lanes", params, std::move(coop), true)});
  }

  ReductionLoop loop_;
  Arena &arena_;
  SourceRange where_;
  Names local_; // of what stands in codelets
  Codelets make_;
  const Build &build_;
  std::string name_;
  Names &names_; // of spectrums
  const Param *range_ = nullptr;
  std::vector<const Param *> before_, params_;
  Exprs nothing_; // what parts begin with; null: they cannot
  Stmts body_;
};

} // namespace

const Expr *valueOf(const ReductionLoop &loop, std::size_t k, const Expr *result, Arena &arena) {
  if (!loop.values) return result;
  return arena.make<Member>(result->range, loop.scalars[k].type, result, loop.values->fields[k]->name);
}

std::vector<const Spectrum *> spectrumsOf(ReductionLoop loop, const std::string &base, Names &names, Arena &arena) {
  return ReductionMaker(std::move(loop), base, names, arena).run();
}

} // namespace tangram::divide
