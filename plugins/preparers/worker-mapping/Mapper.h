// Writes the structured code of a launch as what one worker does, told apart by its index.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

namespace tangram::mapping {

class Mapper final : public ast::Mutator {
public:
  Mapper(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel);
  const ast::Kernel *run(const ast::Kernel *kernel) { return freeze(arena(), mutateAs(kernel), frozen_); }

private:
  const ast::Node *mutateLaunch(const ast::Launch *launch) override;
  const ast::Node *mutateLoop(const ast::Loop *loop) override;
  const ast::Node *mutateSingle(const ast::Single *s) override;
  const ast::Node *mutateCooperate(const ast::Cooperate *node) override;
  const ast::Node *mutateAlloc(const ast::Alloc *a) override;

  /// Of a loop over units that have a part of a range each, whose lanes share its iterations: all of them as one loop
  /// that the group's lanes share. Null for others.
  const ast::Loop *interleaved(const ast::Loop *loop);
  /// A loop that units of the level `unit` share, rewritten to `result`.
  const ast::Node *shared(const ast::Loop *result, const ast::Loop *loop, const std::string &unit);
  /// Of the units of `level` in one of `within`.
  const ast::Expr *index(const std::string &level, const std::string &within, const ast::Node *at);
  const ast::Expr *count(const std::string &level, const std::string &within, const ast::Node *at);
  bool isWorker(const std::string &level) const;
  const std::string &lowest(const std::string &level) const;

  // Storage.cpp
  const ast::Stmt *perSubgroup(const ast::Alloc *a);
  const ast::Stmt *perUnit(const ast::Alloc *a);
  const ast::Stmt *slice(const ast::Alloc *a, const std::string &all, const ast::Expr *unit,
                         const std::vector<const ast::Expr *> &extents, const ast::Expr *elements);

  PassContext &context_;
  hardware::LaunchLevels levels_; // of the launch at hand
  const ast::KnownValues &known_;
  ast::Names names_;
  std::set<std::string> frozen_; // constants whose values the code relies on
  const ast::Launch *launch_ = nullptr;
  std::vector<const ast::Stmt *> top_, host_; // at the start of the launch; in front of it
};

} // namespace tangram::mapping
