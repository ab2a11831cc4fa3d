// What has to hold for numbers and addresses to be multiples of a power of two, whatever lanes and loops count.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/KnownValues.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tangram::load_store_vectorization {

/// Variables of loops that count by a number from a number: both are multiples of it.
using Counters = std::map<std::string, ast::Int>;

class Multiples {
public:
  /// `uniform`: variables that all workers of a launch have the same value of, in all of it.
  Multiples(ast::Arena &arena, const ast::KnownValues &known, const Counters &counters,
            const std::set<std::string> &uniform)
      : arena_(arena), known_(known), counters_(counters), uniform_(uniform) {}

  /// Asks that the number or the address be a multiple. False where no condition on what is uniform says so.
  bool demand(const ast::Expr *e, ast::Int multiple);
  /// What was asked for; null: it always holds.
  const ast::Expr *condition() const;

private:
  bool demand(const ast::Expr *e, ast::Int multiple, unsigned depth);
  bool always(const ast::Expr *e, ast::Int multiple, unsigned depth) const;

  ast::Arena &arena_;
  const ast::KnownValues &known_;
  const Counters &counters_;
  const std::set<std::string> &uniform_;
  std::vector<const ast::Expr *> zeros_; // what has to be 0
};

} // namespace tangram::load_store_vectorization
