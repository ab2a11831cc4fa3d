// A machine as the planner sees it: levels from the outside in (dissertation, chapter 5, Figure 5.1), each with
// what it executes by itself, the level below and how it synchronises it; beyond it, sizes and memories.
#pragma once

#include "tangram/ast/Attributes.h"
#include "tangram/ast/Node.h"
#include "tangram/hardware/MatrixShape.h"
#include "tangram/hardware/SyncKind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tangram::hardware {

/// A memory that belongs to a level: all workers of that level's unit see it.
struct Memory {
  std::string name;        // registers, scratchpad, l1, l2, constant, global, ...
  std::uint64_t bytes = 0; // 0: not said
  std::uint64_t line = 0;  // bytes
  std::uint64_t banks = 0;
  std::uint64_t copies = 0; // bytes that a worker copies into it at a time without its registers; 0: it does not
  double bandwidth = 0;     // bytes a second; 0: not said
  double latency = 0;       // cycles; 0: not said
  /// Bits of the elements on which its atomic operations work; nothing: not said.
  std::optional<std::vector<std::uint64_t>> atomics;
};

/// Which partition pattern suits a level's workers (dissertation, section 6.6.2).
enum class Tiling : std::uint8_t { Any, Adjacent, Strided };

/// How many units of this level one unit of the level above has.
struct Workers {
  std::uint64_t count = 1; // what plans assume unless tuned; resolved when `automatic`
  bool automatic = false;  // the file says `auto`: until the backend's detect() has looked, `count` is a default
  std::uint64_t multipleOf = 1;
  std::uint64_t max = 0;              // 0: not said
  std::vector<std::uint64_t> choices; // counts that a plan may ask for instead
};

/// What runs the units of a level: multiprocessors of a device, cores of a processor. What is not said is 0.
struct Cores {
  std::uint64_t count = 0;
  double clock = 0; // cycles a second
  /// Operations that one starts in a cycle, of all that it runs: on 32 and 64 bits, divisions, functions of the math
  /// library, loads and stores; and of one worker by itself.
  double issue = 0, issueDouble = 0, issueDivision = 0, issueFunction = 0, issueAccess = 0, issueAlone = 0;
  double depth = 0;                     // cycles until a dependent operation can start
  double loads = 0;                     // that one worker keeps under way
  double transfer = 0;                  // bytes that one moves from and to what lies outside of it in a cycle
  double contention = 0;                // times longer than alone: a load from memory while many are under way
  double exchange = 0;                  // reading another lane's register, in accesses of scratchpad memory
  std::uint64_t units = 0, workers = 0; // of the level, and of the lowest that is one's own, that one keeps at a time
  std::uint64_t registers = 0;          // of 32 bits, for all of these workers
};

struct Level {
  std::string name;                                    // grid, block, warp, thread, lane, ilp, process
  std::string symbol;                                  // G, B, W, T, L, I, P: the dissertation's notation
  bool scalar = false, vector = false, matrix = false; // capabilities SE, VE, ME
  std::string subordinate;                             // name of the level below; empty: none
  SyncKind sync = SyncKind::None;                      // how it synchronises it
  Workers workers;
  Cores cores;
  double wait = 0; // seconds that the units below take to be synchronised: a launch, a barrier; 0: not said
  std::vector<MatrixShape> matrices; // products that the lanes of a unit compute together
  std::uint64_t maxLanes = 0;        // the most lanes (Hardware::lanes) that a unit may have; 0: not said
  bool shuffle = false;              // workers below a unit can read each other's registers
  Tiling tiling = Tiling::Any;
  std::vector<Memory> memories;
  ast::SourceRange range; // in the target file

  /// Null where the level has none of that name.
  const Memory *memory(std::string_view name) const;
  bool distributes() const { return !subordinate.empty(); }
  bool computes() const { return scalar || vector || matrix; }
};

class Hardware {
public:
  std::string name;
  std::vector<Level> levels; // outermost first
  /// More names by which code that is for certain targets only means this one.
  std::vector<std::string> env{};

  /// Whether that is its name, or one of `env`: of a target that it extends, for one.
  bool is(std::string_view target) const;
  const Level &top() const { return levels.front(); }
  /// Null where there is no such level.
  const Level *find(std::string_view name) const;
  /// Null at the lowest level.
  const Level *below(const Level &level) const;
  /// coopDim() at a level with VE: the workers below it, multiplied down to the first level with SE (a block of 8 warps
  /// of 32 threads has 256 lanes); 1 where nothing is below.
  std::uint64_t lanes(const Level &level) const;
  std::vector<std::string> levelNames() const;
};

} // namespace tangram::hardware
