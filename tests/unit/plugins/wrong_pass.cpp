// A pass that is wrong for every plan alike: what is subtracted from a variable is added to it.
#include "tangram/ast/Mutator.h"
#include "tangram/plugin/Plugin.h"

using namespace tangram;

namespace {

class Signs final : public ast::Mutator {
public:
  using Mutator::Mutator;

private:
  const ast::Node *mutateAssign(const ast::Assign *node) override {
    const ast::Assign *result = rebuild(node);
    if (result->op != ast::AssignOp::Sub) return result;
    return arena().derive(result, [](ast::Assign &copy) { copy.op = ast::AssignOp::Add; });
  }
};

struct WrongSigns final : Pass {
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    return ast::as<ast::Module>(Signs(context.arena).mutate(module));
  }
};

} // namespace

TANGRAM_PLUGIN("test-wrong-pass", "1.0", "has a pass that is wrong, for tests") {
  PassDescriptor pass;
  pass.name = "test-wrong-signs";
  pass.summary = "adds what is subtracted";
  pass.create = [](const OptionValues &) { return std::make_unique<WrongSigns>(); };
  registry.passes.add(pass);
}
