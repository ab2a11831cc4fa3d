#include "ScanLoops.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace tangram::divide {

using namespace ast;

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

class ScanMaker {
public:
  ScanMaker(ScanLoop loop, const std::string &base, Names &names, Arena &arena)
      : loop_(std::move(loop)), scalars_(loop_.all.scalars), arena_(arena), where_(loop_.all.range.where),
        local_(localNames()), make_(arena, where_, local_), build_(make_.build()), names_(names),
        base_(fmt::format("{}_{}", base, loop_.all.range.iterator)), scan_(names.fresh(base_ + "_scan")) {
    range_ = make_.param(local_.fresh(loop_.all.range.iterator + "_range"), loop_.all.range.containerType());
    for (const Reduced &scalar : scalars_) {
      nothing_.push_back(neutral(build_, scalar.op, scalar.type));
      before_.push_back(make_.param(local_.fresh(scalar.name + "_before"), scalar.type));
    }
    for (const ReductionLoop &total : loop_.totals) {
      first_.push_back(last_.empty() ? 0 : last_.back());
      last_.push_back(first_.back() + total.scalars.size());
    }
  }

  std::vector<const Spectrum *> run(const std::string &base) {
    if (std::find(nothing_.begin(), nothing_.end(), nullptr) != nothing_.end()) return {};
    std::vector<const Spectrum *> others = spectrumsOf(loop_.totals[0], base + "_total", names_, arena_);
    if (others.size() < 2) return {};
    for (std::size_t s = 0; s < loop_.totals.size(); ++s) {
      const Spectrum *total = s ? totalOf(s, names_.fresh(base_ + "_total")) : others[0];
      const Spectrum *starts = startsOf(loop_.totals[s], names_.fresh(base_ + "_starts"));
      totals_.push_back(total->name), starts_.push_back(starts->name);
      if (s) others.push_back(total);
      others.push_back(starts);
    }
    const std::size_t stages = loop_.totals.size();
    const std::vector<const Param *> params = paramsOf(stages, loop_.all.captures);
    const std::vector<const Codelet *> codelets{loops(params, stages, loop_.all, 0),
                                                lanes(params, stages, &loop_.all, 0), parts(params)};
    std::vector<const Spectrum *> made{
        arena_.make<Spectrum>(where_, scan_, loop_.all.result(), params, Exprs{}, codelets)};
    made.insert(made.end(), others.begin(), others.end());
    return made;
  }

private:
  /// An element of what has one for each scalar: by the number of the scalar, and an index.
  using Element = std::function<const Expr *(std::size_t, const Expr *)>;

  Names localNames() {
    Names local;
    const std::string &iterator = loop_.all.range.iterator;
    local.reserve(iterator);
    for (const Reduced &scalar : scalars_) local.reserve(scalar.name);
    for (const Param *p : loop_.all.captures.params) local.reserve(p->name);
    for (const Stmt *s : loop_.all.body) local.reserveAll(s);
    loop_.all.range.position = local.fresh("at_" + iterator);
    return local;
  }
  const Expr *value(std::size_t k) const { return build_.var(scalars_[k].name, scalars_[k].type); }
  const Expr *wide(const Expr *e) const { return build_.cast(kSize, e); }
  /// The range, what scalars of the first stages were before, and what is captured.
  std::vector<const Param *> paramsOf(std::size_t stages, const Captures &captures) const {
    std::vector<const Param *> params{range_};
    params.insert(params.end(), before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(last_[stages - 1]));
    params.insert(params.end(), captures.params.begin(), captures.params.end());
    return params;
  }
  /// Scalar `k` of two values each, the second of which is from later iterations.
  const Expr *both(std::size_t k, const Exprs &a, const Exprs &b) const { return combined(build_, scalars_, k, a, b); }
  /// Of scalars from `first` on, as far as there are.
  static Exprs each(std::size_t first, std::size_t last, const std::function<const Expr *(std::size_t)> &of) {
    Exprs all;
    for (std::size_t k = first; k < last; ++k) all.push_back(of(k));
    return all;
  }
  static void add(Stmts &out, std::size_t first, std::size_t last, const std::function<const Stmt *(std::size_t)> &of) {
    for (std::size_t k = first; k < last; ++k) out.push_back(of(k));
  }
  const Stmt *returned(const Expr *e) const { return arena_.make<Return>(where_, e); }
  const Stmt *returned(const ReductionLoop &loop, Exprs values) const {
    return returned(values.size() == 1 ? values[0] : arena_.make<InitList>(where_, loop.result(), std::move(values)));
  }
  const Stmt *container(const std::string &name, const Type &type, Exprs extents, const Expr *init) const {
    const Tunable *none = nullptr;
    return arena_.make<Declare>(where_, name, Type::array(1, type), false, false, std::move(extents), none, init);
  }
  const Stmt *shared(const std::string &name, const Type &type) const {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    return arena_.make<Declare>(where_, name, type, false, true, Exprs{wide(arena_.make<CoopDim>(where_, kLane))},
                                noTunable, none);
  }

