// What analyses find out and the planner, heuristics and optimizers read (dissertation, section 6.5).
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/hardware/Hardware.h"

#include <any>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram {

/// Parallelism of a codelet or a spectrum (6.5.1). For a spectrum: of some codelet.
struct Parallelism {
  bool cooperative = false;
  bool compound = false;
  bool hasMap = false;     // itself, or through a spectrum it calls
  bool autonomous = false; // none of the above
  bool hasTunable = false;
  bool recursive = false; // reaches its own spectrum again
};

/// How consecutive elements of a map, lanes or iterations touch a container (6.5.2), weakest last.
enum class Stride : std::uint8_t { Zero, Unit, Constant, Irregular };
std::string_view name(Stride stride);

/// One container parameter of a codelet.
struct AccessPattern {
  Stride perIteration = Stride::Zero; // along the innermost loop of one worker
  Stride perLane = Stride::Zero;      // across lanes, by coopIdx(); Zero for an autonomous codelet
  bool indirect = false;              // where data says: by an index that comes out of a container, as x[column[i]]
};

/// A Partition node: what its parts look like.
struct PartitionPattern {
  Stride withinPart = Stride::Irregular;           // stride between neighbours in one part
  Stride acrossParts = Stride::Irregular;          // distance between the same position of neighbouring parts
  hardware::Tiling tiling = hardware::Tiling::Any; // Adjacent: contiguous tiles; Strided: interleaved
};

/// Whether a codelet can stand at a level, and how (Table 6.1).
struct LevelMatch {
  bool allowed = false;
  ast::Capability capability = ast::Capability::None; // what executes it; None for compound ones
  std::string reason;                                 // why not
};

/// The facts of one module on one hardware. Keys are nodes of that module.
class Facts {
public:
  std::map<const ast::Codelet *, Parallelism> codelets;
  std::map<std::string, Parallelism> spectrums;
  std::map<std::pair<const ast::Codelet *, std::string>, AccessPattern> accesses; // codelet, parameter name
  std::map<const ast::Partition *, PartitionPattern> partitions;
  std::map<const ast::Map *, Stride> calls; // how far apart neighbouring calls of a map touch memory, weakest argument
  /// Cooperative codelets whose lanes load parts of containers into arrays that they share, and use them several times.
  std::set<const ast::Codelet *> onTiles;
  std::map<std::pair<const ast::Codelet *, std::string>, LevelMatch> matches; // codelet, level name
  /// Facts of third-party analyses, by the name under which they are established.
  std::map<std::string, std::any> other;
  std::set<std::string> established; // names
};

} // namespace tangram
