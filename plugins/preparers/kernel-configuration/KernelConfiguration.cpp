// Kernel configuration (Table 7.1): what each launch is called, how many workers it has, and what it is given.
#include "Occupancy.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Resources.h"
#include "tangram/pass/LaunchPass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <map>

namespace {
using namespace tangram;
using namespace tangram::ast;

class Configure final : public Mutator {
public:
  Configure(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel, Names &names)
      : Mutator(context.arena), context_(context), levels_(levels), kernel_(kernel),
        known_(context.analyses.of<KnownValues>(kernel)), names_(names) {
    for (const Param *p : kernel.params) declared_[p->name] = p;
    for (const Param *c : kernel.constants) constants_.insert(c->name);
    walk(
        kernel.body, [](const Launch &) { return WalkResult::Skip; },
        [&](const Declare &d) { scalar(d.name, d.type, d.range); },
        [&](const Loop &l) { scalar(l.var, l.varType, l.range); },
        [&](const Alloc &a) {
          declared_[a.name] = arena().make<Param>(a.range, a.name, Type::pointer(a.element), Access::InOut);
        });
  }

private:
  void scalar(const std::string &name, const Type &type, SourceRange range) {
    declared_[name] = arena().make<Param>(range, name, type, Access::In);
  }

  const Node *mutateLaunch(const Launch *launch) override {
    Build b(arena(), launch->range);
    std::string name = names_.fresh(kernel_.name + "_" + std::to_string(++launches_));
    std::set<std::string> own = declaredIn(launch->body);
    std::vector<const Param *> params;
    std::vector<const Expr *> args;
    std::uint64_t bytes = 0;
    auto give = [&](const std::string &used) {
      auto found = declared_.find(used);
      if (found == declared_.end() || own.count(used) || constants_.count(used)) return;
      params.push_back(found->second);
      args.push_back(b.var(used, found->second->type));
      bytes += found->second->type.isPointer() ? 8 : std::max(4u, found->second->type.bytes());
    };
    std::set<std::string> used = mentioned(launch->body);
    // Of the spectrum first, in its order.
    for (const Param *p : kernel_.params)
      if (used.erase(p->name)) give(p->name);
    for (const std::string &other : used) give(other);

    if (const hardware::Memory *m = levels_.device->memory("arguments"); m && m->bytes && bytes > m->bytes)
      hardware::failDoesNotFit(kernel_.range, fmt::format("launch '{}', with its {} arguments,", name, params.size()),
                               bytes, "arguments", context_.target.name, m->bytes, kernel_.plan);
    const Launch *result = arena().derive(launch, [&](Launch &copy) {
      copy.name = name;
      copy.params = std::move(params);
      copy.args = std::move(args);
      copy.resident = static_cast<Int>(residentGroups(*launch, known_, context_.target.hardware, *levels_.group));
    });
    // No group is no launch.
    return b.when(b.less(b.u64(0), b.cast(Scalar::U64, launch->groups)), {result});
  }

  PassContext &context_;
  const hardware::LaunchLevels &levels_;
  const Kernel &kernel_;
  const KnownValues &known_;
  Names &names_;
  std::map<std::string, const Param *> declared_;
  std::set<std::string> constants_;
  unsigned launches_ = 0;
};

class KernelConfiguration final : public LaunchPass {
  void start(const Module &module) override {
    names_ = {};
    for (const Kernel *kernel : module.kernels) names_.reserve(kernel->name);
    for (const Function *function : module.functions) names_.reserve(function->name);
  }
  const Kernel *kernel(const Kernel *kernel, PassContext &context, const hardware::LaunchLevels &levels) override {
    return Configure(context, levels, *kernel, names_)(kernel);
  }
  Names names_;
};

} // namespace

TANGRAM_PLUGIN("kernel-configuration", "1.0", "names launches and gives them their arguments") {
  PassDescriptor pass;
  pass.name = "kernel-configuration";
  pass.summary =
      "Names each launch, gives it as arguments what its body uses, and leaves it out where there is no work";
  pass.kind = PassKind::Preparer;
  pass.before = "launch p groups of 256 { r[worker] = in[worker] * f }";
  pass.after = "if (0 < p) launch sum_1(in, r, f) p groups of 256 { ... }";
  pass.requires_ = {"launches", "linear", "workspace"};
  pass.establishes = {"configured"};
  pass.create = [](const OptionValues &) { return std::make_unique<KernelConfiguration>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property(
      "configured", "launches use their own parameters", [](const ast::Module &module, const hardware::Target &) {
        Violations found;
        for (const ast::Kernel *kernel : module.kernels) {
          std::set<std::string> constants;
          for (const ast::Param *constant : kernel->constants) constants.insert(constant->name);
          ast::walk(kernel, [&](const ast::Launch &launch) {
            std::set<std::string> own = constants;
            for (const ast::Param *param : launch.params) own.insert(param->name);
            ast::walk(
                launch.body, [&](const ast::Declare &d) { own.insert(d.name); },
                [&](const ast::Alloc &a) { own.insert(a.name); }, [&](const ast::Loop &l) { own.insert(l.var); });
            ast::walk(launch.body, [&](const ast::VarRef &v) {
              if (!own.count(v.name)) found.push_back({&v, fmt::format("'{}' is none of the launch's", v.name)});
            });
          });
        }
        return found;
      }));
}