  /// The statements of an iteration, with what it has for itself.
  Stmts bodyOf(const ReductionLoop &loop) const {
    Stmts body;
    for (const Declare *d : loop.captures.own)
      body.push_back(arena_.derive(d, [](Declare &copy) {
        copy.init = nullptr;
        copy.isConst = false;
      }));
    body.insert(body.end(), loop.body.begin(), loop.body.end());
    return body;
  }
  /// An inclusive scan of what each lane has in arrays (Hillis and Steele): `of` is the element of a lane, `distance` a
  /// variable for how far apart those are that are combined.
  const Stmt *scannedByLanes(const std::vector<Reduced> &scalars, const Expr *lane, const Expr *lanes,
                             const Expr *distance, const Element &of) const {
    const Expr *twice = arena_.make<Assign>(where_, kLane, AssignOp::Mul, distance, build_.integer(kLane, 2));
    const Expr *in = build_.binary(BinaryOp::Ge, lane, distance), *other = build_.sub(lane, distance);
    const Exprs mine = each(0, scalars.size(), [&](std::size_t k) { return of(k, lane); });
    const Exprs earlier = each(0, scalars.size(), [&](std::size_t k) { return of(k, other); });
    Stmts combines;
    add(combines, 0, scalars.size(),
        [&](std::size_t k) { return build_.assign(mine[k], combined(build_, scalars, k, earlier, mine)); });
    return arena_.make<For>(where_, build_.declare(as<VarRef>(distance)->name, kLane, build_.integer(kLane, 1), false),
                            build_.less(distance, lanes), twice, build_.block({build_.when(in, std::move(combines))}));
  }

  /// Goes through the range from what scalars of the first stages were before, and returns those of `loop`, which are
  /// scalars from `first` on.
  const Codelet *loops(const std::vector<const Param *> &params, std::size_t stages, const ReductionLoop &loop,
                       std::size_t first) const {
    const std::size_t last = last_[stages - 1];
    Stmts body;
    add(body, 0, last, [&](std::size_t k) {
      return build_.declare(scalars_[k].name, scalars_[k].type, make_.use(before_[k]), false);
    });
    body.push_back(make_.loop(rangeOf(loop), range_, bodyOf(loop)));
    body.push_back(returned(loop, each(first, last, [&](std::size_t k) { return value(k); })));
    return make_.codelet("loops", params, std::move(body));
  }
  LoopRange rangeOf(const ReductionLoop &loop) const {
    LoopRange range = loop.range;
    range.position = loop_.all.range.position;
    return range;
  }

