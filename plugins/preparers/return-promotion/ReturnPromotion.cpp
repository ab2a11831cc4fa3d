// Return promotion (Table 7.1): a result becomes a last parameter that is assigned, and what stood behind a return on
// its path is skipped by structure (ast/Returns.h).
#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Returns.h"
#include "tangram/ast/Structs.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kContainerResult{"return-promotion.container-result", DiagnosticClass::Limitation,
                                          "'{}' returns a container ({})",
                                          "make it an in/out parameter and return void"};

class Promoter final : public Mutator {
public:
  Promoter(Arena &arena, const Module &module) : Mutator(arena) {
    if (!module.kernels.empty()) inlined_ = functionsOfStructs(module);
  }

private:
  const Param *resultParam(Names &names, const Type &type, const Node &owner, const std::string &called) {
    if (type.isVoid()) return nullptr;
    if (type.isArray()) fail(kContainerResult, owner.range, called, type.text());
    return arena().make<Param>(owner.range, names.fresh("result"), type, Access::Out);
  }

  template <class Owner> const Owner *promote(const Owner *owner, const Type &type) {
    Names names;
    for (const Param *param : owner->params) names.reserve(param->name);
    names.reserveAll(owner->body);
    const Param *result = resultParam(names, type, *owner, owner->name);
    const Expr *place = result ? Build(arena(), owner->range).var(result->name, result->type) : nullptr;
    const Block *body = withoutReturns(arena(), names, owner->body, place);
    return arena().derive(owner, [&](Owner &copy) {
      copy.body = body;
      if (result) copy.params.push_back(result);
    });
  }

  const Node *mutateSpectrumCall(const SpectrumCall *call) override {
    const SpectrumCall *result = rebuild(call); // inner calls first: their codelets are bodies of their own
    if (!result->codelet) return result;
    return arena().derive(result, [&](SpectrumCall &copy) { copy.codelet = promote(result->codelet, result->type); });
  }
  const Node *mutateKernel(const Kernel *kernel) override {
    // A composed kernel with a result returns it; one that does not was here before.
    if (!contains<Return>(kernel->body) && !kernel->result.isVoid()) return kernel;
    const Kernel *result = rebuild(kernel);
    return promote(result, result->result);
  }
  // Codelets of the program and functions keep their returns: only what hangs below a kernel is composed, and what
  // flatten inlines there.
  const Node *mutateSpectrum(const Spectrum *spectrum) override { return spectrum; }
  const Node *mutateFunction(const Function *function) override {
    if (!inlined_.count(function->name)) return function;
    return arena().derive(promote(function, function->result), [](Function &copy) { copy.result = Scalar::Void; });
  }

  std::set<std::string> inlined_;
};

class ReturnPromotion final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return as<Module>(Promoter(context.arena, *module).mutate(module));
  }
};

} // namespace

TANGRAM_PLUGIN("return-promotion", "0.1", "turns results into out-parameters") {
  PassDescriptor pass;
  pass.name = "return-promotion";
  pass.summary = "turns results into out-parameters and removes returns from any control flow";
  pass.kind = PassKind::Preparer;
  pass.before = "for (i = 0; i < n; ++i)\n  if (a[i] == x) return i;\nreturn -1;";
  pass.after = "bool returned = false;\nfor (i = 0; i < n; ++i)\n"
               "  if (a[i] == x) { result = i; returned = true; break; }\nif (!returned) result = -1;";
  pass.requires_ = {"composed"};
  pass.establishes = {"no-returns"};
  pass.create = [](const OptionValues &) { return std::make_unique<ReturnPromotion>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("no-returns", "no codelet or kernel returns", nodesOf<ast::Return>));
}
