#include "tangram/planning/CodeletWork.h"

#include "BranchOdds.h"
#include "Branches.h"
#include "CodeletContainers.h"
#include "CodeletIndices.h"
#include "IndexSteps.h"
#include "LoopBodies.h"
#include "LoopTurns.h"
#include "LoopsAround.h"
#include "RegisterDemand.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tangram {

using namespace ast;

namespace {

/// Loops of so many turns cost nothing by themselves, and of so many where they count elements of an array that
/// registers hold.
constexpr double kUnrolled = 16, kUnrolledPlaces = 64;

/// Turns of other loops that compilers have at a time.
constexpr double kWrittenOutAtOnce = 4;

/// Elements that the passes register-promotion and vector-promotion hold.
constexpr double kHeldByRegisters = 32, kHeldByVectors = 64;

class Counter {
public:
  Counter(const Module &module, const Codelet &codelet, const Facts &facts, const std::vector<Extents> &arguments,
          const Scalars &known, std::uint64_t lanes, std::uint64_t abreast, std::shared_ptr<const CodeletSource> source)
      : module_(module), codelet_(codelet), source_(*source), arguments_(arguments),
        numbers_(module, codelet, arguments, known, lanes, std::move(source)),
        containers_(codelet, facts, source_, numbers_), bodies_(source_, containers_),
        steps_(numbers_, [this](const Subscript &s) { return containers_.isRange(s); }),
        loops_(source_, containers_, numbers_, lanes), indices_(codelet, source_, numbers_, loops_),
        turns_(source_, containers_, numbers_, loops_, indices_, arguments_),
        odds_(containers_, numbers_, loops_, indices_), abreast_(static_cast<double>(abreast)) {
    work_.accesses = containers_.all();
    work_.sharedBytes = containers_.sharedBytes();
  }

  CodeletWork take() && {
    statement(codelet_.body, 1);
    const RegisterDemand::Values values = RegisterDemand(source_, containers_, numbers_, steps_).of(codelet_.body);
    work_.values = values.all, work_.arrays = values.arrays, work_.fractions = values.fractions;
    for (const auto &[i, across] : acrossLanes_) {
      AccessWork &access = work_.accesses[i];
      const std::optional<double> step = farthest(across);
      if (!step || access.pattern.perLane == Stride::Irregular) continue;
      access.distance = *step * static_cast<double>(access.bytes);
      access.pattern.perLane = step == 0.0 ? Stride::Zero : step == 1.0 ? Stride::Unit : Stride::Constant;
    }
    return std::move(work_);
  }

private:
  // ---- statements ----

  void statements(const std::vector<const Stmt *> &all, double times) {
    for (const Stmt *s : all) statement(s, times);
  }

