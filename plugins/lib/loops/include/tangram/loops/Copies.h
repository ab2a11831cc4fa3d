// Of several copies of a loop's body, one an iteration: what is the same in all of them, and what differs.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>

namespace tangram::loops {

class Copies {
public:
  /// `shared`: arrays on a device that lie outside of the loop for all its iterations, whichever they were made for.
  Copies(const ast::Loop &loop, const std::set<std::string> &shared);

  /// Its value may differ from copy to copy.
  bool differs(const ast::Expr *e) const;
  bool differs(const std::string &variable) const { return differing_.count(variable) != 0; }
  /// All copies run the same iterations of this inner loop, or take the same branch.
  bool together(const ast::Stmt *s) const { return !apart_.count(s); }
  /// Values of one copy that live from iteration to iteration of an inner loop.
  std::size_t carried(const ast::Stmt *inner) const;
  /// Registers of 32 bits for values of one copy that an inner loop needs, or leaves behind.
  std::size_t live(const ast::Stmt *inner) const;
  /// Something that cannot be copied, or that copies would do to each other.
  bool possible() const { return possible_; }

private:
  bool takesTurns(const ast::Block *body, const std::set<std::string> &shared) const;
  void block(const ast::Block *body, bool apart);
  void stmt(const ast::Stmt *s, bool apart);
  void inner(const ast::Stmt *loop, const ast::Expr *cond, const ast::Expr *step, const ast::Block *body, bool apart);
  void effects(const ast::Expr *e, bool apart);
  void mark(const std::string &variable) { changed_ |= differing_.insert(variable).second; }

  std::set<std::string> differing_, local_, written_;
  std::set<const ast::Stmt *> apart_;
  bool changed_ = false, possible_ = true;
};

} // namespace tangram::loops