  /// Lanes have an iteration each of as many as they are. For one stage after the other, what each adds is scanned, and
  /// each has what those in front of it have come to; then `loop`, if it is given, is gone through from there. Returns
  /// scalars from `first` on.
  const Codelet *lanes(const std::vector<const Param *> &params, std::size_t stages, const ReductionLoop *loop,
                       std::size_t first) {
    const std::size_t last = last_[stages - 1];
    auto number = [&](const std::string &hint, const Type &type) { return build_.var(local_.fresh(hint), type); };
    auto declared = [&](const Expr *v, const Expr *init, bool isConst = true) {
      return build_.declare(as<VarRef>(v)->name, v->type, init, isConst);
    };
    const Expr *lane = number("lane", kLane), *lanes = number("lanes", kLane);
    const Expr *from = number("first", kSize), *at = build_.var(loop_.all.range.position, kSize);
    const Expr *none = nullptr, *one = build_.integer(kLane, 1);
    const Expr *size = arena_.make<Size>(where_, kSize, make_.use(range_), none);
    const Exprs behind = each(0, last, [&](std::size_t k) { return number("behind", scalars_[k].type); });
    std::vector<std::string> arrays;
    for (std::size_t k = 0; k < last; ++k) arrays.push_back(local_.fresh("shared"));
    const Element of = [&](std::size_t k, const Expr *index) {
      const Type &type = scalars_[k].type;
      return build_.element(build_.var(arrays[k], Type::array(1, type)), {wide(index)}, type);
    };
    // What one iteration declares is declared by the others as well.
    auto iteration = [&](const ReductionLoop &of, bool ownNames) {
      const Stmt *once = build_.when(build_.less(at, size), make_.iteration(rangeOf(of), range_, bodyOf(of)));
      return ownNames ? as<Stmt>(withOwnNames(arena_, once, local_)) : once;
    };
    const Exprs inFront = each(0, last, [&](std::size_t k) { return of(k, build_.sub(lane, one)); });
    Stmts tile{declared(at, build_.add(from, wide(lane)))};
    Exprs begins(last); // of stages before
    for (std::size_t s = 0; s < stages; ++s) {
      add(tile, first_[s], last_[s],
          [&](std::size_t k) { return build_.declare(scalars_[k].name, scalars_[k].type, nothing_[k], false); });
      tile.push_back(iteration(loop_.totals[s], true));
      add(tile, first_[s], last_[s], [&](std::size_t k) { return build_.assign(of(k, lane), value(k)); });
      const Element ofStage = [&](std::size_t k, const Expr *index) { return of(first_[s] + k, index); };
      tile.push_back(scannedByLanes(loop_.totals[s].scalars, lane, lanes, number("distance", kLane), ofStage));
      add(tile, first_[s], last_[s], [&](std::size_t k) { return build_.assign(value(k), behind[k]); });
      Stmts others;
      add(others, first_[s], last_[s],
          [&](std::size_t k) { return build_.assign(value(k), both(k, behind, inFront)); });
      tile.push_back(build_.when(build_.less(build_.integer(kLane, 0), lane), std::move(others)));
      add(tile, 0, first_[s], [&](std::size_t k) { return build_.assign(value(k), begins[k]); });
      if (s + 1 == stages) continue;
      for (std::size_t k = first_[s]; k < last_[s]; ++k) begins[k] = number("begin", scalars_[k].type);
      add(tile, first_[s], last_[s], [&](std::size_t k) { return declared(begins[k], value(k)); });
    }
    if (loop) tile.push_back(iteration(*loop, false));
    const Exprs ends = each(0, last, [&](std::size_t k) { return of(k, build_.sub(lanes, one)); });
    add(tile, 0, last, [&](std::size_t k) { return build_.assign(behind[k], both(k, behind, ends)); });
    const Expr *onward = arena_.make<Assign>(where_, kSize, AssignOp::Add, from, wide(lanes));
    Stmts body{declared(lane, arena_.make<CoopIdx>(where_, kLane)),
               declared(lanes, arena_.make<CoopDim>(where_, kLane))};
    add(body, 0, last, [&](std::size_t k) { return shared(arrays[k], scalars_[k].type); });
    add(body, 0, last, [&](std::size_t k) { return declared(behind[k], make_.use(before_[k]), false); });
    body.push_back(arena_.make<For>(where_, declared(from, build_.u64(0), false), build_.less(from, size), onward,
                                    build_.block(std::move(tile))));
    body.push_back(returned(loop ? *loop : loop_.totals[stages - 1],
                            Exprs(behind.begin() + static_cast<std::ptrdiff_t>(first), behind.end())));
    return make_.codelet("lanes", params, std::move(body), true);
  }

  /// What scalars of a stage come to, given what those of earlier ones were before.
  const Spectrum *totalOf(std::size_t stage, const std::string &name) {
    const ReductionLoop &total = loop_.totals[stage];
    const std::vector<const Param *> params = paramsOf(stage + 1, total.captures);
    const std::vector<const Codelet *> codelets{loops(params, stage + 1, total, first_[stage]),
                                                lanes(params, stage + 1, nullptr, first_[stage])};
    return arena_.make<Spectrum>(where_, name, total.result(), params, Exprs{}, codelets);
  }

