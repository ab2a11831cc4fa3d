// Splits a kernel's body into what the host does and launches.
#pragma once

#include "HostValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"
#include "tangram/hardware/Units.h"
#include "tangram/pass/Pass.h"

#include <set>
#include <utility>

namespace tangram::splitting {

class Splitter {
public:
  Splitter(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel);
  const ast::Kernel *run();

private:
  using Stmts = std::vector<const ast::Stmt *>;
  Stmts block(const ast::Block *body);
  void stmt(const ast::Stmt *s, Stmts &out);
  void distributed(const ast::Loop *loop, Stmts &out);
  void around(const ast::Stmt *s, Stmts &out);
  void loop(const ast::Stmt *s, const ast::Expr *cond, const ast::Expr *step, const ast::Block *body, bool asksFirst,
            Stmts &out);
  const ast::Expr *told(const ast::Expr *e, Stmts &out);
  void flush(Stmts &out);
  const ast::Launch *launch(const ast::Expr *groups, Stmts body, const ast::Counts &units, ast::SourceRange where);

  PassContext &context_;
  ast::Arena &arena_;
  const hardware::LaunchLevels &levels_;
  const ast::Kernel &kernel_;
  const ast::Storage &storage_;
  const ast::KnownValues &known_;
  HostValues host_;
  ast::Names names_;
  std::vector<const ast::Expr *> conditions_; // of the kernel
  std::set<std::string> launched_;            // temporaries of a launch, and views of them
  Stmts pending_;                             // what one group will do, until something else must be in front of it
};

/// Brings to the launches what they share: views and tables are made again in each launch that uses them, scalars that
/// more than one uses move into memory.
const ast::Kernel *sink(ast::Arena &arena, const ast::Kernel *kernel, const std::string &device);

} // namespace tangram::splitting
