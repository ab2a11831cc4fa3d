// What `tangram explain` shows, as text, JSON or a page.
#pragma once

#include "Driver.h"

#include "tangram/planning/Workload.h"

namespace tangram::driver {

/// A point that the chosen plan passes through.
struct ChosenPoint {
  GoalId id = 0;
  const PlanNode *node = nullptr;
  unsigned indent = 0;
  std::vector<std::string> values;                         // that the rule may have instead: "p=64", "warp=4"
  std::vector<std::pair<std::string, std::string>> others; // rules that were dropped, and why
};

/// A tunable, the factor of a split, or how many units a level has, with its value in the plan.
struct TunableNote {
  std::string name, of, level; // of: "codelet tiled", "split"
  std::int64_t value = 0;
  std::string from; // where the value comes from
};

/// How busy the units of a level are in the widest step of a plan.
struct LevelNote {
  std::string level, above;          // above: the level that has them; empty at the top
  std::uint64_t workers = 1;         // of one unit above
  std::optional<std::uint64_t> busy; // of these; nothing: as many as a map has calls, which is not known
  bool iterations = false;           // of an unrolled loop, and no workers of their own
  std::string why;                   // where not all are
};

struct Explanation {
  const Forest *forest = nullptr;
  Plan plan;
  bool given = false; // by a plan file
  HeuristicContext context;
  std::string target, heuristic, notation;
  std::size_t alternatives = 0;
  std::vector<ChosenPoint> chosen;
  Workload work;
  std::vector<LevelNote> levels;
  std::optional<Prediction> prediction; // where the heuristic has a model of time
  std::string alone;                    // "one thread does everything: ...", or empty
  std::vector<std::string> serial;      // loops that one worker runs, beside what is divided
  std::vector<TunableNote> tunables;
  std::string sizes; // what is expected of the arguments
};

std::string goal(const Point &point);
std::string describe(const Alternative &alternative);
std::string describe(const PlanNode &node);
std::string describe(const Rejection &rejection);

/// "line 12" of the program's file, "dot.tg.h:12" of another one; empty where there is no place.
std::string place(const ast::SourceRange &range, const std::string &file);
/// "1 plan", "2 plans".
std::string plural(const std::string &n, const char *what);

/// Fills in what follows from the plan and the target: work, levels, alone, serial, tunables and sizes.
void explainWork(Explanation &e, Session &session, const std::string &file);
/// A computing rule of the plan, on a line: "codelet a of sum at thread (line 5): ...".
std::string describeStep(const Explanation &e, const RuleWork &rule, const std::string &file);
/// The units that a rule keeps busy: "thread 2 of 32".
std::string describeShares(const std::vector<UnitShare> &shares);
/// "in 512Kx128": what is expected of each argument of a call; empty where nothing is known.
std::string describeArguments(const Explanation &e, const RuleWork &rule);
/// "2 of 32 busy in each warp".
std::string describeBusy(const LevelNote &level);
/// The same behind the level's name, with the reason where not all are busy.
std::string describeLevel(const LevelNote &level);
/// "16 elements for each thread", "2 of 32 lanes have an element"; empty where sizes are not known.
std::string describeEach(const RuleWork &rule);
/// Of each node of the plan, on a line: what the heuristic says of its time.
std::vector<std::string> predictionLines(const Explanation &e);
Json predictionJson(const Prediction &prediction, const PlanNode &node);
Json workJson(const Explanation &e, const std::string &file);

/// Prints where two plans of a spectrum differ, rule by rule from the top, and what the heuristic says that they take
/// there; below other rules nothing is compared any more. False where they do not differ.
bool explainAgainst(Session &session, const Plan &one, const Plan &other, bool json);

/// One HTML page without anything from elsewhere.
std::string explanationPage(Session &session, const std::string &file, const std::vector<Explanation> &explanations);

} // namespace tangram::driver
