// What analyses find out and the planner, heuristics and optimizers read (dissertation, section 6.5).
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/hardware/Hardware.h"

#include <any>
#include <cstdint>
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

/// What a map or call of a codelet gives for one parameter of the spectrum that it calls.
struct PassedArgument {
  std::optional<std::size_t> parameter; // of the codelet, that it is, or is a part or element of; nothing: none
  bool whole = true;                    // of a map: every call gets the same
  bool loaded = false;                  // of a map: every call gets an element's value
  Stride across = Stride::Zero;         // of a map: how far apart neighbouring calls touch memory through it
  Stride within = Stride::Unit;         // between neighbours in a part
  std::optional<std::int64_t> step;     // of a map that counts: elements between what neighbouring calls touch ...
  unsigned stepDimensions = 0;          // ... or rows, planes: all of so many innermost dimensions
  /// A parameter of the codelet: behind as many neighbouring calls as it has elements, others begin anew (collapsed
  /// loops).
  std::optional<std::size_t> wraps;
};

/// What calls of one map may do to each other: containers of which they may touch the same element, one of them writing
/// it without atomics. Parameters are counted from 0.
struct Races {
  /// A parameter through which a codelet, or what it calls, may write what another call of the map touches.
  using Contended = std::set<unsigned>;
  /// By the map, and the codelet that its calls are of. Maps of codelets that are __independent are here only where
  /// they are not.
  std::map<std::pair<const ast::Map *, const ast::Codelet *>, Contended> contended;
  /// Containers that a codelet writes itself, without atomics: where. Not to be given to it where they are contended.
  std::map<std::pair<const ast::Codelet *, unsigned>, ast::SourceRange> writes;
  /// Of each map and call of a codelet: the codelet's parameters, if any, that stand behind each argument.
  std::map<const ast::Expr *, std::vector<std::set<unsigned>>> passed;
  /// Arguments of a map that checked code watches: what the analysis could not decide.
  std::map<const ast::Map *, std::set<unsigned>> watched;
  /// Parameters (of a spectrum, by name) that are index ranges in all calls of the module, and must be: a container
  /// from outside could name an element twice.
  std::set<std::pair<std::string, unsigned>> ranges;
  /// Spectrums (by name) of which expanders' codelets, made for different containers, are no use: who passes one
  /// container for several parameters, as "codelet 'f(a)'".
  std::map<std::string, std::string> oneContainer;
};

/// The facts of one module on one hardware. Keys are nodes of that module.
class Facts {
public:
  std::map<const ast::Codelet *, Parallelism> codelets;
  std::map<std::string, Parallelism> spectrums;
  std::map<std::pair<const ast::Codelet *, std::string>, AccessPattern> accesses; // codelet, parameter name
  /// Container parameters, by name, that are index ranges in all calls of the module: their elements are computed; how
  /// far apart neighbours are, where that is a number.
  std::map<std::pair<const ast::Codelet *, std::string>, std::optional<std::int64_t>> ranges;
  std::map<const ast::Partition *, PartitionPattern> partitions;
  std::map<const ast::Expr *, std::vector<PassedArgument>> arguments; // of maps and calls, one a parameter
  /// Cooperative codelets whose lanes load parts of containers into arrays that they share, and use them several times.
  std::set<const ast::Codelet *> onTiles;
  std::map<std::pair<const ast::Codelet *, std::string>, LevelMatch> matches; // codelet, level name
  Races races;
  /// Facts of third-party analyses, by the name under which they are established.
  std::map<std::string, std::any> other;
  std::set<std::string> established; // names

  /// How far apart neighbouring calls of a map touch memory: the weakest of its arguments.
  Stride acrossCalls(const ast::Map &map) const;
};

} // namespace tangram
