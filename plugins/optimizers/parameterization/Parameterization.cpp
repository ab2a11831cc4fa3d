// Parameterization (Algorithm 5): every tunable of a composed tree becomes a constant of its kernel.
#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <utility>

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kNoValue{"parameterization.no-value", DiagnosticClass::User,
                                  "the plan gives tunable '{}' of codelet '{}' no value",
                                  "write `with {0}=VALUE` behind the select of the codelet"};
constexpr DiagnosticKind kVaries{"parameterization.not-constant", DiagnosticClass::User,
                                 "the value of tunable '{}' of codelet '{}' depends on variables",
                                 "a tunable is one number for the whole kernel: take its initialiser away"};

class Parameterizer final : public Mutator {
public:
  explicit Parameterizer(Arena &arena) : Mutator(arena) {}

private:
  const Node *mutateKernel(const Kernel *kernel) override {
    names_ = {};
    names_.reserveAll(kernel);
    walk(kernel, [&](const Codelet &codelet) { names_.reserveAll(&codelet); });
    constants_ = kernel->constants;
    defaults_ = kernel->defaults;
    conditions_ = kernel->conditions;
    const Block *body = (*this)(kernel->body);
    if (body == kernel->body) return kernel;
    return arena().derive(kernel, [&](Kernel &copy) {
      copy.body = body;
      copy.constants = constants_;
      copy.defaults = defaults_;
      copy.conditions = conditions_;
    });
  }

  const Node *mutateCodelet(const Codelet *codelet) override {
    std::string outerName = std::exchange(codelet_, codelet->name);
    std::set<std::string> outerAssigned = std::exchange(assigned_, assignedVariables(codelet->body));
    const Node *result = rebuild(codelet);
    codelet_ = std::move(outerName);
    assigned_ = std::move(outerAssigned);
    return result;
  }

  const Node *mutateDeclare(const Declare *declare) override {
    if (!declare->tunable) return rebuild(declare);
    Build build(arena(), declare->range);
    const Expr *value = declare->init ? declare->init : firstValue(*declare->tunable, build, declare->type);
    if (!value) fail(kNoValue, declare->range, declare->name, codelet_);
    if (contains<VarRef>(value)) fail(kVaries, declare->range, declare->name, codelet_);
    const Tunable &tunable = *declare->tunable;
    if (tunable.values.size() == 1) // nothing to tune
      return arena().derive(declare, [&](Declare &copy) {
        copy.tunable = nullptr;
        copy.isConst = assigned_.count(declare->name) == 0;
        copy.init = build.cast(declare->type, value);
      });
    std::string constant = names_.fresh(codelet_.empty() ? declare->name : declare->name + "_" + codelet_);
    constants_.push_back(arena().make<Param>(declare->range, constant, declare->type, Access::In));
    defaults_.push_back(build.cast(declare->type, value));
    require(tunable, build.var(constant, declare->type), build);
    return arena().derive(declare, [&](Declare &copy) {
      copy.tunable = nullptr;
      copy.isConst = assigned_.count(declare->name) == 0;
      copy.init = build.var(constant, declare->type);
    });
  }

  /// Whoever sets the constant in what is generated may set it to these values.
  void require(const Tunable &tunable, const Expr *constant, const Build &build) {
    auto number = [&](Int value) { return build.integer(constant->type, value); };
    if (!tunable.values.empty()) {
      const Expr *any = nullptr;
      for (Int value : tunable.values) {
        const Expr *one = build.equal(constant, number(value));
        any = any ? build.binary(BinaryOp::LogicalOr, any, one) : one;
      }
      conditions_.push_back(any);
      return;
    }
    Int lo = tunable.lo == 0 && tunable.hi == 0 ? 1 : tunable.lo;
    if (lo != 0 || constant->type.isSigned()) conditions_.push_back(build.binary(BinaryOp::Ge, constant, number(lo)));
    if (tunable.hi > 0) conditions_.push_back(build.binary(BinaryOp::Le, constant, number(tunable.hi)));
    if (tunable.step > 1)
      conditions_.push_back(
          build.equal(build.binary(BinaryOp::Rem, build.sub(constant, number(lo)), number(tunable.step)), number(0)));
  }

  static const Expr *firstValue(const Tunable &tunable, const Build &build, const Type &type) {
    if (!tunable.values.empty()) return build.integer(type, tunable.values.front());
    return tunable.hi > 0 ? build.integer(type, tunable.lo) : nullptr;
  }

  const Node *mutateSpectrum(const Spectrum *spectrum) override { return spectrum; } // the program's, not composed
  const Node *mutateFunction(const Function *function) override { return function; }

  Names names_;
  std::vector<const Param *> constants_;
  std::vector<const Expr *> defaults_, conditions_;
  std::string codelet_;
  std::set<std::string> assigned_;
};

class Parameterization final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return as<Module>(Parameterizer(context.arena).mutate(module));
  }
};

} // namespace

TANGRAM_PLUGIN("parameterization", "0.1", "makes every tunable a constant of its kernel") {
  PassDescriptor pass;
  pass.name = "parameterization";
  pass.summary = "makes every tunable a named constant of its kernel, with the plan's value as default, and says as "
                 "conditions which values it may have";
  pass.kind = PassKind::Optimizer;
  pass.before = "kernel sum ... { __tunable unsigned p = 4; ... }";
  pass.after = "kernel sum ... constants p_c = 4 { const unsigned p = p_c; ... }";
  pass.requires_ = {"composed"};
  pass.establishes = {"parameterized"};
  pass.create = [](const OptionValues &) { return std::make_unique<Parameterization>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property(
      "parameterized", "tunables are constants of the kernel", [](const ast::Module &module, const hardware::Target &) {
        Violations found;
        for (const ast::Kernel *kernel : module.kernels)
          collect<ast::Declare>(found, kernel, [](const ast::Declare &d) { return d.tunable != nullptr; });
        return found;
      }));
}
