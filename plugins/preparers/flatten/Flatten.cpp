#include "Flattener.h"
#include "Splitter.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace {
using namespace tangram;

/// Nothing of the language is left in it: it was flattened before.
bool isFlat(const ast::Kernel *kernel) {
  return !ast::contains<ast::SpectrumCall>(kernel) && !ast::contains<ast::Map>(kernel) &&
         !ast::contains<ast::Partition>(kernel) && !ast::contains<ast::Sequence>(kernel);
}

class Flatten final : public Pass {
public:
  explicit Flatten(bool checked) : checked_(checked) {}

private:
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    if (std::all_of(module->kernels.begin(), module->kernels.end(), isFlat)) return module;
    ast::Structs structs(*module);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Kernel *&kernel : copy.kernels) {
        DiagnosticEngine::Context what(context.diags, fmt::format("while flattening kernel '{}'", kernel->name));
        if (isFlat(kernel)) continue;
        kernel = flatten::Flattener(context, *module, checked_).run(kernel);
        if (!structs.empty()) kernel = flatten::Splitter(context.arena, structs).run(kernel);
      }
    });
  }
  bool checked_;
};

} // namespace

TANGRAM_PLUGIN("flatten", "0.1", "inlines specialised calls, turns maps into loops and structs into their fields") {
  PassDescriptor pass;
  pass.name = "flatten";
  pass.summary = "inlines specialised codelets, turns maps into loops, partitions into views and structs into fields";
  pass.kind = PassKind::Preparer;
  pass.before = "result = sum(map(sum, partition(in, p, ...)))";
  pass.after = "alloc ret_a1: int[p]\nloop j = 0 .. p distribute at process { view in_a1 = in + ...; ... }\n"
               "sync process\n... result = accum_a2";
  pass.requires_ = {"composed", "no-returns"};
  pass.establishes = {"flat"};
  pass.destroys = {"composed"};
  pass.options = {{"checked",
                   "Whether bounds of parts that are read from a container are checked; --checked sets it.",
                   false,
                   {},
                   {},
                   {}}};
  pass.create = [](const OptionValues &options) { return std::make_unique<Flatten>(options.flag("checked")); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("flat", "statements and loops alone: no maps, calls of spectrums, partitions",
                                   nodesOf<ast::SpectrumCall, ast::Map, ast::Partition, ast::Sequence, ast::Codelet>));
}