  void statement(const Stmt *s, double times) {
    if (!s || times == 0) return;
    switch (stmtKind(*s)) {
    case StmtKind::Block: return statements(as<Block>(s)->stmts, times);
    case StmtKind::Declare:
      for (const Expr *extent : as<Declare>(s)->extents) expression(extent, times);
      return expression(as<Declare>(s)->init, times);
    case StmtKind::Evaluate: return expression(as<Evaluate>(s)->expr, times);
    case StmtKind::Return: return expression(as<Return>(s)->value, times);
    case StmtKind::Await: {
      constexpr double kPart = 0.5; // of the panel at hand is used behind the copies, and in front of the next Await
      work_.exchanges += times;
      if (loops_.all().empty()) return;
      work_.awaits += times;
      work_.panelsAhead += times * (numbers_(as<Await>(s)->pending).value_or(0) + kPart);
      return;
    }
    case StmtKind::If: {
      const auto *branch = as<If>(s);
      expression(branch->cond, times);
      if (holdsForNaNs(branch->cond)) return statement(branch->otherwise, times);
      double then = branch->otherwise ? times / 2 : times, otherwise = times / 2;
      if (const std::optional<double> part = odds_.partAmongLeast(*branch)) {
        then = std::min(1.0, *part * abreast_) * times;
        work_.mispredictions += isConverted(*branch) ? 0 : *part * times;
      } else if (const std::optional<bool> mostly = mostlyHolds(*branch)) {
        then = *mostly ? times : 0, otherwise = times - then;
      } else if (const std::optional<double> part = odds_.holds(branch->cond)) {
        then = *part * times, otherwise = times - then;
      } else if (odds_.isDecidedByData(branch->cond) && !isConverted(*branch)) {
        constexpr double kAsForeseen = 0.5;
        work_.mispredictions += (1 - kAsForeseen) * times;
      }
      const std::vector<const Expr *> before = atHand_;
      statement(branch->then, then);
      atHand_ = before;
      statement(branch->otherwise, otherwise);
      return atHand_.clear();
    }
    case StmtKind::For: {
      const auto *loop = as<For>(s);
      const bool apart = std::exchange(apart_, apart_ || loop->independentLanes == Flag::Yes);
      bodies_.of(loop->body, apart_);
      statement(loop->init, times);
      const std::string counter = counterOf(*loop);
      const std::vector<double> weights = turns_.stageWeights();
      std::optional<double> turns = turns_.of(loop, loop->cond);
      const Expr *step = strideOf(*loop);
      const bool byLanes = step && isa<CoopDim>(withoutCasts(step));
      const double stride = std::max(1.0, std::abs(numbers_(step).value_or(1)));
      if (!turns && !counter.empty()) findBounds(loop->cond);
      if (!turns) turns = turns_.meanPart(*loop, counter);
      if (!turns && !counter.empty())
        if (const std::optional<double> extent = turns_.extentBy(counter, loop->body))
          turns = std::ceil(*extent / stride);
      if (!turns && counter.empty() && !loops_.all().empty()) {
        // What was there before the loop around goes on where it was: both together turn less often than that one. What
        // begins anew in each of its turns goes half through what there is.
        const std::string moved = movedBy(*loop);
        if (!any<Declare>(loops_.all().back().body, [&](const Declare &d) { return d.name == moved; }))
          turns = 0.5;
        else if (const std::optional<double> extent = turns_.extentBy(moved, loops_.all().back().body))
          turns = *extent / 2;
      }
      const LoopsAround::Spans outer = loops_.spans();
      const Declare *begins = source_.declared(counter);
      const double begin = begins && begins->init ? loops_.span(begins->init).value_or(0) : 0;
      loops_.setSpan(counter, begin + (std::max(1.0, turns.value_or(kUnknownTurns)) - 1) * stride);
      const double all = turns.value_or(kUnknownTurns);
      // Compilers unroll what they can count.
      const bool fixed = turns && !indices_.followsParameter(loop->cond);
      if (byLanes && !bodies_.of(loop->body).carries) work_.laneTurns = std::max(work_.laneTurns, all);
      loops_.enter({counter, all, bodies_.of(loop->body).storesElsewhere, loop->body, isa<Unary>(loop->step), fixed,
                    fixed && isWrittenOut(counter, all, loop->body)});
      const bool together = apart_ && !filling_; // lanes wait once, behind it
      if (together) work_.exchanges += times, filling_ = true;
      repeated(turns, times, loop->body, {loop->cond, loop->step}, loops_.all().back().writtenOut);
      if (together) filling_ = false;
      loops_.leave();
      turns_.setStageWeights(weights);
      loops_.setSpans(outer);
      apart_ = apart;
      return;
    }
    case StmtKind::While: {
      const auto *loop = as<While>(s);
      work_.mispredictions += times; // the last turn
      const std::vector<double> weights = turns_.stageWeights();
      repeated(turns_.of(loop, loop->cond), times, loop->body, {loop->cond});
      turns_.setStageWeights(weights);
      return;
    }
    case StmtKind::DoWhile:
      work_.mispredictions += times;
      return repeated({}, times, as<DoWhile>(s)->body, {as<DoWhile>(s)->cond});
    case StmtKind::Switch: {
      const auto *choice = as<Switch>(s);
      expression(choice->value, times);
      const double each = times / static_cast<double>(std::max<std::size_t>(1, choice->cases.size()));
      for (const Case *one : choice->cases) {
        atHand_.clear();
        statement(one->body, each);
      }
      return atHand_.clear();
    }
    // Jumps; what the cloner and passes make does not stand in a codelet.
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Loop:
    case StmtKind::Cooperate:
    case StmtKind::Sync:
    case StmtKind::View:
    case StmtKind::Alloc:
    case StmtKind::Launch:
    case StmtKind::Single:
    case StmtKind::Report:
    case StmtKind::VectorStore: return;
    }
  }

