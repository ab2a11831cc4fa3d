// @NAME@: for each autonomous codelet without maps that reads one container and gives a result, one that checks first
// whether the container is empty. A frame to put something useful into.
#include <tangram/ast/Build.h>
#include <tangram/ast/Walk.h>
#include <tangram/plugin/Plugin.h>

namespace {

using namespace tangram;

class @CLASS@ final : public Expander {
public:
  const ast::Module *run(const ast::Module *module, ExpandContext &context) override {
    std::vector<const ast::Spectrum *> spectrums = module->spectrums;
    for (const ast::Spectrum *&spectrum : spectrums) {
      std::vector<const ast::Codelet *> codelets = spectrum->codelets;
      for (const ast::Codelet *codelet : spectrum->codelets) {
        if (codelet->coop || codelet->params.size() != 1 || !codelet->params[0]->type.isArray()) continue;
        if (ast::contains<ast::Map>(codelet) || ast::contains<ast::SpectrumCall>(codelet)) {
          context.declined.push_back({spectrum->name, codelet->name + "_nonempty", codelet->range,
                                      "it calls spectrums", {}});
          continue;
        }
        codelets.push_back(nonEmpty(*codelet, context.arena));
      }
      if (codelets.size() != spectrum->codelets.size())
        spectrum = context.arena.derive(spectrum, [&](ast::Spectrum &s) { s.codelets = codelets; });
    }
    if (spectrums == module->spectrums) return module;
    return context.arena.derive(module, [&](ast::Module &m) { m.spectrums = spectrums; });
  }

private:
  /// The same codelet, for containers that have elements: a condition that each use of it has to prove or to check.
  static const ast::Codelet *nonEmpty(const ast::Codelet &codelet, ast::Arena &arena) {
    ast::Build build(arena, codelet.range);
    const ast::Param *in = codelet.params[0];
    const ast::Expr *container = build.var(in->name, in->type);
    const ast::Expr *none = nullptr;
    const ast::Expr *size = arena.make<ast::Size>(codelet.range, ast::Type(ast::Scalar::U64), container, none);
    return arena.derive(&codelet, [&](ast::Codelet &c) {
      c.name += "_nonempty";
      c.tag = c.name;
      c.conditions.push_back(build.binary(ast::BinaryOp::Gt, size, build.u64(0)));
    });
  }
};

} // namespace

TANGRAM_PLUGIN("@NAME@", "0.1", "adds codelets for containers that have elements") {
  ExpanderDescriptor d;
  d.name = "@NAME@";
  d.summary = "adds codelets for containers that have elements";
  d.before = "int sum(in) { ... }";
  d.after = "int sum(in) { ... }\nint sum(in) __requires(in.size() > 0) { ... }";
  d.create = [](const OptionValues &) { return std::make_unique<@CLASS@>(); };
  registry.expanders.add(d);
}
