// A target: a YAML file in hw/ with hardware levels plus pass order. Everything in it is checked when it is
// read; an error says file:line:column, what was found and what is known.
#pragma once

#include "tangram/diag/Diagnostic.h"
#include "tangram/hardware/Hardware.h"
#include "tangram/pass/Options.h"

#include <filesystem>

namespace tangram {
class Registry;
}

namespace tangram::hardware {

/// A named step of a pipeline with its options as written.
struct Step {
  std::string name;
  OptionValues options;
  ast::SourceRange range;
};

/// What one target does, in order. Every entry names something registered by a plugin.
struct PipelineSpec {
  Step frontend;
  std::vector<Step> expanders;
  std::vector<Step> analyses;
  Step heuristic;
  std::vector<Step> passes; // optimizers, then preparers, in the order they run
  Step backend;             // empty name: plans and `explain` only
};

/// What plans must keep beyond their results: handed to the analyses that have an option of the name.
struct Promise {
  std::string name;  // "order": any, preserve; "determinism": none, run, device, everywhere
  std::string value; // the first of these where the file says nothing
  ast::SourceRange range;
};

struct Target {
  std::string name;
  std::string summary;
  std::filesystem::path path;
  unsigned depth = 0; // N of Figure 6.4: how many rules deep a plan may be; 0 in the file: levels + 2
  Hardware hardware;
  std::vector<Promise> promises; // those that the file makes
  PipelineSpec pipeline;

  /// Empty where the file does not say.
  std::string promise(std::string_view name) const;
};

struct TargetInfo {
  std::string name, summary;
  std::filesystem::path path;
};

/// Folders where targets are looked for: $TANGRAM_HW_PATH (colon-separated), the build or install tree's own.
std::vector<std::filesystem::path> targetPath();
/// All *.yaml of the path that are targets; unreadable ones are left out.
std::vector<TargetInfo> listTargets();

/// Reads and checks `nameOrPath`. Throws DiagnosticError. Names of steps are not resolved here.
/// `arena` interns the file's name.
Target loadTarget(const std::string &nameOrPath, ast::Arena &arena);
Target parseTarget(std::string_view yaml, const std::filesystem::path &path, ast::Arena &arena);

/// The YAML of a target with every default filled in; parseTarget() reads it back to the same.
std::string printTarget(const Target &target);
/// The same for a file of any other name: __env knows the target by the one it had, too.
std::string printRenamed(Target target);

/// Checks what needs the plugins: every step is known and its options are valid, and what each pass requires is
/// established before it. Throws DiagnosticError at the step's place in the file.
void checkPipeline(const Target &target, const Registry &registry);

} // namespace tangram::hardware
