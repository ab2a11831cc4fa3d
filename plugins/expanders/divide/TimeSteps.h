// Loops over steps of time: iterations that update a grid, each element from what is near it.
#pragma once

#include "tangram/nest/Range.h"

#include <map>

namespace tangram::divide {

/// Parallel loops that stand directly in each other and write the elements of a grid.
struct GridUpdate {
  const ast::For *outermost = nullptr;
  const ast::Block *body = nullptr;          // of the innermost one
  std::vector<std::string> iterators;        // by dimension of the grid; empty: the index is the same in all iterations
  std::vector<ast::Type> types;              // of these
  std::vector<const ast::Expr *> begin, end; // of the elements' indices; they stay the same from step to step
  std::vector<std::int64_t> reach;           // how far away from the one that is written elements are touched, at most
  /// Of a subscript, how far its element lies from the one that is written, where that is the same everywhere ...
  using Shift = std::vector<std::optional<std::int64_t>>;
  std::map<const ast::Subscript *, Shift> shifts;
  /// ... and where it is so as long as there are `reach` iterations in front of, and behind, one.
  std::map<const ast::Subscript *, Shift> shiftsInside;
};

/// A container of which elements are written in steps.
struct GridState {
  const ast::VarRef *container = nullptr;
  /// In all steps the first to touch those elements that are written at all, and it only writes them: what is there
  /// in front of a step does not matter.
  std::optional<std::size_t> overwrittenBy;
};

struct TimeSteps {
  nest::LoopRange range;
  std::vector<const ast::Stmt *> declarations; // of a step, in front of the updates
  std::vector<GridUpdate> updates;             // one after the other
  std::vector<GridState> states;               // all of as many dimensions
  std::size_t rank = 0;
  std::vector<std::int64_t> reach; // of a step, by dimension
};

/// Of an outermost loop; nothing, with a reason, where it is none of steps that read beside what they write.
std::optional<TimeSteps> timeSteps(const nest::Nest &nest, unsigned loop, ast::Arena &arena, std::string &why);

} // namespace tangram::divide