  /// Of a choice between two ways what most calls take, where it is not known of all: they differ in numbers, as those
  /// of tiles, of which the one that is looked at may be at an end.
  std::optional<bool> mostlyHolds(const If &branch) {
    if (!branch.otherwise) return {};
    if (!indices_.followsNumber(branch.cond) && odds_.holds(branch.cond)) return {};
    return odds_.mostlyHolds(branch.cond);
  }

  void repeated(std::optional<double> turns, double times, const Block *body, std::vector<const Expr *> each,
                bool writtenOut = true) {
    if (!turns) work_.guessed = true;
    const double all = times * turns.value_or(kUnknownTurns);
    // Compilers unroll what turns a few times.
    if (writtenOut) each = {};
    const CodeletSource::Loop &loop = bodies_.of(body);
    if (!turns || !writtenOut)
      work_.branches +=
          turns && apart_ ? times * std::ceil(*turns / std::max<double>(loop.batch, kWrittenOutAtOnce)) : all;
    // A loop that only fills what lanes share is waited for once.
    const bool fills = !filling_ && loop.storesShared && !loop.loadsShared;
    if (fills) work_.exchanges += times, work_.fills += times;
    filling_ |= fills;
    atHand_.clear();
    columns_.clear();
    for (const Expr *expr : each) expression(expr, all);
    const double before = work_.turns;
    statement(body, all);
    columns_.clear();
    atHand_.clear();
    if (work_.turns == before) {
      work_.turns += all;
      if (loop.carries) work_.dependent += all;
      if (loop.carries || !mayBeVectors(body)) work_.scalarTurns += all;
    }
    if (fills) filling_ = false;
  }

  /// Whether a compiler finds by itself neighbouring elements in the turns of an innermost loop, and converts them
  /// together: it does not see that quotients of neighbours are the same, and knows nothing of f16.
  bool mayBeVectors(const Block *body) const {
    const std::string counter =
        !loops_.all().empty() && loops_.all().back().body == body ? loops_.all().back().counter : "";
    const auto divided = [&](const Binary &b) {
      return (b.op == BinaryOp::Div || b.op == BinaryOp::Rem || b.op == BinaryOp::Shr) && loops_.dependsOn(&b, counter);
    };
    return !any<Cast>(body, [](const Cast &c) { return c.type.isHalf() || c.operand->type.isHalf(); }) &&
           !any<Subscript>(body, [&](const Subscript &element) {
             return std::any_of(element.indices.begin(), element.indices.end(),
                                [&](const Expr *index) { return any<Binary>(index, divided); });
           });
  }

  bool isWrittenOut(const std::string &counter, double turns, const Block *body) const {
    return turns <= kUnrolled || (turns <= kUnrolledPlaces && bodies_.of(body).places.count(counter));
  }

  /// Part of what the innermost loop loads from a container that nothing waits for.
  double inBatches(const std::string &name, const Expr *place) const {
    if (loops_.all().empty() || loops_.all().back().counter.empty() ||
        !loops_.dependsOn(place, loops_.all().back().counter))
      return 0;
    const std::vector<std::string> &reached = source_.reached(place).variables;
    const bool chained = std::any_of(reached.begin(), reached.end(), [&](const std::string &variable) {
      return source_.changes(variable) && !loops_.spans().count(variable);
    });
    const CodeletSource::Loop &loop = bodies_.of(loops_.all().back().body);
    // An element that all turns change is in a register.
    const auto written = loop.written.find(name);
    const bool stored = written != loop.written.end() &&
                        std::any_of(written->second.begin(), written->second.end(),
                                    [&](const Expr *at) { return loops_.dependsOn(at, loops_.all().back().counter); });
    return chained || stored ? 0 : 1 - 1 / std::clamp<double>(loops_.all().back().turns, 1, loop.batch);
  }

  /// Containers whose elements say how long a loop is; of a cooperative codelet, whether these are others for each
  /// lane.
  void findBounds(const Expr *condition) {
    const auto *n = dyn<Binary>(withoutCasts(condition));
    if (!n) return;
    const std::vector<std::string> &reached = source_.reached(n->rhs).variables;
    std::vector<const Expr *> loads{n->rhs};
    for (const std::string &name : reached)
      if (const Declare *d = containers_.isLoaded(name) ? source_.declared(name) : nullptr) loads.push_back(d->init);
    bool any = false;
    for (const Expr *e : loads)
      walk(e, [&](const Subscript &s) {
        const std::string *name = containerOf(&s);
        if (!containers_.isParameter(name)) return;
        any = true;
        work_.bounds.insert(*containers_.find(name)->parameter);
      });
    work_.uneven |= any && codelet_.coop &&
                    (source_.reached(n->rhs).lane ||
                     std::any_of(reached.begin(), reached.end(), [&](const std::string &name) { // they begin apart
                       const Declare *counter = source_.counting(name) ? source_.declared(name) : nullptr;
                       return counter && counter->init && source_.reached(counter->init).lane;
                     }));
  }

