// Qualifier preparation (Table 7.1): const wherever a variable keeps its first value. That functions are internal to
// the output and inline is the same for all of them, so that the backend needs no mark.
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <set>

namespace {
using namespace tangram;
using namespace tangram::ast;

bool couldBeConst(const Declare &d, const std::set<std::string> &assigned) {
  return d.init && d.extents.empty() && !d.shared && !d.isConst && !assigned.count(d.name);
}

class Qualifier final : public Mutator {
public:
  explicit Qualifier(Arena &arena) : Mutator(arena) {}

private:
  template <class Body> const Node *body(const Body *node) {
    assigned_ = assignedVariables(node->body);
    return rebuild(node);
  }
  const Node *mutateKernel(const Kernel *kernel) override { return body(kernel); }
  const Node *mutateFunction(const Function *function) override { return body(function); }
  const Node *mutateSpectrum(const Spectrum *spectrum) override { return spectrum; }

  const Node *mutateDeclare(const Declare *stmt) override {
    const Declare *result = rebuild(stmt);
    if (!couldBeConst(*result, assigned_)) return result;
    return arena().derive(result, [](Declare &copy) { copy.isConst = true; });
  }

  std::set<std::string> assigned_;
};

class QualifierPreparation final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return as<Module>(Qualifier(context.arena).mutate(module));
  }
};

Violations unqualified(const Module &module, const hardware::Target &) {
  Violations found;
  for (const Kernel *kernel : module.kernels) {
    const std::set<std::string> assigned = assignedVariables(kernel->body);
    collect<Declare>(found, kernel->body, [&](const Declare &d) { return couldBeConst(d, assigned); });
  }
  return found;
}

} // namespace

TANGRAM_PLUGIN("qualifier-preparation", "0.1", "adds const where variables keep their value") {
  PassDescriptor pass;
  pass.name = "qualifier-preparation";
  pass.summary = "makes every local variable const that keeps its first value";
  pass.kind = PassKind::Preparer;
  pass.before = "unsigned len = in_size;";
  pass.after = "const unsigned len = in_size;";
  pass.requires_ = {"flat"};
  pass.establishes = {"qualified"};
  pass.create = [](const OptionValues &) { return std::make_unique<QualifierPreparation>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("qualified", "what keeps its first value is const", unqualified));
}
