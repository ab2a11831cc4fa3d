// Special functions (Table 7.1): coopIdx() and coopDim() become the lane variable and the width around them.
#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <utility>

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kOutside{"special-function.outside", DiagnosticClass::User,
                                  "{} stands outside a cooperative codelet", "mark the codelet __coop"};

class Lowering final : public Mutator {
public:
  explicit Lowering(Arena &arena) : Mutator(arena) {}

private:
  const Node *mutateCooperate(const Cooperate *node) override {
    const Cooperate *outer = std::exchange(around_, node);
    const Node *result = rebuild(node);
    around_ = outer;
    return result;
  }
  const Node *mutateCoopIdx(const CoopIdx *node) override {
    if (!around_) fail(kOutside, node->range, "coopIdx()");
    Build build(arena(), node->range);
    return build.cast(node->type, build.var(around_->lane, Scalar::U32));
  }
  const Node *mutateCoopDim(const CoopDim *node) override {
    if (!around_) fail(kOutside, node->range, "coopDim()");
    return Build(arena(), node->range).cast(node->type, around_->width);
  }
  // What folds once the width is a number.
  const Node *mutateBinary(const Binary *node) override {
    const Binary *result = rebuild(node);
    if (result == node) return node;
    const Expr *folded = Build(arena(), node->range).binary(node->op, result->lhs, result->rhs);
    return folded->type == node->type ? folded : result;
  }
  const Node *mutateSpectrum(const Spectrum *spectrum) override { return spectrum; }

  const Cooperate *around_ = nullptr;
};

class SpecialFunction final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return as<Module>(Lowering(context.arena).mutate(module));
  }
};

} // namespace

TANGRAM_PLUGIN("special-function", "0.1", "lowers coopIdx() and coopDim()") {
  PassDescriptor pass;
  pass.name = "special-function";
  pass.summary = "replaces coopIdx() and coopDim() by the lane variable and the width of the codelet's level";
  pass.kind = PassKind::Preparer;
  pass.before = "cooperate lane_b width 16 { id = coopIdx(); n = coopDim(); }";
  pass.after = "cooperate lane_b width 16 { id = lane_b; n = 16; }";
  pass.requires_ = {"flat"};
  pass.establishes = {"scalar-specials"};
  pass.create = [](const OptionValues &) { return std::make_unique<SpecialFunction>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("scalar-specials", "a lane's number and their count are variables",
                                   nodesOf<ast::CoopIdx, ast::CoopDim>));
}