  // ---- expressions ----

  /// How often what is computed from variables alone is: before the loops that do not change it, never where it is a
  /// constant of loops that are unrolled.
  double hoisted(const Expr *e, double times) {
    if (source_.reached(e).calls) return times;
    if (e->type.isInteger() && loops_.isUnrolled(e)) return 0;
    for (auto loop = loops_.all().rbegin(); loop != loops_.all().rend() && !loops_.dependsOn(e, loop->counter); ++loop)
      times /= std::max(1.0, loop->turns);
    return times;
  }

  /// The part of loads to an element that nothing waits for: all to a worker's own array that is there in the next turn
  /// of a loop, and all but the first of some that are kept in arrays one after the other without a branch.
  double underWay(const Expr *place) const {
    constexpr double kMost = 8;
    const auto *element = dyn<Subscript>(place);
    const auto *array = element ? dyn<VarRef>(element->base) : nullptr;
    const AccessWork *access = array ? containers_.find(&array->name) : nullptr;
    const bool own = access && !access->parameter;
    if (!own && !(array && containers_.shared(array->name))) return 0;
    if (own)
      for (auto loop = loops_.all().rbegin(); loop != loops_.all().rend(); ++loop)
        if (!loops_.dependsOn(element->indices.back(), loop->counter)) {
          const bool outlives =
              loop->turns > 1 && !any<Declare>(loop->body, [&](const Declare &d) { return d.name == array->name; });
          if (outlives) return 1;
          break;
        }
    if (loops_.all().empty() || !loops_.all().back().writtenOut) return 0;
    return 1 - 1 / std::clamp(loops_.all().back().turns, 1.0, kMost);
  }

  void expression(const Expr *e, double times) {
    if (e && (isa<Binary>(e) || isa<Conditional>(e))) times = hoisted(e, times);
    if (!e || times == 0) return;
    switch (exprKind(*e)) {
    case ExprKind::Subscript: return element(e, times, &AccessWork::loads);
    case ExprKind::Assign: {
      const auto *assign = as<Assign>(e);
      if (const auto *transfer = dyn<Transfer>(assign->value)) return this->transfer(*transfer, assign->target, times);
      if (assign->op == AssignOp::Set) ahead_ = underWay(assign->target);
      expression(assign->value, times);
      ahead_ = 0;
      if (assign->op != AssignOp::Set) {
        if (!isProduct(assign->value)) // else in one instruction with the sum
          operation(assign->op == AssignOp::Div || assign->op == AssignOp::Rem, *assign->target, assign->value, times);
        place(assign->target, times, &AccessWork::loads);
      }
      return place(assign->target, times, &AccessWork::stores);
    }
    case ExprKind::Atomic: {
      for (const Expr *operand : as<Atomic>(e)->operands) expression(operand, times);
      return place(as<Atomic>(e)->target, times, &AccessWork::atomics);
    }
    case ExprKind::MatrixMultiply: {
      const auto *product = as<MatrixMultiply>(e);
      for (const auto *operands : {&product->a, &product->b, &product->c})
        for (const Expr *operand : *operands) expression(operand, times);
      work_.matrixType = product->operand.scalar();
      work_.matrix += times * static_cast<double>(product->m * product->n * product->k) / hardware::MatrixShape::kLanes;
      return;
    }
    case ExprKind::Unary: {
      const auto *unary = as<Unary>(e);
      work_.operations += times;
      return expression(unary->operand, times);
    }
    case ExprKind::Binary: {
      const auto *binary = as<Binary>(e);
      const bool sums = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
      if (!sums || (!isProduct(binary->lhs) && !isProduct(binary->rhs)))
        operation(binary->op == BinaryOp::Div || binary->op == BinaryOp::Rem, *binary, binary->rhs, times);
      expression(binary->lhs, times);
      return expression(binary->rhs, times);
    }
    case ExprKind::Conditional: {
      const auto *choice = as<Conditional>(e);
      work_.operations += times;
      expression(choice->cond, times);
      expression(choice->then, times / 2);
      return expression(choice->otherwise, times / 2);
    }
    case ExprKind::Cast: return expression(as<Cast>(e)->operand, times);
    case ExprKind::Member: return expression(as<Member>(e)->base, times);
    case ExprKind::Call: return call(*as<Call>(e), times);
    case ExprKind::InitList:
      for (const Expr *value : as<InitList>(e)->values) expression(value, times);
      return;
    case ExprKind::Map: return site(e, as<Map>(e)->args, times);
    case ExprKind::SpectrumCall: return site(e, as<SpectrumCall>(e)->args, times);
    // Literals, variables, sizes; what passes make does not stand in a codelet.
    case ExprKind::IntLit:
    case ExprKind::FloatLit:
    case ExprKind::VarRef:
    case ExprKind::Partition:
    case ExprKind::Sequence:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::WorkerIndex:
    case ExprKind::WorkerCount:
    case ExprKind::Aligned:
    case ExprKind::Shuffle:
    case ExprKind::Transfer:
    case ExprKind::Check:
    case ExprKind::Faulted:
    case ExprKind::LaneIndex:
    case ExprKind::Broadcast:
    case ExprKind::VectorLoad:
    case ExprKind::VectorSelect:
    case ExprKind::VectorReduce:
    case ExprKind::VectorLane: return;
    }
  }

