// @NAME@: multiplications by one become their other operand.
#include <tangram/ast/Mutator.h>
#include <tangram/plugin/Plugin.h>

namespace {

using namespace tangram;

bool isOne(const ast::Expr *e) {
  if (const ast::IntLit *n = ast::dyn<ast::IntLit>(e)) return n->value == 1;
  if (const ast::FloatLit *n = ast::dyn<ast::FloatLit>(e)) return n->value == 1;
  return false;
}

/// Override mutateX for the kinds of interest; what is not touched stays the very same node.
class Simplify final : public ast::Mutator {
public:
  using Mutator::Mutator;

protected:
  const ast::Node *mutateBinary(const ast::Binary *node) override {
    const ast::Binary *n = ast::as<ast::Binary>(rebuild(node));
    if (n->op != ast::BinaryOp::Mul) return n;
    if (isOne(n->rhs) && n->lhs->type == n->type) return n->lhs;
    if (isOne(n->lhs) && n->rhs->type == n->type) return n->rhs;
    return n;
  }
};

class @CLASS@ final : public Pass {
public:
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    // Only what hangs below `kernels` is a pass's to change.
    std::vector<const ast::Kernel *> kernels;
    bool changed = false;
    for (const ast::Kernel *kernel : module->kernels) {
      kernels.push_back(Simplify(context.arena).mutateAs(kernel));
      changed |= kernels.back() != kernel;
    }
    if (!changed) return module;
    return context.arena.derive(module, [&](ast::Module &m) { m.kernels = kernels; });
  }
};

} // namespace

TANGRAM_PLUGIN("@NAME@", "0.1", "drops multiplications by one") {
  PassDescriptor d;
  d.name = "@NAME@";
  d.summary = "drops multiplications by one";
  d.kind = PassKind::Optimizer;
  d.before = "x = 1 * y";
  d.after = "x = y";
  d.create = [](const OptionValues &) { return std::make_unique<@CLASS@>(); };
  registry.passes.add(d);
}
