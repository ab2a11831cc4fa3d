// What times are made of that belongs to a point of the forest, whatever stands around it: found once a point.
#pragma once

#include "Machine.h"
#include "tangram/compose/Forest.h"

#include <map>
#include <memory>
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
  bool ordered = false; // calls wait for one another, in order
  bool applies = true;  // its conditions hold at the expected sizes
};

struct Place {
  const ast::Spectrum *spectrum = nullptr;
  const hardware::Level *level = nullptr;
  std::uint64_t lanes = 1;   // of a cooperative codelet
  bool lockStep = false;     // of the units of its level
  bool lanesBelow = false;   // levels below it start lanes
  bool belowGroups = false;  // or one: its units are on certain cores
  std::vector<double> bytes; // of each argument; HUGE_VAL: not known
  std::vector<Choice> choices;

  /// Of the argument of that number; HUGE_VAL where nothing is known.
  double argumentBytes(std::size_t i) const { return i < bytes.size() ? bytes[i] : HUGE_VAL; }
};

/// Bytes of an element of a container, or of a scalar.
double elementBytes(ast::Type type);

class Places {
public:
  Places(const Forest &forest, const Machine &machine)
      : forest_(forest), machine_(machine), known_(forest.size()), works_(forest.module(), forest.facts()) {}

  const Place &operator[](const Point &point) const;
  const Choice &choice(const Point &point, const Alternative &alternative) const {
    return (*this)[point].choices[static_cast<std::size_t>(&alternative - point.alternatives.data())];
  }
  /// How often a map's function is called; where that is not known, as often as keeps all workers busy once.
  double calls(const Point &point, const Alternative &alternative) const;
  /// Of the level to which they go, how many units work at a time.
  double units(const Point &point, const Alternative &alternative) const;

private:
  std::uint64_t workers(const Point &point, const Alternative &alternative, const std::string &level) const;
  std::uint64_t lanes(const Point &point, const hardware::Level &level) const;
  const ast::Spectrum &spectrum(const Point &point) const;
  Choice look(const Place &place, const Point &point, const Alternative &alternative) const;
  bool applies(const Place &place, const Point &point, const Alternative &alternative) const;
  const CodeletWork &work(const Place &place, const Point &point, const Alternative &alternative) const;

  const Forest &forest_;
  const Machine &machine_;
  mutable ast::Arena arena_;
  mutable std::vector<std::unique_ptr<Place>> known_;
  mutable CodeletWorks works_;
  mutable std::unordered_map<const ast::Codelet *, std::vector<const ast::Expr *>> requirements_, sites_;
};

} // namespace tangram::model
