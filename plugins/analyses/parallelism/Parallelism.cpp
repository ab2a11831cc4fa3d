// Parallelism of codelets and spectrums (section 6.5.1, Algorithms 2 and 3).
//
// The dissertation visits spectrums until each has converged, which a recursive one never does by its definition. Every
// property here only ever turns from false to true, so the same visits are repeated until none changes: at most one
// more than there are properties, and in practice as many as calls are nested.
#include "tangram/ast/Visitor.h"
#include "tangram/ast/Walk.h"
#include "tangram/plugin/Plugin.h"

#include <set>

namespace tangram {
namespace {

using namespace ast;

/// Algorithm 3 for one codelet: collects what its nodes say and what the spectrums that it calls are known to be.
class CodeletVisitor final : public Visitor {
public:
  explicit CodeletVisitor(const std::map<std::string, Parallelism> &lookup) : lookup_(lookup) {}
  Parallelism found;
  std::set<std::string> callees;

private:
  void preMap(const Map &map) override {
    found.hasMap = true;
    call(map.spectrum);
  }
  void preSpectrumCall(const SpectrumCall &node) override { call(node.spectrum); }
  void preDeclare(const Declare &node) override { found.hasTunable |= node.tunable != nullptr; }

  void call(const std::string &spectrum) {
    found.compound = true;
    callees.insert(spectrum);
    if (auto it = lookup_.find(spectrum); it != lookup_.end()) found.hasMap |= it->second.hasMap;
  }

  const std::map<std::string, Parallelism> &lookup_;
};

class ParallelismAnalysis final : public Analysis {
public:
  void run(const Module &module, const hardware::Hardware &, Facts &facts, DiagnosticEngine &) override {
    for (const Spectrum *spectrum : module.spectrums) facts.spectrums[spectrum->name];
    std::map<std::string, std::set<std::string>> calls; // spectrum -> spectrums that it may call, then may reach
    for (bool converged = false; !converged;) {
      converged = true;
      for (const Spectrum *spectrum : module.spectrums) converged &= visit(*spectrum, facts, calls);
    }
    for (bool converged = false; !converged;) {
      converged = true;
      for (auto &[spectrum, reached] : calls) {
        std::size_t before = reached.size();
        for (const std::string &callee : std::set<std::string>(reached))
          if (auto it = calls.find(callee); it != calls.end()) reached.insert(it->second.begin(), it->second.end());
        converged &= reached.size() == before;
      }
    }
    for (const Spectrum *spectrum : module.spectrums)
      for (const Codelet *codelet : spectrum->codelets) {
        Parallelism &parallelism = facts.codelets[codelet];
        CodeletVisitor visitor(facts.spectrums);
        visitor.traverse(codelet);
        for (const std::string &callee : visitor.callees)
          parallelism.recursive |= callee == spectrum->name || calls[callee].count(spectrum->name);
        facts.spectrums[spectrum->name].recursive |= parallelism.recursive;
      }
  }

private:
  /// False where something has changed.
  static bool visit(const Spectrum &spectrum, Facts &facts, std::map<std::string, std::set<std::string>> &calls) {
    Parallelism all;
    for (const Codelet *codelet : spectrum.codelets) {
      CodeletVisitor visitor(facts.spectrums);
      visitor.traverse(codelet);
      Parallelism &own = facts.codelets[codelet] = visitor.found;
      own.cooperative = codelet->coop;
      own.autonomous = !own.cooperative && !own.compound && !own.hasMap;
      all.cooperative |= own.cooperative;
      all.compound |= own.compound;
      all.hasMap |= own.hasMap;
      all.autonomous |= own.autonomous;
      all.hasTunable |= own.hasTunable;
      calls[spectrum.name].insert(visitor.callees.begin(), visitor.callees.end());
    }
    Parallelism &known = facts.spectrums[spectrum.name];
    bool same = std::tie(known.cooperative, known.compound, known.hasMap, known.autonomous, known.hasTunable) ==
                std::tie(all.cooperative, all.compound, all.hasMap, all.autonomous, all.hasTunable);
    known = all;
    return same;
  }
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("parallelism", "1.0", "which codelets map, cooperate or call others") {
  tangram::AnalysisDescriptor descriptor;
  descriptor.name = "parallelism";
  descriptor.summary = "finds out which codelets and spectrums are autonomous, cooperative, compound, or have maps";
  descriptor.establishes = {"parallelism"};
  descriptor.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::ParallelismAnalysis>(); };
  registry.analyses.add(descriptor);
}