  /// For each stage: auto totals = map(total, parts, begins of earlier stages, nothing, ...); starts(totals, before,
  /// begins). Then map(scan, parts, begins, ...).
  const Codelet *parts(const std::vector<const Param *> &params) {
    Stmts body = make_.tiling(range_);
    const Expr *count = wide(build_.var(as<Declare>(body[0])->name, Scalar::U32));
    Exprs begins;
    auto capture = [&](Exprs &args, const Captures &captures) {
      for (const Param *p : captures.params) args.push_back(make_.use(p));
    };
    auto mapped = [&](const std::string &spectrum, const Type &result, const char *name, Exprs args) {
      const Expr *all = build_.var(local_.fresh(name), Type::array(1, result));
      body.push_back(container(as<VarRef>(all)->name, result, {}, make_.map(spectrum, result, std::move(args))));
      return all;
    };
    for (std::size_t s = 0; s < loop_.totals.size(); ++s) {
      Exprs args{make_.parts(range_)};
      args.insert(args.end(), begins.begin(), begins.end());
      for (std::size_t k = first_[s]; k < last_[s]; ++k) args.push_back(nothing_[k]);
      capture(args, loop_.totals[s].captures);
      Exprs given{mapped(totals_[s], loop_.totals[s].result(), "totals", std::move(args))};
      for (std::size_t k = first_[s]; k < last_[s]; ++k) given.push_back(make_.use(before_[k]));
      for (std::size_t k = first_[s]; k < last_[s]; ++k) {
        const Expr *begin = build_.var(local_.fresh("begins"), Type::array(1, scalars_[k].type));
        body.push_back(container(as<VarRef>(begin)->name, scalars_[k].type, {count}, nullptr));
        begins.push_back(begin), given.push_back(begin);
      }
      body.push_back(make_.run(make_.call(starts_[s], Type(), std::move(given))));
    }
    Exprs again{make_.parts(range_)};
    again.insert(again.end(), begins.begin(), begins.end());
    capture(again, loop_.all.captures);
    const Type whole = loop_.all.result();
    const Expr *ends = mapped(scan_, whole, "ends", std::move(again));
    body.push_back(returned(build_.element(ends, {build_.sub(count, build_.u64(1))}, whole)));
    return make_.codelet("over_" + loop_.all.range.iterator, params, std::move(body), false, true);
  }