  /// One instruction for all neighbours, for which no lane waits before the Await.
  void transfer(const Transfer &t, const Expr *target, double times) {
    const auto count = static_cast<double>(t.count);
    expression(t.cond, times);
    const double operations = work_.operations, shared = work_.shared;
    ahead_ = 1;
    together_ = count;
    element(t.source, times * count, &AccessWork::loads);
    together_ = 1;
    ahead_ = 0;
    const bool filling = std::exchange(filling_, true); // lanes wait at the Await
    place(target, times * count, &AccessWork::stores);
    filling_ = filling;
    work_.operations = operations + (work_.operations - operations) / count;
    work_.shared = shared + (work_.shared - shared) / count;
  }

  static bool isProduct(const Expr *e) {
    const auto *n = dyn<Binary>(withoutCasts(e));
    return n && n->op == BinaryOp::Mul && n->type.isFloating();
  }

  /// A division by a constant is a product.
  void operation(bool divides, const Expr &result, const Expr *by, double times) {
    if (divides && !loops_.isConstant(by)) {
      (staysTheSame(by) ? work_.quotients : work_.divisions) += times;
      return;
    }
    if (divides) times *= 2;
    work_.operations += times;
    if (result.type == Type(Scalar::F64)) work_.wide += times;
  }

  /// Whether it is a number with a fraction that the innermost loop, or calls beside this one, do not change.
  bool staysTheSame(const Expr *e) const {
    if (!e->type.isFloating() || containers_.loads(e) || source_.reached(e).calls) return false;
    if (!loops_.all().empty()) return !loops_.dependsOn(e, loops_.all().back().counter);
    const auto *v = dyn<VarRef>(withoutCasts(e));
    return v && std::any_of(codelet_.params.begin(), codelet_.params.end(),
                            [&](const Param *p) { return p->name == v->name; });
  }

  void site(const Expr *e, const std::vector<const Expr *> &arguments, double times) {
    work_.sites[e] += times;
    for (const Expr *argument : arguments)
      if (!argument->type.isArray() || isa<Map>(argument) || isa<SpectrumCall>(argument)) expression(argument, times);
  }

  void call(const Call &c, double times) {
    for (const Expr *argument : c.args) expression(argument, times);
    if (isMathFunction(c.callee)) {
      (isSquareRoot(c.callee)    ? work_.divisions
       : isInstruction(c.callee) ? work_.operations
                                 : work_.functions) += times;
      return;
    }
    // What functions that call others many times over do beyond that is not counted.
    if (calls_ == kCalls) return;
    ++calls_;
    const std::vector<const Expr *> before = std::exchange(atHand_, {}); // it has names of its own
    for (const Function *function : module_.functions)
      if (function->name == c.callee) statement(function->body, times);
    atHand_ = before;
    --calls_;
  }

