// What a flat kernel keeps in memory, and who touches it: buffers behind views, and the accesses of a tree.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tangram::ast {

class Storage {
public:
  enum class Kind : std::uint8_t {
    None,  // a scalar variable
    Param, // a container that the kernel was given, or a scalar that it gives back
    Alloc, // a temporary container
    Array, // a local array: each worker's own
    Shared // a __shared array: one for all lanes
  };
  struct Access {
    std::string buffer;
    bool writes = false;
    bool atomic = false;
    const Expr *place = nullptr;
    std::vector<const Expr *> indices; // none of a scalar
    bool direct = true;                // the place is named as the buffer, not through a view
  };

  static constexpr std::string_view kAnalysis = "storage"; // pass/Analyses.h
  explicit Storage(const Kernel &kernel);

  Kind kind(const std::string &buffer) const;
  /// The buffer behind a name, through views; empty for a scalar variable.
  std::string bufferOf(const std::string &name) const;
  /// A container that is only read, or a table.
  bool readOnly(const std::string &buffer) const { return readOnly_.count(buffer) != 0; }
  /// In the order in which they stand; an update is a read and a write.
  std::vector<Access> accesses(const Node *tree) const;
  /// Whether the tree touches memory that is not a worker's own.
  bool touches(const Node *tree) const;
  bool writes(const Node *tree) const;

private:
  void place(const Expr *e, bool reads, bool writes, bool atomic, std::vector<Access> &out) const;
  void expr(const Expr *e, std::vector<Access> &out) const;
  void node(const Node *n, std::vector<Access> &out) const;

  std::map<std::string, Kind> kinds_;
  std::map<std::string, std::string> views_;
  std::set<std::string> readOnly_;
};

/// All variables that a tree mentions, containers included.
std::set<std::string> mentioned(const Node *tree);
/// All variables that a tree declares: Declare, Alloc, View, Loop, Cooperate.
std::set<std::string> declaredIn(const Node *tree);

} // namespace tangram::ast