  /// What each part begins with: an exclusive scan of what they add.
  const Spectrum *startsOf(const ReductionLoop &stage, const std::string &name) {
    const std::vector<Reduced> &scalars = stage.scalars;
    const std::size_t count = scalars.size();
    auto named = [&](const char *what, std::size_t k) {
      return count == 1 ? what : fmt::format("{}_{}", what, scalars[k].name);
    };
    const Param *totals = make_.param("totals", Type::array(1, stage.result()));
    std::vector<const Param *> before, begins;
    for (std::size_t k = 0; k < count; ++k) {
      before.push_back(make_.param(named("before", k), scalars[k].type));
      begins.push_back(arena_.make<Param>(where_, named("begins", k), Type::array(1, scalars[k].type), Access::InOut));
    }
    std::vector<const Param *> params{totals};
    params.insert(params.end(), before.begin(), before.end());
    params.insert(params.end(), begins.begin(), begins.end());
    const Expr *none = nullptr, *size = arena_.make<Size>(where_, kSize, make_.use(totals), none);
    auto running = [&](std::size_t k) { return build_.var(named("running", k), scalars[k].type); };
    auto own = [&](std::size_t k) { return build_.var(named("own", k), scalars[k].type); };
    auto declared = [&](const Expr *v, const Expr *init) {
      return build_.declare(as<VarRef>(v)->name, v->type, init, false);
    };
    const Element total = [&](std::size_t k, const Expr *index) {
      return valueOf(stage, k, build_.element(make_.use(totals), {index}, stage.result()), arena_);
    };
    const Exprs allRunning = each(0, count, running), allOwn = each(0, count, own);
    auto loop = [&](const char *iterator, const Expr *from, const Expr *to,
                    const std::function<Stmts(const Expr *)> &body) {
      const Expr *k = build_.var(iterator, kSize);
      return arena_.make<For>(where_, build_.declare(iterator, kSize, from, false), build_.less(k, to),
                              arena_.make<Unary>(where_, kSize, UnaryOp::PreInc, k), build_.block(body(k)));
    };
    auto begin = [&](const Expr *at) {
      Stmts body;
      add(body, 0, count, [&](std::size_t k) {
        return build_.assign(build_.element(make_.use(begins[k]), {at}, scalars[k].type), running(k));
      });
      const Exprs next = each(0, count, [&](std::size_t k) { return total(k, at); });
      add(body, 0, count,
          [&](std::size_t k) { return build_.assign(running(k), combined(build_, scalars, k, allRunning, next)); });
      return body;
    };
    Stmts serial;
    add(serial, 0, count, [&](std::size_t k) { return declared(running(k), make_.use(before[k])); });
    serial.push_back(loop("k", build_.u64(0), size, begin));
    const Codelet *loops = make_.codelet("loops", params, std::move(serial));

    // Lanes have neighbours each, and add up what those in front of them have.
    const Expr *lane = build_.var("lane", kLane), *lanes = build_.var("lanes", kLane), *d = build_.var("d", kLane);
    const Expr *tile = build_.var("tile", kSize), *from = build_.var("from", kSize), *to = build_.var("to", kSize);
    const Element of = [&](std::size_t k, const Expr *index) {
      const Type &type = scalars[k].type;
      return build_.element(build_.var(named("shared", k), Type::array(1, type)), {wide(index)}, type);
    };
    auto least = [&](const Expr *e) { return build_.select(build_.less(e, size), e, size); };
    const Expr *isFirst = build_.equal(lane, build_.integer(kLane, 0)), *one = build_.integer(kLane, 1);
    Stmts body{build_.declare("lane", kLane, arena_.make<CoopIdx>(where_, kLane)),
               build_.declare("lanes", kLane, arena_.make<CoopDim>(where_, kLane)),
               build_.declare("tile", kSize,
                              build_.div(build_.sub(build_.add(size, wide(lanes)), build_.u64(1)), wide(lanes))),
               build_.declare("from", kSize, least(build_.mul(wide(lane), tile))),
               build_.declare("to", kSize, least(build_.add(from, tile)))},
        others;
    add(body, 0, count,
        [&](std::size_t k) { return declared(own(k), neutral(build_, scalars[k].op, scalars[k].type)); });
    body.push_back(loop("k", from, to, [&](const Expr *at) {
      Stmts sums;
      const Exprs next = each(0, count, [&](std::size_t k) { return total(k, at); });
      add(sums, 0, count,
          [&](std::size_t k) { return build_.assign(own(k), combined(build_, scalars, k, allOwn, next)); });
      return sums;
    }));
    add(body, 0, count, [&](std::size_t k) { return shared(named("shared", k), scalars[k].type); });
    add(body, 0, count, [&](std::size_t k) { return build_.assign(of(k, lane), own(k)); });
    body.push_back(scannedByLanes(scalars, lane, lanes, d, of));
    add(body, 0, count, [&](std::size_t k) { return declared(running(k), make_.use(before[k])); });
    const Exprs inFront = each(0, count, [&](std::size_t k) { return of(k, build_.sub(lane, one)); }),
                first = each(0, count, [&](std::size_t k) { return make_.use(before[k]); });
    add(others, 0, count,
        [&](std::size_t k) { return build_.assign(running(k), combined(build_, scalars, k, first, inFront)); });
    body.push_back(build_.when(build_.logicalNot(isFirst), std::move(others)));
    body.push_back(loop("l", from, to, begin));
    return arena_.make<Spectrum>(
        where_, name, Type(), params, Exprs{},
        std::vector<const Codelet *>{loops, make_.codelet("lanes", params, std::move(body), true)});
  }

  ScanLoop loop_;
  std::vector<Reduced> scalars_;
  Arena &arena_;
  SourceRange where_;
  Names local_; // of what stands in codelets
  Codelets make_;
  const Build &build_;
  Names &names_; // of spectrums
  std::string base_, scan_;
  Exprs nothing_; // what parts begin with
  const Param *range_ = nullptr;
  std::vector<const Param *> before_;
  std::vector<std::size_t> first_, last_;    // scalars of each stage
  std::vector<std::string> totals_, starts_; // spectrums of each stage
};

} // namespace

std::vector<const Spectrum *> spectrumsOf(ScanLoop loop, const std::string &base, Names &names, Arena &arena) {
  return ScanMaker(std::move(loop), base, names, arena).run(base);
}

} // namespace tangram::divide
