// One component of each kind.
#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Plugin.h"

using namespace tangram;

namespace {
struct Parse final : Frontend {
  const ast::Module *parse(const FrontendRequest &, ast::Arena &, DiagnosticEngine &) override { return nullptr; }
};
struct Expand final : Expander {
  const ast::Module *run(const ast::Module *module, ExpandContext &) override { return module; }
};
struct Analyse final : Analysis {
  void run(const ast::Module &, const hardware::Hardware &, Facts &, DiagnosticEngine &) override {}
};
struct Choose final : Heuristic {
  std::vector<Plan> choose(const Forest &, HeuristicContext &) override { return {}; }
};
struct Keep final : Pass {
  const ast::Module *run(const ast::Module *module, PassContext &) override { return module; }
};
struct Print final : Backend {
  std::vector<OutputFile> emit(const ast::Module &, EmitContext &) override { return {}; }
  std::filesystem::path build(const std::vector<OutputFile> &, BuildContext &) override { return {}; }
  Detection detect(hardware::Hardware &) override { return {}; }
};

template <class D> D named(const char *name) {
  D descriptor;
  descriptor.name = name;
  descriptor.summary = "does nothing";
  return descriptor;
}
} // namespace

TANGRAM_PLUGIN("test-good", "1.2.3", "one of each kind, for tests") {
  auto frontend = named<FrontendDescriptor>("test-frontend");
  frontend.create = [] { return std::make_unique<Parse>(); };
  registry.frontends.add(frontend);
  auto expander = named<ExpanderDescriptor>("test-expander");
  expander.create = [](const OptionValues &) { return std::make_unique<Expand>(); };
  registry.expanders.add(expander);
  auto analysis = named<AnalysisDescriptor>("test-analysis");
  analysis.create = [](const OptionValues &) { return std::make_unique<Analyse>(); };
  registry.analyses.add(analysis);
  auto heuristic = named<HeuristicDescriptor>("test-heuristic");
  heuristic.create = [](const OptionValues &) { return std::make_unique<Choose>(); };
  registry.heuristics.add(heuristic);
  auto pass = named<PassDescriptor>("test-pass");
  pass.options.push_back({"times", "how often nothing is done", std::int64_t{1}, 1, 10, {}});
  pass.create = [](const OptionValues &) { return std::make_unique<Keep>(); };
  registry.passes.add(pass);
  auto backend = named<BackendDescriptor>("test-backend");
  backend.create = [](const OptionValues &) { return std::make_unique<Print>(); };
  registry.backends.add(backend);
}
