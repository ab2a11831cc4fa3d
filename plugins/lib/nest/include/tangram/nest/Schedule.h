// Steps that transform the loops of a nest, each checked before it is done.
//
// A schedule begins as the order of the source. A step that would carry out two dependent accesses in the other order
// is refused, with both and the loop that makes them depend; the schedule then stays as it was. Write.h makes loops of
// it.
#pragma once

#include "tangram/nest/Dependences.h"

#include <map>
#include <set>

namespace tangram::nest {

/// A step as data: what a directive, a recipe or a strategy asks for.
struct Step {
  enum class Kind : std::uint8_t {
    Tile,        // loops[0] into pieces of `size` iterations, counted by a new loop `name` around it
    Order,       // loops that stand directly in each other, outermost first; those not named stay behind them
    Fuse,        // loops[0] and loops[1], which follow each other, into one over the values of both
    Distribute,  // loops[0] into one for each of what stands in it, or for as many as `parts` says, in that order or
                 // that of `order`
    Reduce,      // updates by one operator that loops[0] carries may be carried out in any order
    Reschedule,  // loops[0], of the outermost ones, and all in it: as few serial loops outside as dependences allow,
                 // what is in them parallel (P. Feautrier, Some efficient solutions to the affine scheduling problem,
                 // 1992)
    Hyperplanes, // loops[0], of the outermost ones, and those that stand directly in each other from there: the same
                 // for these, of whose iterations each is carried out as it is written, with the loops in it (the
                 // hyperplane method; L. Lamport, The parallel execution of DO loops, 1974)
    Gather, // loops[0], of the outermost ones, and those that stand directly in each other from there: elements of what
            // they update outermost, and of each the iterations that update it, in the order that they had (the
            // owner-computes rule; scatters become gathers)
    Block // loops[0], of the outermost ones, and all in it: blocks of `size` iterations of it, or of another loop that
          // may be outside, one after the other, counted by a new loop `name`. Loops in it part where they leave the
          // block's own range (index set splitting); what of a block depends on each other in both directions has loops
          // of its own, parallel ones outside where there are any: a blocked factorization
  } kind = Kind::Tile;
  std::vector<std::string> loops;
  std::int64_t size = 0;
  std::string name;
  ast::SourceRange range;              // where it was asked for
  std::vector<std::size_t> parts = {}; // of Distribute: how many each loop has; empty: one
  std::vector<std::size_t> order = {}; // of Distribute: all that stands in the loop, as it is carried out then
  bool together = false;               // of Reschedule: statements that stand side by side in a loop stay so
};
/// "tile i by 32 as ii", "order j i", "fuse i j", "distribute i", "reduce k", "reschedule i", "hyperplanes i", "gather
/// i", "block i by 32 as ii"
std::string text(const Step &step);

/// Why a step is not done.
struct Refusal {
  enum class Why : std::uint8_t {
    NoSuchLoop, // or not where the step needs it
    Dependence, // it would be wrong
    Scalar,     // a scalar would need an element for each iteration (scalar expansion)
    Unknown     // isl takes too long to tell
  } why = Why::NoSuchLoop;
  std::string message;
  std::optional<Dependence> dependence;
  std::optional<unsigned> loop; // that carries it
};

class Schedule {
public:
  explicit Schedule(const Nest &nest);

  std::optional<Refusal> apply(const Step &step);
  /// From here on updates of this variable by one operator may be carried out in any order, whichever loop carries
  /// them.
  void reduce(unsigned variable) { reduced_.insert(variable); }
  /// Why iterations of a loop of the schedule must not run at once, while all loops around it stand still; nothing
  /// where they may. What variables of `own` hold is an iteration's own.
  std::optional<Refusal> carried(const std::string &loop, const std::set<unsigned> &own = {}) const;
  /// Loops of all statements of an outermost loop together, in other words functions of their iterations, none of which
  /// any dependence decreases: they may be tiled (permutable, as in U. Bondhugula et al., A practical automatic
  /// polyhedral parallelizer and locality optimizer, 2008). Tiles whose coordinates have one sum are independent of
  /// each other, and all others do not come before those of a smaller sum.
  struct TilableBand {
    std::vector<std::map<unsigned, isl::pw_aff>> when; // of each member: when each unit runs, over the nest's iterators
    std::vector<std::vector<unsigned>> together;       // units that share variables of an iteration
  };
  std::optional<Refusal> wavefronts(const std::string &loop, TilableBand &band) const;
  /// All loops are written anew (Write.h), with bounds that say what conditions leave of them.
  void regenerate();
  /// Names of loops, each before those in it.
  std::vector<std::string> loops() const;

