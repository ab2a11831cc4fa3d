// Binds codelets to levels (section 6.5.3, Table 6.1):
//
//                        autonomous   cooperative   map
//   scalar execution          x                      x
//   vector execution                       x
//   distribute                                       x
//
// A compound codelet without a map needs nothing of its level: what it calls does. A map may also be a loop at a level
// that executes vector code only (5.2.1: "if it has a computational capability"). What needs more of a resource than
// the target has is bound nowhere, with how much (Resources.h).
#include "Resources.h"

#include "tangram/ast/Walk.h"
#include "tangram/hardware/Target.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace tangram {
namespace {

using namespace ast;

constexpr DiagnosticKind kNowhere{
    "level-matching.nowhere", DiagnosticClass::User, "no level of '{2}' can run codelet '{0}' of '{1}': {3}",
    "other codelets are used; to keep it from this target without a warning, say so with __env", Severity::Warning};

constexpr DiagnosticKind kUnknownTarget{"level-matching.unknown-target", DiagnosticClass::User,
                                        "codelet '{0}' of '{1}' is for target '{2}' (__env), which there is not",
                                        "use {3}; a target of yours is found in a folder of TANGRAM_HW_PATH"};

/// A codelet for a target that nobody knows would be left out everywhere, in silence.
void checkEnv(const Module &module, const hardware::Hardware &hardware, DiagnosticEngine &diags) {
  std::vector<std::string> known;
  for (const Spectrum *spectrum : module.spectrums)
    for (const Codelet *codelet : spectrum->codelets)
      for (const std::string &name : codelet->env) {
        if (hardware.is(name)) continue;
        if (known.empty()) // reading them takes a while, and few programs need it
          for (const hardware::TargetInfo &info : hardware::listTargets()) known.push_back(info.name);
        if (std::find(known.begin(), known.end(), name) == known.end())
          diags.report(kUnknownTarget, codelet->range, codelet->name, spectrum->name, shown(name),
                       suggest(name, known));
      }
}

/// Whether __env keeps it from this target.
bool elsewhere(const Codelet &codelet, const hardware::Hardware &hardware) {
  return !codelet.env.empty() &&
         std::none_of(codelet.env.begin(), codelet.env.end(), [&](const auto &name) { return hardware.is(name); });
}

/// Of the levels that the codelet names, those that the target has; none: it may stand anywhere.
std::vector<std::string> namedLevels(const Codelet &codelet, const hardware::Hardware &hardware) {
  std::vector<std::string> result;
  for (const std::string &name : codelet.levels)
    if (std::any_of(hardware.levels.begin(), hardware.levels.end(), [&](const auto &l) { return l.name == name; }))
      result.push_back(name);
  return result;
}

LevelMatch match(const Codelet &codelet, const Parallelism &parallelism, const hardware::Level &level,
                 const hardware::Hardware &hardware, const Structs &structs) {
  LevelMatch result;
  auto no = [&](std::string reason) {
    result.reason = std::move(reason);
    return result;
  };
  if (elsewhere(codelet, hardware))
    return no(fmt::format("it is for {} only (__env), and this is '{}'", fmt::join(codelet.env, ", "), hardware.name));
  if (const std::vector<std::string> named = namedLevels(codelet, hardware);
      !named.empty() && std::find(named.begin(), named.end(), level.name) == named.end())
    return no(fmt::format("it is for level{} {} only (__at)", named.size() == 1 ? "" : "s", fmt::join(named, ", ")));
  if (std::string reason = level_matching::lacking(codelet, hardware); !reason.empty()) return no(reason);
  if (parallelism.cooperative) {
    if (contains<Map>(codelet.body)) return no("a cooperative codelet cannot map spectrums");
    if (any<Atomic>(codelet.body, [](const Atomic &a) { return a.op == AtomicOp::OrderedAdd; }))
      return no("its lanes are all at one place, and orderedAdd goes from one call to the next");
    if (!level.vector) return no(fmt::format("level '{}' has no vector capability", level.name));
    if (std::string reason = level_matching::lacking(codelet, hardware, level, structs); !reason.empty())
      return no(reason);
    result.capability = Capability::Vector;
  } else if (!parallelism.compound) {
    if (!level.scalar) return no(fmt::format("level '{}' has no scalar capability", level.name));
    result.capability = Capability::Scalar;
  } else if (contains<Map>(codelet.body) && !level.distributes() && !level.computes()) {
    return no(fmt::format("level '{}' can neither distribute a map nor run it as a loop", level.name));
  }
  result.allowed = true;
  return result;
}

/// Why no level can: what it needs too much of, where that is so, rather than that the innermost level is not the kind.
std::string reasonOf(const Codelet &codelet, const hardware::Hardware &hardware, const Facts &facts,
                     const Structs &structs) {
  for (const hardware::Level &level : hardware.levels)
    if (std::string reason = level_matching::lacking(codelet, hardware, level, structs);
        level.vector && !reason.empty())
      return reason;
  return facts.matches.at({&codelet, hardware.levels.back().name}).reason;
}

class LevelMatching final : public Analysis {
public:
  void run(const Module &module, const hardware::Hardware &hardware, Facts &facts, DiagnosticEngine &diags) override {
    checkEnv(module, hardware, diags);
    const Structs structs(module);
    for (const Spectrum *spectrum : module.spectrums) {
      bool composable = false;
      std::vector<const Codelet *> nowhere;
      for (const Codelet *codelet : spectrum->codelets) {
        bool somewhere = false;
        for (const hardware::Level &level : hardware.levels) {
          LevelMatch found = match(*codelet, facts.codelets.at(codelet), level, hardware, structs);
          somewhere |= found.allowed;
          facts.matches[{codelet, level.name}] = std::move(found);
        }
        composable |= somewhere;
        if (!somewhere && !elsewhere(*codelet, hardware)) nowhere.push_back(codelet);
      }
      // Where there is no other, composing the spectrum is an error, and says so if it is asked for.
      for (const Codelet *codelet : nowhere)
        if (composable)
          diags.report(kNowhere, codelet->range, codelet->name, spectrum->name, hardware.name,
                       reasonOf(*codelet, hardware, facts, structs));
    }
  }
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("level-matching", "1.0", "which level can run which codelet") {
  tangram::AnalysisDescriptor descriptor;
  descriptor.name = "level-matching";
  descriptor.summary = "binds codelets to the hardware levels that can run them, and says why not to the others";
  descriptor.requires_ = {"parallelism"};
  descriptor.establishes = {"level-matching"};
  descriptor.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::LevelMatching>(); };
  registry.analyses.add(descriptor);
}
