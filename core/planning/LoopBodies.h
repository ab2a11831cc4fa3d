// What the body of a loop does to memory and to variables, whichever sizes there are.
#pragma once

#include "CodeletContainers.h"

namespace tangram {

class LoopBodies {
public:
  LoopBodies(const CodeletSource &source, const CodeletContainers &containers)
      : source_(source), containers_(containers) {}

  /// Found when it is first asked for, which says whether lanes do not wait for each other in it (`apart`).
  const CodeletSource::Loop &of(const ast::Block *body, bool apart = false) const;

private:
  /// Whether a loop with this body changes a variable of before it, or a field of one.
  static bool carries(const ast::Block *body);
  /// Whether a loop changes memory that what is loaded in it might be of.
  bool storesElsewhere(const ast::Node *body) const;
  bool storesShared(const ast::Node *body) const;
  bool loadsShared(const ast::Node *body) const;
  /// Of how many turns compilers for devices load at a time (the pass load-batching, with its defaults).
  unsigned turnsInBatch(const ast::Block *body, bool apart) const;
  /// Where containers are changed, by name.
  std::unordered_map<std::string, std::vector<const ast::Expr *>> written(const ast::Node *body) const;
  /// Variables that say which element of a small array it is.
  std::unordered_set<std::string> places(const ast::Node *body) const;

  const CodeletSource &source_;
  const CodeletContainers &containers_;
};

} // namespace tangram
