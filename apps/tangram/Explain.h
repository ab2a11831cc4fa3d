// What `tangram explain` shows, as text, JSON or a page.
#pragma once

#include "Driver.h"

namespace tangram::driver {

/// A point that the chosen plan passes through.
struct ChosenPoint {
  GoalId id = 0;
  const PlanNode *node = nullptr;
  unsigned indent = 0;
  std::vector<std::pair<std::string, std::string>> others; // alternatives and why they were dropped
};

struct Explanation {
  const Forest *forest = nullptr;
  Plan plan;
  HeuristicContext context;
  std::string target, heuristic, notation;
  std::size_t alternatives = 0;
  std::vector<ChosenPoint> chosen;
};

std::string goal(const Point &point);
std::string describe(const Alternative &alternative);
std::string describe(const PlanNode &node);
std::string describe(const Rejection &rejection);

/// One HTML page without anything from elsewhere.
std::string explanationPage(Session &session, const std::string &file, const std::vector<Explanation> &explanations);

} // namespace tangram::driver
