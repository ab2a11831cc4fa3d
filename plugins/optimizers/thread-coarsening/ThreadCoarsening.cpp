#include "ThreadCoarsening.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Registers.h"
#include "tangram/loops/Interior.h"

#include <algorithm>

namespace tangram::coarsening {

using namespace ast;

namespace {

class Coarsening final : public Mutator {
public:
  Coarsening(PassContext &context, const Kernel &kernel, const hardware::LaunchLevels &levels, const Module &module,
             const std::set<std::string> &functions, const Limits &limits)
      : Mutator(context.arena), module_(module), levels_(levels), memory_(kernel),
        lanes_(context.arena, kernel, context.analyses.of<KnownValues>(kernel), memory_, functions),
        target_(context.target), most_(limits) {
    names_.reserveAll(&kernel);
    scalars_ = loops::scalarParameters(module, kernel);
  }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    lanes_.enter(*launch, levels_);
    limits_ = most_;
    const auto workers = static_cast<std::uint64_t>(launch->threads);
    const std::uint64_t registers = hardware::registersForValues(target_.hardware, workers);
    limits_->registers = static_cast<unsigned>(std::min<std::uint64_t>(most_.registers, registers));
    const Node *result = rebuild(launch);
    limits_.reset();
    return result;
  }

  const Node *mutateFor(const For *loop) override {
    if (const Stmt *wide = widenedOrNull(loop)) return wide;
    const auto *init = dyn<Declare>(loop->init);
    const std::string variable = init ? init->name : std::string();
    // Units that share out a map's calls have one each; others come again to what they have touched.
    const bool serial = !init || !any<WorkerIndex>(init->init, [](const WorkerIndex &) { return true; });
    if (serial) lanes_.enterSerial(variable);
    const Node *result = inside(variable, countsBy(variable, loop), [&] { return rebuild(loop); });
    if (serial) lanes_.leaveSerial();
    return result;
  }
  const Node *mutateLoop(const Loop *loop) override {
    if (const Stmt *wide = widenedOrNull(loop)) return wide;
    return inside(loop->var, std::vector{loop->begin, loop->end}, [&] { return rebuild(loop); });
  }
  // Not all lanes of a group need get to what stands in these.
  const Node *mutateIf(const If *s) override {
    return inside("", std::vector{s->cond}, [&] { return rebuild(s); });
  }
  const Node *mutateWhile(const While *s) override {
    return inside("", {}, [&] { return rebuild(s); });
  }
  const Node *mutateDoWhile(const DoWhile *s) override {
    return inside("", {}, [&] { return rebuild(s); });
  }
  const Node *mutateSwitch(const Switch *s) override {
    return inside("", {}, [&] { return rebuild(s); });
  }
  const Node *mutateSingle(const Single *s) override {
    return inside("", {}, [&] { return rebuild(s); });
  }

  /// What a loop counts by: its first value, its bound and its step; nothing for other loops.
  static std::optional<std::vector<const Expr *>> countsBy(const std::string &variable, const For *loop) {
    const auto *init = dyn<Declare>(loop->init);
    const auto *cond = dyn<Binary>(loop->cond);
    const auto *step = dyn<Assign>(loop->step);
    const auto *next = dyn<Unary>(loop->step);
    auto isVariable = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == variable; };
    if (!init || !init->init || !cond || !isVariable(cond->lhs) || jumpsOut(loop->body) ||
        assignedVariables(loop->body).count(variable) ||
        !(step ? isVariable(step->target) : next && isVariable(next->operand)))
      return {};
    std::vector<const Expr *> decides{init->init, cond->rhs};
    if (step) decides.push_back(step->value);
    for (const Expr *e : decides)
      if (mentions(e, variable)) return {};
    return decides;
  }

  template <class F>
  const Node *inside(const std::string &variable, std::optional<std::vector<const Expr *>> decides, F &&rebuilt) {
    lanes_.enterAround(variable, std::move(decides));
    const Node *result = rebuilt();
    lanes_.leaveAround();
    return result;
  }

  const Stmt *widenedOrNull(const Stmt *s) {
    std::optional<LaneLoop> loop = limits_ ? lanes_.of(s) : std::nullopt;
    return loop ? widened(arena(), names_, module_, memory_, *loop, *limits_, scalars_) : nullptr;
  }

  const Module &module_;
  hardware::LaunchLevels levels_;
  loops::Memory memory_;
  LaneLoops lanes_;
  const hardware::Target &target_;
  Limits most_;
  std::optional<Limits> limits_; // of a launch
  Names names_;
  std::set<std::string> scalars_; // of the spectrum
};

} // namespace

void ThreadCoarsening::start(const Module &module) {
  module_ = &module;
  functions_ = functionsOfNumbers(module);
}

const Kernel *ThreadCoarsening::kernel(const Kernel *kernel, PassContext &context,
                                       const hardware::LaunchLevels &levels) {
  return Coarsening(context, *kernel, levels, *module_, functions_, limits_)(kernel);
}

} // namespace tangram::coarsening
