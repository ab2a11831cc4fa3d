// What times are made of that belongs to a point of the forest and what is expected there, whatever stands around it:
// found once.
#pragma once

#include "Machine.h"
#include "tangram/planning/Expectations.h"
#include "tangram/planning/OrdinarySizes.h"

#include <boost/container/flat_map.hpp>
#include <memory>
#include <optional>
#include <unordered_map>

namespace tangram::model {

/// Of an alternative.
struct Choice {
  // Of the level to which it goes:
  double units = 1;
  bool lockStep = false;   // they are lanes that go in lock step
  bool iterations = false; // they are iterations of one worker
  // Of the codelet that it selects:
  const CodeletWork *work = nullptr;
  const std::vector<const ast::Expr *> *sites = nullptr;
  double scratchpad = 0; // bytes of its own containers there, of each unit (the pass data-placement); 0: not there
  bool ordered = false;  // calls wait for one another, in order
  bool applies = true;   // its conditions hold at the expected sizes
};

struct Place {
  const Point *point = nullptr;
  const Expected *expected = nullptr;
  const ast::Spectrum *spectrum = nullptr;
  const hardware::Level *level = nullptr;
  std::uint64_t lanes = 1;   // of a cooperative codelet
  bool lockStep = false;     // of the units of its level
  bool lanesBelow = false;   // levels below it start lanes
  bool belowGroups = false;  // or one: its units are on certain cores
  std::vector<double> bytes; // of each argument; HUGE_VAL: not known

  /// Of the argument of that number; HUGE_VAL where nothing is known.
  double argumentBytes(std::size_t i) const { return i < bytes.size() ? bytes[i] : HUGE_VAL; }
  /// Elements in so many innermost dimensions of an argument, where these are known.
  std::optional<double> innermost(std::size_t argument, unsigned dimensions) const;

private:
  friend class Places;
  mutable std::vector<std::optional<Choice>> choices; // of its alternatives, as far as they were asked for
  mutable std::vector<double> touched;                // of each argument, where it was asked for
};

/// Bytes of an element of a container, or of a scalar.
double elementBytes(ast::Type type);

class Places {
public:
  Places(const Forest &forest, const Machine &machine)
      : forest_(forest), machine_(machine), expectations_(forest, ordinarySizes(forest)), known_(forest.size()),
        works_(forest.module(), forest.facts()) {}

  const Expectations &expectations() const { return expectations_; }
  const Place &at(const Point &point, Expectations::Id expected) const;
  const Choice &choice(const Place &place, const Alternative &alternative) const;
  /// How often a map's function is called; where that is not known, as often as keeps all workers busy once.
  double calls(const Place &place, const Alternative &alternative) const;
  /// Bytes that a call touches of an argument, as the spectrum's plainest codelet does.
  double touched(const Place &place, std::size_t argument) const;
  /// Of the level to which they go, how many units work at a time.
  double units(const Place &place, const Alternative &alternative) const;

private:
  std::uint64_t workers(const Point &point, const Alternative &alternative, const std::string &level) const;
  std::uint64_t lanes(const Point &point, const hardware::Level &level) const;
  const ast::Spectrum &spectrum(const Point &point) const;
  Choice look(const Place &place, const Alternative &alternative) const;
  bool applies(const Place &place, const Alternative &alternative) const;
  double scratchpad(const Place &place, const Alternative &alternative) const;
  const CodeletWork &work(const Place &place, const Alternative &alternative) const;
  const CodeletWork &work(const Place &place, const ast::Codelet &codelet, const Scalars &parameters) const;
  /// What is expected of a codelet's parameters and tunables.
  struct Arguments {
    std::vector<Extents> extents;
    Scalars known;
  };
  Arguments arguments(const Place &place, const ast::Codelet &codelet, const Scalars &parameters) const;

  const Forest &forest_;
  const Machine &machine_;
  mutable ast::Arena arena_;
  const Expectations expectations_;
  mutable std::vector<boost::container::flat_map<Expectations::Id, std::unique_ptr<Place>>> known_; // of each point
  mutable CodeletWorks works_;
  mutable std::unordered_map<const ast::Codelet *, std::vector<const ast::Expr *>> requirements_, sites_;
};

} // namespace tangram::model
