// @NAME@: writes the lowered AST down as text. Print code of your language instead.
#include <tangram/ast/Text.h>
#include <tangram/plugin/Plugin.h>

namespace {

using namespace tangram;

constexpr DiagnosticKind kNoLibrary{"@NAME@.no-library", DiagnosticClass::Limitation,
                                    "backend '@NAME@' writes text only: there is nothing to build from it",
                                    "use --emit source"};

class @CLASS@ final : public Backend {
public:
  std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) override {
    return {{context.stem + ".txt", OutputFile::Role::Source, ast::print(&module) + "\n"}};
  }
  std::filesystem::path build(const std::vector<OutputFile> &, BuildContext &) override { fail(kNoLibrary, {}); }
  Detection detect(hardware::Hardware &) override { return {}; }
};

} // namespace

TANGRAM_PLUGIN("@NAME@", "0.1", "writes the lowered AST") {
  BackendDescriptor d;
  d.name = "@NAME@";
  d.summary = "writes the lowered AST as text";
  d.requires_ = {}; // properties of the AST that the printer relies on: docs/lowering.md
  // d.isReserved: words of your language, which no variable, function or kernel may be called
  d.create = [](const OptionValues &) { return std::make_unique<@CLASS@>(); };
  registry.backends.add(d);
}
