#include "tangram/ast/Link.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <filesystem>

namespace tangram::ast {
namespace {

constexpr DiagnosticKind kSignature{
    "link.signature", DiagnosticClass::User, "spectrum '{0}' has another signature here than in '{1}': {2}, not {3}",
    "give both files the same declaration, or one of the spectrums another name and a codelet that calls the other"};
constexpr DiagnosticKind kStruct{"link.struct", DiagnosticClass::User,
                                 "struct '{0}' has other fields here than in '{1}'",
                                 "put it into a header that both files include, or give one of them another name"};
constexpr DiagnosticKind kCodelets{"link.no-codelets", DiagnosticClass::User,
                                   "spectrum '{0}' is declared, and none of the files has a codelet of it",
                                   "name the file that has its codelets, too, or define one here"};

std::string spelled(const Param &param) {
  return fmt::format("{}{}", param.access == Access::In && param.type.isArray() ? "const " : "", param.type.text());
}

std::string signature(const Spectrum &spectrum) {
  std::vector<std::string> params;
  for (const Param *param : spectrum.params) params.push_back(spelled(*param));
  return fmt::format("({}) -> {}", fmt::join(params, ", "), spectrum.result.text());
}

std::string fileOf(const Node &node) { return node.range.file ? *node.range.file : "another file"; }

/// "blocked" of "codelets/blocked.tg.cpp", as part of an identifier.
std::string stemOf(const Node &node) {
  std::string stem = std::filesystem::path(fileOf(node)).filename().string();
  stem = stem.substr(0, stem.find('.'));
  std::replace_if(stem.begin(), stem.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return stem;
}

/// Calls of functions by the names that these have in the whole program.
class CalleeNames final : public Mutator {
public:
  CalleeNames(Arena &arena, const std::map<std::string, std::string> &names) : Mutator(arena), names_(names) {}

protected:
  const Node *mutateCall(const Call *call) override {
    const Call *inner = rebuild(call);
    auto it = names_.find(call->callee);
    return it == names_.end() ? inner : arena().derive(inner, [&](Call &copy) { copy.callee = it->second; });
  }

private:
  const std::map<std::string, std::string> &names_;
};

class Linker {
public:
  explicit Linker(Arena &arena) : arena_(arena) {}

  void add(const Module &module) {
    for (const Struct *s : module.structs) add(*s);
    std::map<std::string, std::string> renamed;
    CalleeNames rename(arena_, renamed);
    for (const Function *function : module.functions) { // what it calls stands before it
      const Function *here = rename(function);
      const auto same = std::find_if(functions_.begin(), functions_.end(),
                                     [&](const Function *f) { return f->name == here->name && equal(f, here); });
      if (same != functions_.end()) continue;
      const std::string name = functionNames_.fresh(here->name);
      if (name != here->name) {
        renamed[here->name] = name;
        here = arena_.derive(here, [&](Function &copy) { copy.name = name; });
      }
      functions_.push_back(here);
    }
    for (const Spectrum *spectrum : module.spectrums) add(*rename(spectrum));
  }

  const Module *module(SourceRange where) {
    for (const Spectrum *spectrum : spectrums_)
      if (spectrum->codelets.empty()) fail(kCodelets, spectrum->range, spectrum->name);
    return arena_.make<Module>(where, structs_, functions_, spectrums_, std::vector<const Kernel *>{});
  }

private:
  void add(const Struct &added) {
    for (const Struct *known : structs_) {
      if (known->name != added.name) continue;
      if (!equal(known, &added)) disagree(makeDiagnostic(kStruct, added.range, added.name, fileOf(*known)), *known);
      return;
    }
    structs_.push_back(&added);
  }

  void add(const Spectrum &added) {
    auto known =
        std::find_if(spectrums_.begin(), spectrums_.end(), [&](const Spectrum *s) { return s->name == added.name; });
    if (known == spectrums_.end()) {
      spectrums_.push_back(&added);
      return;
    }
    if (signature(**known) != signature(added))
      disagree(
          makeDiagnostic(kSignature, added.range, added.name, fileOf(**known), signature(added), signature(**known)),
          **known);
    *known = joined(**known, added);
  }

  const Spectrum *joined(const Spectrum &first, const Spectrum &second) {
    std::map<std::string, std::string> params;
    for (std::size_t i = 0; i < first.params.size(); ++i) params[second.params[i]->name] = first.params[i]->name;
    const auto same = [](const auto &list, const auto *node) {
      return std::any_of(list.begin(), list.end(), [&](const auto *other) { return equal(other, node); });
    };
    return arena_.derive(&first, [&](Spectrum &all) {
      if (first.codelets.empty()) all.range = second.range; // where it is more than declared
      for (const Expr *condition : second.conditions) {
        const Expr *here = as<Expr>(renameVariables(arena_, condition, [&](const std::string &name) {
          auto it = params.find(name);
          return it == params.end() ? name : it->second;
        }));
        if (!same(all.conditions, here)) all.conditions.push_back(here);
      }
      Names names;
      for (const Codelet *codelet : all.codelets) names.reserve(codelet->name);
      for (const Codelet *codelet : second.codelets) {
        if (same(all.codelets, codelet)) continue;
        if (names.taken(codelet->name))
          codelet = arena_.derive(codelet, [&](Codelet &copy) {
            copy.name = names.fresh(fmt::format("{}_{}", copy.name, stemOf(second)));
          });
        else
          names.reserve(codelet->name);
        all.codelets.push_back(codelet);
      }
    });
  }

  [[noreturn]] static void disagree(Diagnostic d, const Node &known) {
    d.notes.push_back({known.range, "the other one is here"});
    throw DiagnosticError(std::move(d));
  }

  Arena &arena_;
  std::vector<const Struct *> structs_;
  std::vector<const Function *> functions_;
  std::vector<const Spectrum *> spectrums_;
  Names functionNames_;
};

} // namespace

const Module *link(Arena &arena, const std::vector<const Module *> &modules) {
  Linker linker(arena);
  for (const Module *module : modules) {
    if (!module->kernels.empty()) failBug(module->range, "link", "was given a module with kernels");
    linker.add(*module);
  }
  return linker.module(modules.front()->range);
}

} // namespace tangram::ast
