// Function collection (Table 7.1): the functions that kernels reach, callees first, and nothing else.
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <map>
#include <set>

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kRecursive{"function-collection.recursive", DiagnosticClass::User,
                                    "function '{}' calls itself, through {}",
                                    "write it as a loop, or as a spectrum with an atomic codelet"};

class Collector {
public:
  explicit Collector(const Module &module) {
    for (const Function *function : module.functions) known_[function->name] = function;
  }
  std::vector<const Function *> collected;

  void reach(const Node *tree) {
    walk(tree, [&](const Call &call) {
      auto function = known_.find(call.callee);
      if (function != known_.end()) add(function->second, call);
    });
  }

private:
  void add(const Function *function, const Call &from) {
    if (done_.count(function)) return;
    if (std::find(open_.begin(), open_.end(), function) != open_.end()) {
      std::string path;
      for (const Function *step : open_) path += "'" + step->name + "' ";
      fail(kRecursive, from.range, function->name, path.substr(0, path.size() - 1));
    }
    open_.push_back(function);
    reach(function->body);
    open_.pop_back();
    done_.insert(function);
    collected.push_back(function);
  }

  std::map<std::string, const Function *> known_;
  std::set<const Function *> done_;
  std::vector<const Function *> open_;
};

class FunctionCollection final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    Collector collector(*module);
    for (const Kernel *kernel : module->kernels) collector.reach(kernel);
    for (const Spectrum *spectrum : module->spectrums)
      for (const Expr *condition : spectrum->conditions) collector.reach(condition);
    return context.arena.derive(module, [&](Module &copy) {
      copy.functions = std::move(collector.collected);
      // Of a spectrum its signature is left: what its codelets call need not be there.
      for (const Spectrum *&spectrum : copy.spectrums)
        spectrum = context.arena.derive(spectrum, [](Spectrum &s) { s.codelets.clear(); });
    });
  }
};

} // namespace

TANGRAM_PLUGIN("function-collection", "0.1", "keeps the functions that kernels reach") {
  PassDescriptor pass;
  pass.name = "function-collection";
  pass.summary = "keeps the functions that kernels reach, callees before callers, and drops the codelets";
  pass.kind = PassKind::Preparer;
  pass.before = "functions: kernel helper, twice(calls once), once, unused";
  pass.after = "functions: once, twice";
  pass.requires_ = {"flat"};
  pass.establishes = {"collected"};
  pass.create = [](const OptionValues &) { return std::make_unique<FunctionCollection>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("collected", "functions are those that kernels reach, callees first",
                                   [](const ast::Module &module, const hardware::Target &) {
                                     Violations found;
                                     std::set<std::string> known, all;
                                     for (const ast::Function *function : module.functions) all.insert(function->name);
                                     auto calls = [&](const ast::Node *root) {
                                       collect<ast::Call>(found, root, [&](const ast::Call &c) {
                                         return all.count(c.callee) && !known.count(c.callee);
                                       });
                                     };
                                     for (const ast::Function *function : module.functions) {
                                       calls(function);
                                       known.insert(function->name);
                                     }
                                     return found;
                                   }));
}