  static bool isSquareRoot(std::string_view name) { return name == "sqrt" || name == "sqrtf"; }
  /// What machines have an instruction for.
  static bool isInstruction(std::string_view name) {
    static const std::set<std::string_view> names{"abs",   "llabs", "fabs",  "fmin", "fmax",    "fma",
                                                  "floor", "ceil",  "trunc", "rint", "copysign"};
    return isHalfConversion(name) || names.count(name) ||
           (name.ends_with('f') && names.count(name.substr(0, name.size() - 1)));
  }

  void place(const Expr *target, double times, double AccessWork::*what) {
    target = withoutCasts(target);
    const bool isElement = isa<Subscript>(target) || isa<Member>(target);
    if (isElement) element(target, times, what);
    if (what == &AccessWork::loads) return;
    // What was loaded may be another value from here on.
    const std::string *changed = isElement ? nullptr : containerOf(target);
    std::erase_if(atHand_, [&](const Expr *e) { return !changed || mentions(e, *changed); });
    if (isElement && what == &AccessWork::stores) atHand_.push_back(target);
  }

  /// Whether an element was loaded or stored before, and is in a register.
  bool isAtHand(const Expr *e) {
    if (std::any_of(atHand_.begin(), atHand_.end(), [&](const Expr *known) { return equal(known, e); })) return true;
    atHand_.push_back(e);
    return false;
  }

  /// Part of the loads that is left where turns of a loop in which lanes do not wait, of which compilers have several
  /// at a time, load what the turn before has loaded: of `a[i - 1][j] + a[i][j] + a[i + 1][j]` little more than one.
  double partNotAtHand(const std::string &name, const Expr *place) {
    const auto *element = dyn<Subscript>(withoutCasts(place));
    if (!apart_ || !element || loops_.all().empty() || !loops_.all().back().byOne) return 1;
    Column fresh{name, {}, 0, 0};
    std::size_t moving = 0;
    for (const Expr *index : element->indices) {
      const auto [base, constant] = indices_.apartFromConstant(index);
      const bool moves = base && loops_.dependsOn(base, loops_.all().back().counter);
      if (moves) ++moving, fresh.least = fresh.most = constant;
      fresh.bases.emplace_back(base, moves ? 0 : constant);
    }
    if (moving != 1) return 1;
    for (Column &known : columns_) {
      const bool same = known.container == name &&
                        std::equal(known.bases.begin(), known.bases.end(), fresh.bases.begin(), fresh.bases.end(),
                                   [](const auto &a, const auto &b) {
                                     return a.second == b.second && a.first && b.first && equal(a.first, b.first);
                                   });
      if (!same) continue;
      const auto before = static_cast<double>(known.most - known.least);
      known.least = std::min(known.least, fresh.least), known.most = std::max(known.most, fresh.most);
      return std::min(1.0, (static_cast<double>(known.most - known.least) - before) / kWrittenOutAtOnce);
    }
    columns_.push_back(std::move(fresh));
    return 1;
  }

  /// Sums and products of indices are counted on from turn to turn: what is left is one operation an access, divisions,
  /// bounds, and what is loaded.
  void index(const Expr *e, double times) {
    for (const Expr *inner = nullptr; (inner = indices_.unclamped(e)) != e; e = inner) work_.operations += 2 * times;
    walk(
        e,
        [&](const Subscript &s) {
          element(&s, times, &AccessWork::loads);
          return WalkResult::Skip;
        },
        [&](const Binary &n) {
          const bool divides = n.op == BinaryOp::Div || n.op == BinaryOp::Rem;
          if (divides && !loops_.isUnrolled(&n) && numbers_(n.rhs) != 1.0) operation(true, n, n.rhs, times);
        });
  }

