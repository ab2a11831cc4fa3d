// Analyses of trees between passes: each is made when it is first asked for, and kept.
//
// Nodes never change, so that no pass says what it invalidates: what it makes anew is another node, of which nothing is
// known yet, and what it leaves as it was keeps what was found out about it.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace tangram {

class Analyses {
public:
  /// What A finds out about a node: `A(node)`, or `A(node, *this)` of an analysis that rests on others. It is the same
  /// object for all plugins, by the name `A::kAnalysis`, and lives as long as this.
  template <class A, class N> const A &of(const N *node) {
    std::shared_ptr<const void> &known = known_[{A::kAnalysis, node}];
    if (!known) {
      std::shared_ptr<const void> made;
      if constexpr (std::is_constructible_v<A, const N &, Analyses &>)
        made = std::make_shared<const A>(*node, *this);
      else
        made = std::make_shared<const A>(*node);
      known = std::move(made);
    }
    return *static_cast<const A *>(known.get());
  }
  template <class A, class N> const A &of(const N &node) { return of<A>(&node); }

  /// How many were made.
  std::size_t size() const { return known_.size(); }

private:
  std::map<std::pair<std::string_view, const ast::Node *>, std::shared_ptr<const void>> known_;
};

} // namespace tangram
