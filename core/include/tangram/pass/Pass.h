// Contracts of everything that runs in a pipeline: frontends, analyses, passes (optimizers and preparers),
// backends. Each is declared once, as a descriptor, from which --help, the YAML schema and the docs page come.
#pragma once

#include "tangram/ast/Verify.h"
#include "tangram/compose/Facts.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/hardware/Target.h"
#include "tangram/pass/Analyses.h"
#include "tangram/pass/Options.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tangram {

/// What every registered component says of itself.
struct Descriptor {
  std::string name;    // lower-case-with-dashes; the name in YAML and on the command line
  std::string summary; // one line
  std::vector<OptionSpec> options;
  std::string plugin; // filled in by the registry
};

// ---- frontend: source text -> AST ----------------------------------------------------------------------

struct FrontendRequest {
  std::filesystem::path file;
  std::string spectrum; // instances of templates wanted, "sum<float>;sum<int>"; empty: what the source itself uses
  std::vector<std::string> includes, defines;
  const OptionValues *options = nullptr;
  /// Whether the file is the whole program; where not, another file may have the codelets of a spectrum that this one
  /// declares, and the spectrums that `spectrum` names.
  bool whole = true;
};

class Frontend {
public:
  virtual ~Frontend() = default;
  /// Null, with errors reported, where the source is not a program of the language.
  virtual const ast::Module *parse(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) = 0;
};

struct FrontendDescriptor : Descriptor {
  std::vector<std::string> extensions; // ".tg.cpp"
  std::function<std::unique_ptr<Frontend>()> create;
};

// ---- analysis: AST -> facts ----------------------------------------------------------------------------

class Analysis {
public:
  virtual ~Analysis() = default;
  virtual void run(const ast::Module &module, const hardware::Hardware &hardware, Facts &facts,
                   DiagnosticEngine &diags) = 0;
};

struct AnalysisDescriptor : Descriptor {
  std::vector<std::string> requires_;   // names of facts that must be there
  std::vector<std::string> establishes; // names of facts
  std::function<std::unique_ptr<Analysis>(const OptionValues &)> create;
};

// ---- heuristic: forest of plans -> plans (compose/Heuristic.h) ----------------------------------------------

class Heuristic;

struct HeuristicDescriptor : Descriptor {
  std::function<std::unique_ptr<Heuristic>(const OptionValues &)> create;
};

// ---- pass: composed AST -> AST -------------------------------------------------------------------------

struct BackendDescriptor;

struct PassContext {
  ast::Arena &arena;
  DiagnosticEngine &diags;
  const hardware::Target &target;
  const Facts &facts;                         // of the program before a plan was chosen
  Analyses analyses{};                        // of the trees that passes make of it
  const BackendDescriptor *backend = nullptr; // the target's; null where nobody has it
};

class Pass {
public:
  virtual ~Pass() = default;
  /// Returns the same module where nothing changed. Only what hangs below `module.kernels` (and functions they
  /// need) is a pass's to change. No state is kept from run to run.
  virtual const ast::Module *run(const ast::Module *module, PassContext &context) = 0;
};

enum class PassKind : std::uint8_t { Optimizer, Preparer }; // for speed; for correctness of an output language

/// A property of the AST below `module.kernels`, between passes: "flat" (maps and spectrum calls are loops), "linear",
/// ... Registered by the plugin whose pass establishes it; docs/lowering.md lists those of Tangram (pass/Property.h).
struct PropertyDescriptor : Descriptor {
  /// What in the AST contradicts it; nothing: it holds, as far as the AST tells. Asked behind each pass by
  /// --verify-properties.
  std::function<std::vector<ast::Violation>(const ast::Module &, const hardware::Target &)> violations;
};

/// The order that passes can stand in follows from what they say of properties; another is refused when the target is
/// read.
struct PassDescriptor : Descriptor {
  PassKind kind = PassKind::Optimizer;
  std::string before, after;          // an example, as pseudo-code
  std::vector<std::string> requires_; // properties that earlier passes must have established
  std::vector<std::string> excludes;  // ... and must not have: it does not understand what follows from them
  std::vector<std::string> establishes;
  std::vector<std::string> destroys; // all others are kept
  std::function<std::unique_ptr<Pass>(const OptionValues &)> create;
};

// ---- backend: AST -> text, and text -> something that runs -----------------------------------------------

struct OutputFile {
  enum class Role : std::uint8_t { Source, Header, Other };
  std::string name; // without folder
  Role role = Role::Source;
  std::string text;
};

struct EmitContext {
  const hardware::Target &target;
  const OptionValues &options;
  DiagnosticEngine &diags;
  std::string stem; // base name of the files
};

struct BuildContext {
  const hardware::Target &target;
  const OptionValues &options;
  DiagnosticEngine &diags;
  std::filesystem::path folder; // where the emitted files lie; output goes there too
  std::string stem;
  std::function<bool()> cancelled;
};

/// What a backend finds out about the machine at hand, beside the sizes that it fills in.
struct Detection {
  std::string device;   // what it calls itself; empty: there is none
  std::string missing;  // then: what is missing, and what to do
  OptionValues options; // of the backend, that suit the device
  explicit operator bool() const { return !device.empty(); }
};

class Backend {
public:
  virtual ~Backend() = default;
  /// Text for all kernels of the module, all in one translation unit, and the header to call them by.
  virtual std::vector<OutputFile> emit(const ast::Module &module, EmitContext &context) = 0;
  /// Makes a shared library that exports tangram_kernel_table() (runtime/kernel_abi.h). Throws DiagnosticError with the
  /// tool's output where the tool fails or is missing.
  virtual std::filesystem::path build(const std::vector<OutputFile> &files, BuildContext &context) = 0;
  /// What somebody who compiles the emitted text otherwise tells the compiler, one word each: what the text relies on,
  /// folders of headers, the option `flags`. Neither a standard nor for which device; empty where there is no compiler.
  virtual std::vector<std::string> compilerFlags(const OptionValues &) { return {}; }
  /// Resolves `auto` worker counts and fills in sizes from the machine at hand.
  virtual Detection detect(hardware::Hardware &hardware) = 0;
};

struct BackendDescriptor : Descriptor {
  std::vector<std::string> requires_; // properties of the AST that the printer relies on
  /// Words that its languages keep for themselves: no name of a program may be one. Nothing: there are none.
  std::function<bool(std::string_view)> isReserved;
  /// The same of entries, which callers in C and C++ know by their names: most are called alike for all backends.
  /// Nothing: as of other names.
  std::function<bool(std::string_view)> isReservedEntry;
  std::function<std::unique_ptr<Backend>(const OptionValues &)> create;
};

} // namespace tangram
