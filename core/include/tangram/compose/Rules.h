// The composition rules of a program, as the dissertation prints them: of any machine (Figure 5.5), and specialised for
// the levels of one (Figures 5.6 and 5.7). What `tangram explain --rules` shows.
#pragma once

#include "tangram/compose/Facts.h"

#include <string>
#include <vector>

namespace tangram {

struct CompositionRule {
  std::string name;    // "Rule4", or "P4" at level P
  std::string head;    // "compose(sum, L)"
  std::string body;    // "S_L, regroup(p_c, L), distribute(l_L), compose(sum, l_L), compose(sum, L)"
  std::string comment; // "derived from codelet c (c_c)"
};

/// How maps stand in rules. The dissertation shows Distribute alone, "for brevity and clarity"; the planner uses all.
enum class MapRules : std::uint8_t { Distribute, All };

/// Rules 1, 2, ... of a spectrum: Devolve, then one a codelet in the order of definition. L is any level, l_L the one
/// below it.
std::vector<CompositionRule> rules(const ast::Module &module, const std::string &spectrum);

/// Those of them that a level can apply, numbered as in rules(). With MapRules::All, a codelet with maps has a rule for
/// each way to run them, its name followed by d, s or p (distribute, serialize, split) for each of its maps.
std::vector<CompositionRule> rules(const ast::Module &module, const hardware::Hardware &hardware, const Facts &facts,
                                   const std::string &spectrum, const std::string &level,
                                   MapRules maps = MapRules::Distribute);

/// How the rule of a compound codelet follows from the abstract rules, one line a step with the rule applied (the
/// second half of Figure 5.5).
std::vector<std::string> derivation(const ast::Module &module, const std::string &spectrum, const std::string &codelet);

/// "Rule1: compose(sum, L) -> S_L, devolve(l_L), compose(sum, l_L)", a line a rule, with comments behind //.
std::string print(const std::vector<CompositionRule> &rules, bool comments = false);

} // namespace tangram
