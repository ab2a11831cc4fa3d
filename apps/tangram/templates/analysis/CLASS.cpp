// @NAME@: how many maps each codelet has.
#include <tangram/ast/Walk.h>
#include <tangram/plugin/Plugin.h>

namespace {

using namespace tangram;

class @CLASS@ final : public Analysis {
public:
  void run(const ast::Module &module, const hardware::Hardware &, Facts &facts, DiagnosticEngine &) override {
    std::map<const ast::Codelet *, std::size_t> maps;
    for (const ast::Spectrum *spectrum : module.spectrums)
      for (const ast::Codelet *codelet : spectrum->codelets)
        ast::walk(codelet, [&](const ast::Map &) { ++maps[codelet]; });
    // Whoever needs it reads it by this name: std::any_cast<...>(facts.other.at("@NAME@")).
    facts.other["@NAME@"] = std::move(maps);
  }
};

} // namespace

TANGRAM_PLUGIN("@NAME@", "0.1", "counts the maps of codelets") {
  AnalysisDescriptor d;
  d.name = "@NAME@";
  d.summary = "counts the maps of codelets";
  d.establishes = {"@NAME@"};
  d.create = [](const OptionValues &) { return std::make_unique<@CLASS@>(); };
  registry.analyses.add(d);
}
