#include "ThreadCoarsening.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::coarsening {

using namespace ast;

namespace {

class Coarsening final : public Mutator {
public:
  Coarsening(PassContext &context, const Kernel &kernel, const hardware::LaunchLevels &levels, const Module &module,
             const std::set<std::string> &functions, const Limits &limits)
      : Mutator(context.arena), module_(module), levels_(levels), memory_(kernel),
        lanes_(context.arena, kernel, context.analyses.of<KnownValues>(kernel), memory_, functions), limits_(limits) {
    names_.reserveAll(&kernel);
  }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    lanes_.enter(*launch, levels_);
    inLaunch_ = true;
    const Node *result = rebuild(launch);
    inLaunch_ = false;
    return result;
  }

  const Node *mutateFor(const For *loop) override {
    if (const Stmt *wide = widenedOrNull(loop)) return wide;
    const auto *init = dyn<Declare>(loop->init);
    const std::string variable = init ? init->name : std::string();
    const bool alike = init && lanes_.uniform(init->init) && countsAlike(variable, loop);
    // Units that share out a map's calls have one each; others come again to what they have touched.
    const bool serial = !init || !any<WorkerIndex>(init->init, [](const WorkerIndex &) { return true; });
    if (serial) lanes_.enterSerial(variable);
    const Node *result = inside(alike, variable, [&] { return rebuild(loop); });
    if (serial) lanes_.leaveSerial();
    return result;
  }
  const Node *mutateLoop(const Loop *loop) override {
    if (const Stmt *wide = widenedOrNull(loop)) return wide;
    const bool alike = lanes_.uniform(loop->begin) && lanes_.uniform(loop->end);
    return inside(alike, loop->var, [&] { return rebuild(loop); });
  }
  // Not all lanes of a group need get to what stands in these.
  const Node *mutateIf(const If *s) override {
    return inside(lanes_.uniform(s->cond), "", [&] { return rebuild(s); });
  }
  const Node *mutateWhile(const While *s) override {
    return inside(false, "", [&] { return rebuild(s); });
  }
  const Node *mutateDoWhile(const DoWhile *s) override {
    return inside(false, "", [&] { return rebuild(s); });
  }
  const Node *mutateSwitch(const Switch *s) override {
    return inside(false, "", [&] { return rebuild(s); });
  }
  const Node *mutateSingle(const Single *s) override {
    return inside(false, "", [&] { return rebuild(s); });
  }

  /// Whether a loop counts alike for all where its variable begins so.
  bool countsAlike(const std::string &variable, const For *loop) {
    const auto *cond = dyn<Binary>(loop->cond);
    const auto *step = dyn<Assign>(loop->step);
    const auto *next = dyn<Unary>(loop->step);
    auto isVariable = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == variable; };
    const bool steps =
        step ? isVariable(step->target) && lanes_.uniform(step->value) : next && isVariable(next->operand);
    return cond && isVariable(cond->lhs) && lanes_.uniform(cond->rhs) && steps && !jumpsOut(loop->body) &&
           !assignedVariables(loop->body).count(variable);
  }

  template <class F> const Node *inside(bool alike, const std::string &variable, F &&rebuilt) {
    apart_ += !alike;
    if (alike && !variable.empty()) lanes_.counts(variable, true);
    const Node *result = rebuilt();
    if (alike && !variable.empty()) lanes_.counts(variable, false);
    apart_ -= !alike;
    return result;
  }

  const Stmt *widenedOrNull(const Stmt *s) {
    std::optional<LaneLoop> loop = inLaunch_ && apart_ == 0 ? lanes_.of(s) : std::nullopt;
    return loop ? widened(arena(), names_, module_, memory_, *loop, limits_) : nullptr;
  }

  const Module &module_;
  hardware::LaunchLevels levels_;
  loops::Memory memory_;
  LaneLoops lanes_;
  Limits limits_;
  Names names_;
  bool inLaunch_ = false;
  unsigned apart_ = 0; // statements around in which workers of a group may part
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
