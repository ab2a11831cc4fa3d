// A plan: one derivation of the composition grammar, as data. It prints, parses back and is kept in git.
//
//   plan sum for cpu-simple
//   source sum 5d1c9a7e00112233
//   select c at process with p=4
//     distribute to thread
//       select a at thread
//     devolve to thread
//       select a at thread
//
// Children of a `select` of a compound codelet: one for each map and spectrum call of its body (a "site"), inner
// before outer, in the order they are evaluated. `distribute` and `serialize` have one child, the composition of one
// element; `split` has one, the inner map. A guarded select has its fallback last, marked by "else":
//
//   select b at block as vector if in.size() <= coopDim()
//     else devolve to thread
//       select a at thread
//
// A rule that goes to a level below may ask for other numbers of units than the target says, of the levels that start
// there: `distribute to block with warp=32`.
//
// A plan may be made of several, each for some sizes: conditions are asked in the order of the file, at each call, and
// the first that holds says which (SizeCondition.h):
//
//   plan sum for cpu-simple
//   when in.size() <= 4096
//     select a at process
//   otherwise
//     select c at process with p=4
//       ...
//
// Of a plan that was tuned, `device NAME` and `compiler NAME` lines in front of its rules say where.
//
// A line says `of SPECTRUM` behind its codelet or rule where that is not the spectrum of the line above it, `as vector`
// where a codelet does not compute as scalar code, and the first line of a plan says `devolve from LEVEL to LEVEL`.
// Names with other characters than letters, digits and _-.:<>, are quoted. Empty lines and lines that start with # do
// not count.
#pragma once

#include "tangram/compose/SizeCondition.h"
#include "tangram/hardware/Units.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tangram {

/// The abstract composition rules (section 5.2.1, Figure 5.3).
enum class Rule : std::uint8_t { Select, Devolve, Compute, Regroup, Distribute, Serialize, Split, Cascade };
std::string_view name(Rule rule);

struct PlanNode {
  Rule rule = Rule::Select; // Select, Devolve, Distribute, Serialize or Split; the others follow from these
  std::string spectrum;     // what is composed: of the call, or the map's function
  std::string level;        // where
  std::string codelet;      // Select
  ast::Capability capability = ast::Capability::None; // Select of an atomic codelet: its Compute
  std::string to;                                     // Devolve, Distribute, Split: the subordinate level
  bool guarded = false;                               // Select: the last child is the fallback
  std::string condition;                              // guarded: the requirement in words, for whoever reads the plan
  /// Select: values of the codelet's tunables. Split: "factor" and "grain" (Chunks). Devolve, Distribute, Split: units
  /// of levels that start there (hardware/Units.h), of those of which there are not as many as the target says.
  std::map<std::string, std::int64_t> parameters;
  std::vector<std::shared_ptr<const PlanNode>> children;
  SourceRange range; // in the plan file; does not count

  bool operator==(const PlanNode &other) const;
};
using PlanPtr = std::shared_ptr<const PlanNode>;

/// What is done where a condition holds, and none before it did.
struct PlanCase {
  SizeCondition when;
  PlanPtr root;
  SourceRange range; // in the plan file; does not count
  bool operator==(const PlanCase &other) const;
};

struct Plan {
  std::string spectrum;
  std::string target;
  std::map<std::string, std::uint64_t> sources; // spectrum -> hash of its codelets when the plan was made
  std::string device, compiler;                 // that it was tuned on; empty: it was not. They do not count
  std::vector<PlanCase> cases;                  // for some sizes, in the order in which they are asked
  PlanPtr root;                                 // for all others
  bool operator==(const Plan &other) const;
};

/// The plan that is followed for certain sizes: one without cases.
Plan planFor(const Plan &plan, const SizeOf &size);
/// Each of a plan's own plans, without cases, in the order in which they are asked.
std::vector<Plan> plansOf(const Plan &plan);

/// Whether its rule is one for a map, and not for a call.
bool isMapRule(const PlanNode &node);

/// What a rule asks for of the levels that start there.
hardware::Units unitsOf(const PlanNode &node);

/// How a split divides the calls of a map: into `factor` chunks of neighbours, each a multiple of `grain` calls, so
/// that lanes in lock step are given as many neighbours as there are lanes. The last chunks may be empty.
struct Chunks {
  std::uint64_t factor = 1, grain = 1;
  /// Of the parameters of a rule.
  explicit Chunks(const std::map<std::string, std::int64_t> &parameters);
  /// Of the first chunk, of so many.
  std::uint64_t calls(std::uint64_t all) const;
  /// How many are not empty.
  std::uint64_t busy(std::uint64_t all) const;
};

std::string print(const Plan &plan);
/// One line, unambiguous: the key under which timings are kept and the name that a profile shows. Sources do not count.
std::string key(const Plan &plan);
/// The dissertation's notation, as in Figures 5.6 and 5.7: "S_P, regroup(p_c, P), distribute(T), compute(c_a, SE_T),
/// ...". Codelets of other spectrums than the plan's are written c_dot.a; a guarded codelet is followed by " if COND
/// else (...)"; chunks of whole lanes are "split(1056, G, grain=32)".
std::string notation(const Plan &plan, const ast::Module &module, const hardware::Hardware &hardware);
/// Throws DiagnosticError with line and column.
Plan parsePlan(std::string_view text, const std::string &file, ast::Arena &arena);
/// Checks that a plan fits a module and hardware; throws DiagnosticError that says what in the source or the
/// target changed since. A changed hash alone is a warning.
void checkPlan(const Plan &plan, const ast::Module &module, const hardware::Hardware &hardware,
               const class Facts &facts, DiagnosticEngine &diags);

/// The maps and spectrum calls of a codelet body in the order of a plan's children.
std::vector<const ast::Expr *> sites(const ast::Codelet &codelet);
/// The same with the partitions between them: everything a rule of Figure 5.3 is about.
std::vector<const ast::Expr *> compositions(const ast::Codelet &codelet);
/// Hash of a spectrum's codelets and of the functions they call.
std::uint64_t sourceHash(const ast::Module &module, const std::string &spectrum);

} // namespace tangram
