// "Parallelism first": the comparison of rules of Figure 6.5, for the search of Figure 6.4.
//
//   compare(r1, r2, level, i):
//     if i is not the last iteration:
//       prefer(distributes); if both do: prefer(partitioning matches level)
//       else: prefer(vectorizes)
//     else:
//       prefer(computes); if both do: prefer(vectorizes)
//     prefer(came from tunable codelet)
//
// The figure leaves open what it means by some of this, and what happens where its example has nothing to choose. Here:
//  - Only rules that can be completed within the search depth are compared. (Otherwise the last partial sums of Figure
//    5.6 would be distributed again, with no iteration left to compute them.)
//  - Distributing a container that is known, or expected, to have at most one element a worker does not count as
//    distributing: there is no parallelism to gain. (Otherwise one result a block would be spread over all blocks
//    again, where Figure 5.7 devolves to one block.) Nor does it where half the workers would have no row
//    of several dimensions, or an unrolled loop is expected to make few turns.
//  - A compound codelet without a map distributes, or vectorizes, where a spectrum that it calls can (6.5.1). `devolve`
//    does neither.
//  - Where neither rule distributes and neither vectorizes, one that computes is preferred to one that goes on
//    composing, and any other to one whose map brings no parallelism: only then tunables are asked for. (In the
//    figures, levels below have nothing but a compute rule at that point; here they may also serialize a map.)
//  - Where a level says which tiling suits its workers, a codelet that vectorizes is preferred to one that distributes
//    with another tiling. (Where both tilings are at hand, as for sum, the figures' choice is the same.)
//  - Lanes that go in lock step touch memory as one vector: neighbouring elements, or all the same one. A map whose
//    neighbouring calls lie otherwise (Facts::acrossCalls) brings them no parallelism. It is serialised where a codelet
//    further down distributes or vectorizes, and of codelets whose maps are such, the one above the nearest is
//    preferred.
//  - Lanes that close loops and each have a call that lies elsewhere walk through memory together, tile by tile (the
//    pass staging), where their loops are plain: unrolled ones bring them no parallelism.
//  - Of two codelets that distribute, one whose calls are computed on tiles in scratchpad memory (Facts::onTiles) is
//    preferred, whatever the tiling: what is used several times is loaded once.
//  - Of those, where a device is relaunched, one of which data does not say how long its calls are: lanes in lock step
//    wait for the longest. Elsewhere the few workers take calls as they come to an end, and one is preferred whose
//    calls do no atomic operations.
//  - Of those, one with a map that has calls for more than half of the workers; then one that stores nothing in
//    containers of its own; then the one whose tiling matches.
//  - A codelet that needs no check at run time is preferred to an equal one that does.
//  - Of the rules of a map, Distribute and Split both distribute. Distribute is preferred where an element distributes
//    or vectorizes in turn, and is large enough for its lanes, and calls are too few for each lane to have its own (or
//    may differ much: lanes would wait for the longest); else Split, where it reaches a level that distributes; else
//    Distribute, which is shorter.
#pragma once

#include "tangram/planning/RuleComparison.h"

namespace tangram {

class ParallelismFirst final : public RuleComparison {
public:
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override;

protected:
  std::string prefer(const Forest &forest, const SizedPoint &point, const Alternative &a, const Alternative &b,
                     unsigned iteration, unsigned iterations) const override;

private:
  struct Properties {
    bool distributes = false, matches = false, vectorizes = false, idle = false;
    bool tiles = false;       // computes on tiles in scratchpad memory, or gives its calls to those that do
    bool boundByData = false; // data says how much each call of a map has to do
    bool enough = false;      // a map has calls for more than half of the workers
    bool stores = false;      // keeps something in containers of its own
    bool together = false;    // calls change by atomic operations what others change, too
    /// Serialising what would scatter: how many codelets further down one distributes or vectorizes.
    std::optional<unsigned> leads;
  };
  const Properties &properties(const Forest &forest, const SizedPoint &point, const Alternative &alternative) const;
  std::string preferMapRule(const Forest &forest, const SizedPoint &point, const Alternative &a, const Properties &pa,
                            const Alternative &b, const Properties &pb) const;
  bool parallel(const Forest &forest, const SizedPoint &point) const;

  /// Of the forest at hand.
  mutable std::map<std::pair<const Alternative *, Expectations::Id>, Properties> known_;
};

} // namespace tangram
