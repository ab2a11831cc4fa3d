#include "Versions.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::tilespace {

namespace {

const char *const kLoops[2] = {"outer", "inner"};

std::vector<Kind> around(Kind worker, bool before) {
  return before ? std::vector<Kind>{worker, Kind::Rest} : std::vector<Kind>{Kind::Rest, worker};
}

const char *place(bool before) { return before ? "before" : "after"; }
const char *order(bool interchanged) { return interchanged ? "interchanged" : "in_order"; }

} // namespace

std::vector<Version> threadVersions() {
  std::vector<Version> result;
  for (std::size_t loop : {0, 1})
    for (bool before : {true, false})
      for (bool interchanged : {false, true}) {
        Version v;
        v.name = fmt::format("threads_{}_{}_{}", kLoops[loop], place(before), order(interchanged));
        v.tiles[loop] = around(Kind::Thread, before);
        v.tiles[1 - loop] = {Kind::Rest};
        v.interchanged = interchanged;
        result.push_back(std::move(v));
      }
  return result;
}

std::vector<Version> gangVersions() {
  std::vector<Version> result;
  for (std::size_t gang : {0, 1})
    for (bool gangBefore : {true, false})
      for (bool workerBefore : {true, false})
        for (bool interchanged : {false, true}) {
          Version v;
          v.name = fmt::format("gangs_{}_{}_workers_{}_{}", kLoops[gang], place(gangBefore), place(workerBefore),
                               order(interchanged));
          v.tiles[gang] = around(Kind::Gang, gangBefore);
          v.tiles[1 - gang] = around(Kind::Worker, workerBefore);
          v.interchanged = interchanged;
          result.push_back(std::move(v));
        }
  for (std::size_t first : {0, 1}) {
    std::vector<Kind> tiles{Kind::Rest, Kind::Gang, Kind::Worker};
    do {
      for (bool interchanged : {false, true}) {
        Version v;
        std::string spelled;
        for (Kind k : tiles) spelled += k == Kind::Rest ? 'd' : k == Kind::Gang ? 'g' : 'w';
        v.name = fmt::format("square_{}_{}_{}", kLoops[first], spelled, order(interchanged));
        v.tiles[0] = v.tiles[1] = tiles;
        v.dimensions[0] = first;
        v.dimensions[1] = 1 - first;
        v.interchanged = interchanged;
        v.flat = false;
        result.push_back(std::move(v));
      }
    } while (std::next_permutation(tiles.begin(), tiles.end()));
  }
  return result;
}

} // namespace tangram::tilespace
