// Name mangling (Table 7.1): every name is an identifier that is no word of the backend's languages and clashes with
// nothing.
#include "Identifiers.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <map>

namespace {
using namespace tangram;
using namespace tangram::ast;

/// Names that the languages of a backend and the math library leave.
class Allowed {
public:
  explicit Allowed(const BackendDescriptor *backend) : backend_(backend) {}
  bool operator()(const std::string &name) const { return !isReserved(name) && !isMathFunction(name); }
  /// An entry, behind whose name functions of a device have numbers.
  bool entry(const std::string &name) const {
    const bool own = backend_ && backend_->isReservedEntry;
    const bool reserved = own ? backend_->isReservedEntry(name) || isReserved(name + "_1") : isReserved(name);
    return !reserved && !isMathFunction(name) && !isInLibrary(name);
  }
  /// `name`, or where all that begins with it is reserved, another one: half_1 is a function of OpenCL's.
  std::string withoutReservedPrefix(const std::string &name) const {
    return isReserved(name + "_1") ? "v_" + name : name;
  }

private:
  bool isReserved(const std::string &name) const {
    return backend_ && backend_->isReserved && backend_->isReserved(name);
  }
  const BackendDescriptor *backend_;
};

/// A one-to-one choice of new names: what needs no change keeps its name.
class Renaming {
public:
  /// `outside`: names that are taken by others.
  Renaming(const Allowed &allowed, const Names &outside, const Names &own, std::vector<std::string> wanted)
      : used_(outside) {
    std::vector<std::string> bad;
    for (std::string &name : wanted) {
      if (name == identifier(name) && allowed(name) && !outside.taken(name))
        used_.reserve(names_[name] = name);
      else
        bad.push_back(std::move(name));
    }
    for (const std::string &name : bad) {
      const std::string base = allowed.withoutReservedPrefix(identifier(name));
      std::string candidate = base;
      for (unsigned i = 1; used_.taken(candidate) || own.taken(candidate) || !allowed(candidate); ++i)
        candidate = base + "_" + std::to_string(i);
      used_.reserve(names_[name] = candidate);
    }
  }
  std::string operator()(const std::string &name) const {
    auto found = names_.find(name);
    return found == names_.end() ? name : found->second;
  }

private:
  Names used_;
  std::map<std::string, std::string> names_;
};

/// The variables of a body, in the order in which they are declared.
std::vector<std::string> variables(const Node *tree) {
  std::vector<std::string> names;
  walk(
      tree, [&](const Param &n) { names.push_back(n.name); }, [&](const Declare &n) { names.push_back(n.name); },
      [&](const Loop &n) { names.push_back(n.var); }, [&](const Cooperate &n) { names.push_back(n.lane); },
      [&](const View &n) { names.push_back(n.name); }, [&](const Alloc &n) { names.push_back(n.name); });
  return names;
}

class CallRenamer final : public Mutator {
public:
  CallRenamer(Arena &arena, const Renaming &functions) : Mutator(arena), functions_(functions) {}

private:
  const Node *mutateCall(const Call *e) override {
    const Call *result = rebuild(e);
    std::string callee = isMathFunction(e->callee) || isSineAndCosine(e->callee) ? e->callee : functions_(e->callee);
    if (callee == e->callee) return result;
    return arena().derive(result, [&](Call &copy) { copy.callee = callee; });
  }
  const Renaming &functions_;
};

class NameMangling final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    Arena &arena = context.arena;
    const Allowed allowed(context.backend);
    // Entries keep their names, as callers know them, where these are anybody's to take.
    Names entries, everything;
    std::vector<std::string> functionNames, entryNames;
    for (const Kernel *kernel : module->kernels) entries.reserve(kernel->name);
    for (const Spectrum *spectrum : module->spectrums) entries.reserve(spectrum->name);
    for (const Struct *type : module->structs) entries.reserve(type->name);
    for (const Function *function : module->functions) {
      functionNames.push_back(function->name);
      everything.reserve(function->name);
    }
    for (const Kernel *kernel : module->kernels) {
      std::string name = kernel->name;
      const std::string base = allowed.withoutReservedPrefix(name);
      for (unsigned i = 1; !allowed.entry(name) || (i > 1 && entries.taken(name)); ++i)
        name = base + "_" + std::to_string(i);
      entries.reserve(name);
      entryNames.push_back(name);
    }
    Renaming functions(allowed, entries, everything, functionNames);
    Names outside = entries;
    for (const std::string &name : functionNames) outside.reserve(functions(name));
    CallRenamer calls(arena, functions);

    auto variablesRenamed = [&]<class Body>(const Body *node) {
      std::vector<std::string> names = variables(node);
      Names own;
      for (const std::string &name : names) own.reserve(name);
      Renaming renaming(allowed, outside, own, std::move(names));
      return calls(static_cast<const Body *>(renameVariables(arena, node, renaming)));
    };
    return arena.derive(module, [&](Module &copy) {
      for (std::size_t i = 0; i < copy.kernels.size(); ++i) {
        const Kernel *kernel = variablesRenamed(copy.kernels[i]);
        if (entryNames[i] != kernel->name) kernel = arena.derive(kernel, [&](Kernel &k) { k.name = entryNames[i]; });
        copy.kernels[i] = kernel;
      }
      for (const Function *&function : copy.functions) {
        std::string name = functions(function->name);
        function = variablesRenamed(function);
        if (name != function->name) function = arena.derive(function, [&](Function &f) { f.name = name; });
      }
    });
  }
};

} // namespace

TANGRAM_PLUGIN("name-mangling", "0.1", "makes every name a C identifier") {
  PassDescriptor pass;
  pass.name = "name-mangling";
  pass.summary =
      "makes every name an identifier that is no word of the backend's languages, and of no library or entry";
  pass.kind = PassKind::Preparer;
  pass.before = "int new = max<int>(a, b);";
  pass.after = "int new_1 = max_int(a, b);";
  pass.requires_ = {"flat"};
  pass.establishes = {"mangled"};
  pass.create = [](const OptionValues &) { return std::make_unique<NameMangling>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(
      property("mangled", "every name is an identifier", [](const ast::Module &module, const hardware::Target &) {
        auto strange = [](const std::string &name) {
          return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ||
                 !std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        };
        Violations found;
        for (const ast::Kernel *kernel : module.kernels) {
          collect<ast::Declare>(found, kernel, [&](const ast::Declare &d) { return strange(d.name); });
          collect<ast::Param>(found, kernel, [&](const ast::Param &p) { return strange(p.name); });
        }
        return found;
      }));
}
