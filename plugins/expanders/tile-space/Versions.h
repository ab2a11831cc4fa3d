// The version spaces that the paper on TileK measures: two parallel loops, given to workers in all the ways of its
// Tables 2 and 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tangram::tilespace {

enum class Kind : std::uint8_t { Rest, Thread, Gang, Worker };

struct Version {
  std::string name;
  std::vector<Kind> tiles[2];         // of the outer and the inner loop, outermost first; one of each is Rest
  std::size_t dimensions[2] = {0, 0}; // of the machine, that the loops are given
  bool interchanged = false;          // the inner loop's rest goes around the outer one's
  bool flat = true;                   // one dimension of gangs and workers
};

/// Table 2: one loop is given to threads, before or after what is left of it; both orders.
std::vector<Version> threadVersions();
/// Table 3: 16 ways with gangs on one loop and workers on the other, 24 with both on each.
std::vector<Version> gangVersions();

} // namespace tangram::tilespace
