// Iterations that touch a pair of elements, a[i] and a[i ^ m], as steps of sorting networks and butterflies do.
#pragma once

#include "tangram/nest/KeptValues.h"
#include "tangram/nest/Nest.h"

#include <map>
#include <optional>
#include <set>

namespace tangram::nest {

/// Of the iterations of a loop over `i`.
class Exchanges {
public:
  Exchanges(const Nest &nest, unsigned loop);

  /// Whether by some dimension each of both accesses is to element `i` or `i ^ m`, where `m` does not change in the
  /// loop, in an iteration that alone has this pair: behind `(i ^ m) > i` or the other way round, or behind `(i & m) ==
  /// 0`, where `i | m` and `i + m` are the same. Different iterations have different elements then, since `i -> i ^ m`
  /// is its own inverse.
  bool apart(const Access &first, const Access &second) const;

private:
  /// By what two partners differ, where a condition lets only one of them pass.
  struct Partner {
    const ast::Expr *mask = nullptr;
    enum class Passes : std::uint8_t { Lower, Upper, Clear } passes = Passes::Lower; // clear: i & mask is 0
  };
  const std::optional<Partner> &partnerOf(const Access &access) const;
  std::optional<Partner> found(const Access &access) const;
  std::optional<Partner> admitted(const ast::Expr *cond, bool then) const;
  bool same(const Partner &a, const Partner &b) const;
  bool isIterator(const ast::Expr *e) const;
  bool isPartner(const ast::Expr *e, const Partner &partner) const;
  const ast::Expr *maskOf(const ast::Expr *e, ast::BinaryOp op) const;
  bool standsStill(const ast::Expr *e) const;
  /// Dimensions of the access whose index is the iterator, or its partner.
  std::set<std::size_t> dimensions(const Access &access, const Partner &partner) const;

  const Nest &nest_;
  const Loop &loop_;
  KeptValues kept_;
  std::set<std::string> changing_; // in the loop
  bool masks_ = false;             // that there is anything to be found
  mutable std::map<const Access *, std::optional<Partner>> partners_;
};

} // namespace tangram::nest