  void element(const Expr *e, double times, double AccessWork::*what) {
    for (const Expr *at = e; at;) {
      if (const auto *s = dyn<Subscript>(at)) {
        for (const Expr *each : s->indices) index(each, times);
        at = s->base;
      } else if (const auto *m = dyn<Member>(at)) {
        at = m->base;
      } else {
        break;
      }
    }
    const std::string *name = containerOf(e);
    if (!name || containers_.isRange(*name)) return;
    if (loops_.isRegister(*name, e)) {
      if (what == &AccessWork::stores) work_.registerStores += times;
      return;
    }
    if (what == &AccessWork::loads && isAtHand(e)) return;
    // Loaded before the loop, and what the loop accumulates is stored behind it.
    if (what != &AccessWork::atomics)
      for (auto loop = loops_.all().rbegin(); loop != loops_.all().rend() && !loops_.dependsOn(e, loop->counter);
           ++loop) {
        const bool sum = accumulates(loop->body, *name, e);
        if (!sum && (what == &AccessWork::stores || loop->stores)) break;
        times /= std::max(1.0, loop->turns);
      }
    const std::optional<std::uint64_t> shared = containers_.shared(*name);
    if (shared && what != &AccessWork::atomics) times *= transfers(e, *shared);
    if (shared && what == &AccessWork::loads) times *= partNotAtHand(*name, e);
    work_.operations += times;
    if (shared) {
      (what == &AccessWork::atomics ? work_.sharedAtomics : work_.shared) += times;
      if (what != &AccessWork::loads && !filling_) work_.exchanges += times;
      if (source_.hasElementForEachLane(*name))
        (source_.isLane(as<Subscript>(withoutCasts(e))->indices[0]) ? work_.ownOfLane : work_.exchanged) += times;
      if (what != &AccessWork::atomics && liesApart(e)) work_.sharedApart += times;
    } else if (const std::optional<std::size_t> number = containers_.number(*name)) {
      AccessWork &access = work_.accesses[*number];
      access.*what += times;
      if (what == &AccessWork::loads) {
        if (!containers_.foundByData(e)) {
          access.repeated += times - once(e, times, kHeldByRegisters);
          access.repeatedGathers += times - once(e, times, kHeldByVectors);
        }
        access.joined += times * (1 - 1 / together_);
        const auto *s = dyn<Subscript>(withoutCasts(e));
        if (s && indices_.unclamped(s->indices.back()) != s->indices.back()) access.bounded += times;
        access.ahead += (access.parameter ? std::max(ahead_, inBatches(*name, e)) : ahead_) * times;
      }
      if (what == &AccessWork::loads) indices_.refer(access, references_[*number], e);
      indices_.touch(access, e);
      if (codelet_.coop && access.parameter)
        acrossLanes_[*number][stepAcrossLanes(e, arguments_.at(*access.parameter))] += times;
      if (!access.parameter && containers_.byData(e)) access.pattern = {Stride::Irregular, Stride::Zero, true};
    }
  }

  /// Whether all that a loop changes in containers is what it accumulates in this element of one.
  bool accumulates(const Block *loop, const std::string &name, const Expr *place) const {
    const auto &written = bodies_.of(loop).written;
    return !containers_.shared(name) && written.size() == 1 && written.begin()->first == name &&
           std::all_of(written.begin()->second.begin(), written.begin()->second.end(),
                       [&](const Expr *at) { return equal(at, place); }) &&
           !any<Assign>(loop, [&](const Assign &a) { return a.op == AssignOp::Set && equal(a.target, place); });
  }

  /// How many of the loads are left where what all turns of a loop load, by short loops in it, is held: so many
  /// elements at most.
  double once(const Expr *e, double times, double most) {
    double elements = 1;
    for (auto loop = loops_.all().rbegin(); loop != loops_.all().rend() && !loop->stores; ++loop)
      if (loops_.dependsOn(e, loop->counter)) {
        elements *= std::max(1.0, loop->turns);
        if (!loop->fixed || elements > most) break;
      } else if (elements > 1) {
        times /= std::max(1.0, loop->turns);
      }
    return times;
  }

  /// Of scratchpad memory, for each element: several go together, and lanes with different ones share its width.
  double transfers(const Expr *place, std::uint64_t bytes) {
    constexpr double kWidth = 8; // bytes of a lane in the time that an access takes to start
    const double together = loadedTogether(place, bytes);
    const auto *s = dyn<Subscript>(withoutCasts(place));
    const bool same = s && steps_.acrossLanes(s->indices.back()) == 0.0;
    return (same ? 1 : std::max(1.0, together * static_cast<double>(bytes) / kWidth)) / together;
  }

  /// Whether neighbouring lanes are known to have elements that are neither the same nor beside each other.
  bool liesApart(const Expr *place) {
    const auto *s = dyn<Subscript>(withoutCasts(place));
    const std::optional<double> step = s ? steps_.acrossLanes(s->indices.back()) : std::nullopt;
    return step && std::abs(*step) > 1;
  }

