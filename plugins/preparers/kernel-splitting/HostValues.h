// Which scalars of a kernel the host knows, and which statements it can do.
#pragma once

#include "tangram/ast/Storage.h"

namespace tangram::splitting {

class HostValues {
public:
  /// `device`: the level whose distributed maps become launches.
  HostValues(const ast::Kernel &kernel, const ast::Storage &storage, std::string device);

  /// Its value rests on what containers hold, or is made where they are touched.
  bool onDevice(const ast::Node *tree) const;
  bool onDevice(const std::string &variable) const { return device_.count(variable) != 0; }
  /// A distributed map of the device stands in it.
  bool launches(const ast::Node *tree) const;
  /// The host does the control flow of the statement, around launches and out of loops around them, though what is
  /// asked there may lie on the device.
  bool controls(const ast::Stmt *s) const;
  /// The host does the statement, or its control flow.
  bool byHost(const ast::Stmt *s) const { return controls(s) || !onDevice(s); }

private:
  void block(const ast::Block *body, bool device);
  void stmt(const ast::Stmt *s, bool device);
  void expr(const ast::Expr *e, bool device);
  void mark(const std::string &variable) { changed_ |= device_.insert(variable).second; }

  const ast::Storage &storage_;
  std::string level_;
  std::set<std::string> device_;
  bool changed_ = false;
};

} // namespace tangram::splitting
