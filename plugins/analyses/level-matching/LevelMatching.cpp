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
#include "NamedLevels.h"
#include "Resources.h"

#include "tangram/ast/Walk.h"
#include "tangram/hardware/Target.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tangram {
namespace {

using namespace ast;

constexpr DiagnosticKind kNowhere{
    "level-matching.nowhere", DiagnosticClass::User, "no level of '{2}' can run codelet '{0}' of '{1}': {3}",
    "other codelets are used; to keep it from this target without a warning, say so with __env", Severity::Warning};

constexpr DiagnosticKind kUnknownTarget{"level-matching.unknown-target", DiagnosticClass::User,
                                        "codelet '{0}' of '{1}' is for target '{2}' (__env), which there is not",
                                        "use {3}; a target of yours is found in a folder of TANGRAM_HW_PATH"};

constexpr DiagnosticKind kUnknownLevel{
    "level-matching.unknown-level", DiagnosticClass::User,
    "codelet '{0}' of '{1}' is for level '{2}' (__at), which '{3}' does not have",
    "possible are {4}; levels that other targets have are for codelets that __env keeps from this one"};

constexpr DiagnosticKind kNoRole{
    "level-matching.no-role", DiagnosticClass::User,
    "no level of '{3}' has a role that codelet '{0}' of '{1}' is for ({2}): it may stand anywhere",
    "name a role that the target has too, or its level", Severity::Warning};

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

using Names = std::vector<std::string>;

/// Where __at lets it stand. Nothing: anywhere, because it says nothing, or nothing that this machine has.
Names namedLevels(const Codelet &codelet, const hardware::Hardware &hardware) {
  Names result;
  for (const std::string &word : codelet.levels)
    for (const std::string &level : level_matching::levelsNamed(word, hardware).value_or(Names{}))
      if (std::find(result.begin(), result.end(), level) == result.end()) result.push_back(level);
  return result;
}

/// A word that is no level would leave the codelet out, in silence; roles that no level has would be of no effect.
void checkLevels(const Module &module, const hardware::Hardware &hardware, DiagnosticEngine &diags) {
  std::set<std::tuple<const std::string *, unsigned, unsigned, std::string>> said; // expanders make several of one
  auto first = [&](const Codelet &codelet, const std::string &word) {
    return said.emplace(codelet.range.file, codelet.range.line, codelet.range.column, word).second;
  };
  for (const Spectrum *spectrum : module.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      if (codelet->levels.empty() || elsewhere(*codelet, hardware)) continue;
      bool known = true;
      for (const std::string &word : codelet->levels) {
        if (level_matching::levelsNamed(word, hardware)) continue;
        known = false;
        if (first(*codelet, word))
          diags.report(kUnknownLevel, codelet->range, codelet->name, spectrum->name, shown(word), hardware.name,
                       fmt::join(level_matching::nameableLevels(hardware), ", "));
      }
      if (known && namedLevels(*codelet, hardware).empty() && first(*codelet, ""))
        diags.report(kNoRole, codelet->range, codelet->name, spectrum->name, fmt::join(codelet->levels, ", "),
                     hardware.name);
    }
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
  if (const Names named = namedLevels(codelet, hardware);
      !named.empty() && std::find(named.begin(), named.end(), level.name) == named.end())
    return no(fmt::format("it is for {} only (__at)", fmt::join(named, ", ")));
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
    checkLevels(module, hardware, diags);
    const Structs structs(module);
    for (const Spectrum *spectrum : module.spectrums) {
      bool composable = false;
      std::vector<const Codelet *> nowhere;
      std::set<Texts> standing; // what __at says where some codelet can stand
      for (const Codelet *codelet : spectrum->codelets) {
        bool somewhere = false;
        for (const hardware::Level &level : hardware.levels) {
          LevelMatch found = match(*codelet, facts.codelets.at(codelet), level, hardware, structs);
          somewhere |= found.allowed;
          facts.matches[{codelet, level.name}] = std::move(found);
        }
        composable |= somewhere;
        if (somewhere && !codelet->levels.empty()) standing.insert(codelet->levels);
        // Of what expanders make, those are left over that a target has no use for: nobody has written them.
        if (!somewhere && codelet->from.empty() && !elsewhere(*codelet, hardware)) nowhere.push_back(codelet);
      }
      // Where there is no other, composing the spectrum is an error, and says so if it is asked for. Of several ways to
      // do one thing at the levels that somebody has named, some that cannot are what was asked for.
      for (const Codelet *codelet : nowhere)
        if (composable && !standing.count(codelet->levels))
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