  /// Elements that one instruction accesses: neighbours that an unrolled loop goes through.
  double loadedTogether(const Expr *place, std::uint64_t bytes) {
    constexpr double kBytes = 16;
    const auto *s = dyn<Subscript>(withoutCasts(place));
    if (!s || loops_.all().empty() || !loops_.all().back().byOne || !loops_.all().back().writtenOut) return 1;
    const IndexSteps::Run run = steps_.run(s->indices.back(), loops_.all().back().counter);
    if (!run.moves) return 1;
    return std::max(1.0, std::min({run.length, loops_.all().back().turns, kBytes / static_cast<double>(bytes)}));
  }

  /// How often neighbouring lanes are so many elements apart; nothing: that is not known.
  using AcrossLanes = std::map<std::optional<double>, double>;
  /// The greatest distance, but for that of few accesses; nothing where it is not known of more than few.
  static std::optional<double> farthest(const AcrossLanes &across) {
    constexpr double kFew = 0.1;
    double few = 0;
    for (const auto &[step, times] : across) few += kFew * times;
    const auto unknown = across.find(std::nullopt);
    if (unknown != across.end()) few -= unknown->second;
    for (auto known = across.rbegin(); few >= 0 && known != across.rend() && known->first; ++known)
      if (few -= known->second; few <= 0) return known->first;
    return {};
  }
  /// How many elements apart neighbouring lanes access a container of these extents; nothing where that is not known.
  std::optional<double> stepAcrossLanes(const Expr *place, const Extents &extents) {
    const auto *s = dyn<Subscript>(withoutCasts(place));
    std::optional<double> step;
    if (s && isa<VarRef>(s->base)) {
      step = 0;
      double inner = 1; // elements of what the dimension counts: itself, rows, planes
      for (std::size_t d = s->indices.size(); d-- > 0 && step;) {
        const std::optional<double> own = steps_.acrossLanes(s->indices[d]);
        step = own && (*own == 0 || inner > 0) ? std::optional(*step + *own * inner) : std::nullopt;
        inner *= d < extents.size() && extents[d] ? static_cast<double>(*extents[d]) : 0; // 0: not known
      }
    }
    return step ? std::optional(std::abs(*step) / together_) : std::nullopt; // a lane has these side by side
  }

  const Module &module_;
  const Codelet &codelet_;
  const CodeletSource &source_;
  const std::vector<Extents> arguments_;
  Numbers numbers_;
  CodeletContainers containers_;
  LoopBodies bodies_;
  IndexSteps steps_;
  LoopsAround loops_;
  CodeletIndices indices_;
  LoopTurns turns_;
  BranchOdds odds_;
  double abreast_;
  static constexpr unsigned kCalls = 8; // within calls
  unsigned calls_ = 0;
  std::vector<const Expr *> atHand_; // elements that registers hold
  bool filling_ = false;             // what lanes share, in a loop that was counted
  bool apart_ = false;               // in a loop in which lanes do not wait for each other
  struct Column {                    // elements of what lanes share that one turn after the other loads
    std::string container;
    std::vector<std::pair<const Expr *, std::int64_t>> bases; // of its indices, and what is added but along the loop
    std::int64_t least, most;                                 // what is added along it
  };
  std::vector<Column> columns_; // of the innermost loop's body
  double together_ = 1;         // elements that one instruction loads
  double ahead_ = 0;            // part of what is loaded that nothing waits for
  std::map<std::size_t, std::vector<CodeletIndices::References>> references_; // of each of work_.accesses
  std::map<std::size_t, AcrossLanes> acrossLanes_;                            // of each of work_.accesses
  CodeletWork work_;
};

} // namespace

const CodeletWork &CodeletWorks::of(const Codelet &codelet, const std::vector<Extents> &arguments, const Scalars &known,
                                    std::uint64_t lanes, std::uint64_t abreast) {
  auto [it, fresh] = works_.try_emplace(std::tuple(&codelet, arguments, known, lanes, abreast));
  if (!fresh) return it->second;
  std::shared_ptr<const CodeletSource> &source = sources_[&codelet];
  if (!source) source = std::make_shared<CodeletSource>(codelet);
  return it->second = Counter(module_, codelet, facts_, arguments, known, lanes, abreast, source).take();
}

} // namespace tangram
