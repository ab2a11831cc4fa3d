// What a heuristic says that a plan costs, in seconds.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tangram {

/// Of a node of a plan.
struct Prediction {
  double seconds = 0; // of one call, or of a map: by each of the units that are busy at a time
  double all = 0;     // of all its calls, one after another: what it is of the whole plan's
  struct Part {
    std::string name;
    double seconds = 0;
  };
  std::vector<Part> parts;          // what a codelet does by itself, without what it calls: they overlap
  std::vector<Prediction> children; // as the node's
};

/// What of the whole plan's seconds is whose, by the names of parts; "rules": what dividing work and waiting takes. Of
/// parts that overlap each has a share as its square has. They sum up to the plan's seconds.
std::map<std::string, double> shares(const Prediction &prediction);

} // namespace tangram
