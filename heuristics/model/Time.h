// The time of a plan in seconds, as a cost that is decomposable over the forest.
#pragma once

#include "Around.h"
#include "tangram/compose/Prediction.h"
#include "tangram/planning/Cost.h"

namespace tangram::model {

/// A derivation costs the seconds of one call, or map, by each of the units that are busy at a time.
class Time final : public Cost {
public:
  explicit Time(const Forest &forest)
      : forest_(forest), machine_(forest.hardware()), places_(forest, machine_), arounds_(forest, machine_, places_) {}

  Surroundings below(const Point &point, const Alternative &alternative, std::size_t child,
                     Surroundings surroundings) const override;
  Charge of(const Point &point, const Alternative &alternative, Surroundings surroundings) const override;
  Surroundings alike(Surroundings surroundings) const override;
  /// Of what a rule does by itself.
  Parts own(const Point &point, const Alternative &alternative, Surroundings surroundings) const;
  /// Of a plan of the forest, node by node; nothing where it has other values than the forest's.
  std::optional<Prediction> predict(const Plan &plan) const;

private:
  std::optional<Prediction> predict(const PlanNode &node, GoalId id, Surroundings surroundings) const;
  Crowd crowd(const Place &place, const Around &around) const;
  /// Seconds of finding out the parts that a map's call is given.
  double divided(const Point &point, const Alternative &alternative, Surroundings surroundings) const;
  /// More than 1 where an alternative asks for other units than the target says.
  static double doubt(const Alternative &alternative);
  /// Whether a host's compiler makes vectors of the loops of a serial codelet.
  bool vectorizes(const hardware::Level &level, const CodeletWork &work) const;
  /// Neighbouring iterations that lanes have side by side.
  void chunk(const Around &around, const ast::Codelet &codelet, const CodeletWork &work,
             std::vector<Accesses> &accesses, Crowd &crowd) const;
  /// Tiles of what lanes walk through, where scratchpad memory has room.
  void stage(std::vector<Accesses> &accesses, Crowd &crowd) const;
  /// Whether elements of neighbouring rows are in the same set of a cache: always on a device, where rows are what
  /// lanes have.
  bool fallTogether(const Place &place, std::size_t argument) const;
  /// Bytes of the lines in which a call's argument lies.
  double footprint(const Place &place, std::size_t argument, const ArgumentAround &around) const;

  const Forest &forest_;
  Machine machine_;
  Places places_;
  Arounds arounds_;
};

} // namespace tangram::model
