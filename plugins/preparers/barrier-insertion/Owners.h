// Which worker touches an element: accesses of one worker need no barrier between them.
#pragma once

#include "Pairs.h"

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Storage.h"
#include "tangram/pass/Analyses.h"

namespace tangram::barriers {

/// One access to memory that workers share. Accesses with the same owner, where it is not empty, or with the same pair
/// touch an element only if the same worker does.
struct Touch {
  std::string buffer;
  bool writes = false, atomic = false;
  std::string owner;
  std::map<std::string, std::set<std::string>> pairs; // tags, and what they rest on (Pairs.h)
};
using Touches = std::vector<Touch>;

bool conflict(const Touch &a, const Touch &b);
/// Whether something of `later` must wait for something of `earlier`.
bool conflict(const Touches &earlier, const Touches &later);
/// Whether accesses of one statement are in each other's way when its workers run it at their own pace.
bool conflictWithin(const Touches &touches);
void add(Touches &to, const Touches &more);
/// The pairs of these are others now: of all, or where variables have changed.
Touches withoutPairs(Touches touches);
void forgetPairs(Touches &touches, const std::set<std::string> &changed);

class Owners {
public:
  Owners(Analyses &analyses, const ast::Kernel &kernel, const ast::Launch &launch);

  /// The loop variable or lane that tells the workers of a unit of `level` apart; empty: none does.
  struct Index {
    std::string variable, level;
    std::uint64_t workers = 0;
    const ast::Uniformity *uniformity = nullptr; // of lanes: conditions then say which pairs of elements they have
    std::vector<Pair> pairs{};                   // under the conditions around
  };
  Touches touches(const ast::Node *tree, const Index &index) const;
  /// `index` where `cond` is `holds`, too.
  Index under(const ast::Expr *cond, bool holds, Index index) const;
  /// Whether a loop has at most so many iterations, as the kernel's constants are.
  bool atMost(const ast::Loop &loop, std::uint64_t iterations) const;
  /// The number c * lane + k, neither negative nor beyond 2^30 in any lane.
  struct OfLane {
    ast::Int factor, offset;
  };
  std::optional<OfLane> ofLane(const ast::Expr *e, const Index &index) const;
  /// The value of an expression, as the kernel's constants are.
  std::optional<ast::Int> known(const ast::Expr *e) const;
  /// Constants of the kernel on whose values answers rest: barriers are right only where they keep them.
  std::set<std::string> frozen() const;

private:
  void collect(const ast::Node *node, const Index &index, Touches &out) const;
  std::string owner(const ast::Storage::Access &access, const Index &index) const;
  bool isIndex(const ast::Expr *e, const std::string &variable) const;
  bool isMultiple(const ast::Expr *e, std::uint64_t of) const;
  /// Whether a number is the worker's own, modulo the number of workers.
  bool isOwn(const ast::Expr *e, const Index &index) const;
  /// What a number is apart from being the worker's own, modulo the number of workers: a sum of numbers that all
  /// workers have alike. Nothing where it is not.
  std::optional<std::vector<const ast::Expr *>> ownBeyond(const ast::Expr *e, const Index &index) const;
  bool startsOwn(const ast::VarRef *v, const Index &index) const;

  const ast::Storage &storage_;
  const ast::KnownValues &known_;
  Pairs pairs_;
  mutable std::set<std::string> frozen_;
  std::set<std::string> private_, movingViews_;
  std::set<const ast::Expr *> transferred_;                      // what Transfers write: Awaits order these
  std::map<std::string, std::vector<const ast::Expr *>> starts_; // first values of a variable
  std::map<std::string, std::vector<const ast::Expr *>> steps_;  // what is added to it
  std::set<std::string> jumps_;                                  // variables that change in other ways
};

} // namespace tangram::barriers