  /// What is carried out as one: a statement, or a loop or branch whose extent depends on data, with all in it.
  struct Unit {
    const Item *item = nullptr;
    std::vector<unsigned> loops; // of the nest, around it
    isl::set domain;
    std::vector<Access> accesses; // over the iterators of `loops`
  };
  /// A tree of what runs in what order.
  struct Node {
    enum class Kind : std::uint8_t { Sequence, Loop, Unit } kind = Kind::Sequence;
    unsigned unit = 0;
    std::string name;                     // of a loop
    std::optional<unsigned> loop;         // of the nest, whose iterations it counts; none where it counts tiles
    bool fused = false;                   // from several of the nest's
    std::map<unsigned, isl::pw_aff> when; // of a loop: when each unit in it runs, over iterators of the nest
    std::vector<Node> children;           // of a sequence; of a loop, one
    std::size_t top = 0;                  // which of the nest's outermost items it comes from
    bool changed = false;
    bool parallel = false; // of a loop that isl made: no dependence is known between its iterations
  };
  struct Problem; // that isl's scheduler is asked: Scheduling.h
  const Nest &nest() const { return nest_; }
  const std::deque<Unit> &units() const { return units_; }
  const Node &root() const { return root_; }
  /// One vector of numbers for each unit, of one length.
  std::vector<std::vector<isl::pw_aff>> times(const Node &root) const;
  isl::map timeMap(unsigned unit, const std::vector<isl::pw_aff> &time) const;
  /// When an iteration of a loop of the nest runs in the source, among those of one iteration of the loops around it.
  isl::pw_aff iterationOf(unsigned loop) const;

private:
  /// Iterations of two units, { [loops of one] -> [loops of the other] }, of which the second come later in the source
  /// and touch an element that the first touch, one of both writing: by any of these pairs of accesses.
  struct Ordered {
    unsigned u = 0, v = 0;
    std::vector<std::pair<const Access *, const Access *>> accesses;
    isl::map pairs;
  };
  /// All of two units; found once for all steps.
  const std::vector<Ordered> &ordered(unsigned u, unsigned v) const;
  /// All of these units.
  std::vector<const Ordered *> orderedAmong(const std::set<unsigned> &units) const;
  /// What a unit touches, { [loops] -> elements }, and which of that each of its accesses does.
  struct Touched {
    std::vector<isl::map> elements;
    std::vector<std::size_t> of, places; // of each access: what it touches, and its places where it has them
  };
  const Touched &touched(unsigned unit) const;
  /// Whether they are updates of a variable that may be reordered.
  bool mayReorder(const Access &a, const Access &b) const;
  /// Of a part of them, the first whose order has to stay; null where there is none.
  const std::pair<const Access *, const Access *> *binding(const Ordered &part) const;
  void add(const std::vector<Item> &items, std::vector<unsigned> &loops, Node &sequence, std::size_t top);
  bool regular(const Item &item) const;
  void addUnit(const Item &item, const std::vector<unsigned> &loops, const isl::set &domain, Node &sequence,
               std::size_t top);
  std::optional<Refusal> change(Node &root, const Step &step);
  std::optional<Refusal> reschedule(const Node &top, bool together, std::vector<Node> &made) const;
  std::optional<Refusal> hyperplanes(const Node &top, std::vector<Node> &made) const;
  std::optional<Refusal> gather(const Node &top, std::vector<Node> &made);
  std::optional<Refusal> tilable(const Node &top, TilableBand &band) const;
  std::optional<Refusal> block(const Node &top, const Step &step, std::vector<Node> &made);
  Problem problem(const Node &top, bool together) const;
  /// Of iterations of `loopsOfTheSource`, at least one.
  Problem problemOfIterations(const Node &top) const;
  std::vector<const Node *> loopsOfTheSource(const Node &top) const;
  void withoutContext(Problem &problem) const;
  enum class Whole : std::uint8_t { Units, Bodies, Iterations }; // that are carried out as a whole
  template <class Use> std::optional<Refusal> scheduled(const Node &top, bool bands, Whole whole, const Use &use) const;
  std::optional<Refusal> illegal(const Node &changed) const;
  Refusal refusal(const Access &a, const Access &b, unsigned u, unsigned v, const isl::map &wrong) const;
  std::optional<Refusal> interleaves(const Node &root, const std::vector<std::vector<isl::pw_aff>> &time,
                                     const std::set<unsigned> &moved) const;
  void forgetOrder();
  isl::map relation(const isl::set &elements, const Unit &unit) const;

  const Nest &nest_;
  isl::set assumed_; // of what does not change in the nest
  std::deque<Unit> units_;
  Node root_;
  std::vector<std::vector<isl::pw_aff>> source_; // times as the source has them
  mutable std::map<unsigned, Touched> touched_;
  mutable std::map<std::pair<unsigned, unsigned>, std::vector<Ordered>> ordered_;
  std::set<unsigned> reduced_; // variables whose updates may be reordered
};

} // namespace tangram::nest
