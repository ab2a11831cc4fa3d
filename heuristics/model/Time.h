// The time of a plan in seconds, as a cost that is decomposable over the forest.
#pragma once

#include "Machine.h"
#include "tangram/compose/Forest.h"

#include <map>
#include <unordered_map>

namespace tangram::model {

/// How what is above a point has given it one of its spectrum's arguments.
struct ArgumentAround {
  Stride acrossLanes = Stride::Zero; // between calls that lanes make side by side
  Stride within = Stride::Unit;      // between neighbours of a part
  Served served = Served::Memory;
  bool revisited = false; // a worker's next call touches what lies beside
  unsigned apart = 0;     // strided partitions of which a worker goes over several parts, one after the other
  // Of a map:
  Stride acrossCalls = Stride::Zero;
  bool whole = true, loaded = false;
  auto operator<=>(const ArgumentAround &) const = default;
};

/// What stands around a point. Numbers of workers as powers of two.
struct Around {
  unsigned busy = 0;                     // units of its level at a time
  unsigned idle = 0;                     // lanes in lock step with one that is busy
  unsigned iterations = 0;               // of `busy`, that are iterations of one worker
  bool inLanes = false;                  // lanes have calls of their own
  bool direct = false;                   // and this is one of them
  bool uneven = false;                   // data says how much each has to do
  std::vector<ArgumentAround> arguments; // behind them one more of a map with results
  auto operator<=>(const Around &) const = default;
};

/// A derivation costs the seconds of one call, or map, by each of the units that are busy at a time.
class Time final : public Cost {
public:
  explicit Time(const Forest &forest);

  Surroundings below(const Point &point, const Alternative &alternative, std::size_t child,
                     Surroundings surroundings) const override;
  double of(const Point &point, const Alternative &alternative, Surroundings surroundings,
            const std::vector<double> &parts) const override;
  /// Of what a rule does by itself.
  Parts own(const Point &point, const Alternative &alternative, Surroundings surroundings) const;

private:
  Surroundings known(Around around) const;
  /// Whether sizes are expected to be what a guarded codelet needs.
  bool applies(const Point &point, const Alternative &alternative) const;
  Around belowCodelet(const Alternative &alternative, std::size_t child, const Around &around) const;
  void divide(const Point &point, const Alternative &alternative, Around &around) const;
  void repeat(const Point &point, Around &around) const;
  /// What differs from call to call is of no use to one call.
  static void call(Around &around);
  /// Of what all calls are given: where it is found again, by how large it is.
  void cache(const Point &point, std::size_t argument, ArgumentAround &around) const;
  /// Whether a host's compiler makes vectors of the loops of a serial codelet.
  bool vectorizes(const hardware::Level &level, const CodeletWork &work) const;
  const CodeletWork &work(const Point &point, const Alternative &alternative) const;
  std::uint64_t workers(const Point &point, const Alternative &alternative, const std::string &level) const;
  std::uint64_t lanes(const Point &point, const hardware::Level &level) const;
  /// Of a map; where that is not known, as many as keep all workers busy once.
  double calls(const Point &point, const Alternative &alternative) const;
  double bytes(const Point &point, std::size_t argument) const;
  /// Bytes of the lines in which a call's argument lies.
  double footprint(const Point &point, std::size_t argument, const ArgumentAround &around) const;
  const ast::Spectrum &spectrum(const Point &point) const;
  const std::vector<const ast::Expr *> &sitesOf(const ast::Codelet &codelet) const;

  const Forest &forest_;
  Machine machine_;
  mutable ast::Arena arena_;
  using WorkKey =
      std::tuple<const ast::Codelet *, std::vector<Extents>, std::map<std::string, std::int64_t>, std::uint64_t>;
  mutable std::map<WorkKey, CodeletWork> works_;
  mutable std::unordered_map<const Alternative *, const CodeletWork *> worksOf_;
  mutable std::unordered_map<const ast::Codelet *, std::vector<const ast::Expr *>> requirements_, sites_;
  mutable std::map<Around, Surroundings> numbers_;
  mutable std::vector<const Around *> arounds_;
};

} // namespace tangram::model
