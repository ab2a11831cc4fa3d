// Turns the containers of one kernel or function into pointers, sizes and strides.
#pragma once

#include "KnownExtents.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/diag/Diagnostic.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tangram {

class Linearizer final : public ast::Mutator {
public:
  Linearizer(ast::Arena &arena, const ast::Module &module);

  const ast::Kernel *kernel(const ast::Kernel *kernel);
  const ast::Function *function(const ast::Function *function);

private:
  using Exprs = std::vector<const ast::Expr *>;
  /// Where the elements of a container or local array of several dimensions are. Strides of u64, one an index.
  struct Layout {
    std::string name;
    ast::Type type; // of a reference to its storage
    Exprs sizes, strides;
  };

  /// Puts what stands for a container parameter behind `params`.
  void containerParam(const ast::Param *param, bool lastStride, std::vector<const ast::Param *> &params);
  void scalarParam(const ast::Param *param, std::vector<const ast::Param *> &params);
  void startBody(const std::vector<const ast::Param *> &params, const ast::Block *body);
  const ast::Param *u64Param(const ast::Param *like, const std::string &wanted);
  ast::Build build(const ast::Node *at) { return ast::Build(arena(), at->range); }

  const Layout *layout(const ast::Expr *e) const;
  const Layout &container(const ast::Expr *e) const;
  const ast::Expr *storage(const Layout &layout, const ast::Node *at) {
    return build(at).var(layout.name, layout.type);
  }
  /// Usable again later: a literal, or a variable that keeps its value; else a new constant in front of the statement.
  const ast::Expr *fixed(const ast::Expr *e, const std::string &wanted);
  const ast::Expr *linear(const Layout &layout, const Exprs &indices, const ast::Node *at);
  const ast::Expr *pick(const Exprs &values, const ast::Expr *dim, const ast::Node *at);

  /// Twice where strides of its containers should be numbers: for where they are, and for where not.
  const ast::Node *mutateLaunch(const ast::Launch *launch) override;
  const ast::Node *mutateVarRef(const ast::VarRef *e) override;
  const ast::Node *mutateSubscript(const ast::Subscript *e) override;
  const ast::Node *mutateSize(const ast::Size *e) override;
  const ast::Node *mutatePitch(const ast::Pitch *e) override;
  const ast::Node *mutateCall(const ast::Call *e) override;
  const ast::Node *mutateView(const ast::View *stmt) override;
  const ast::Node *mutateAlloc(const ast::Alloc *stmt) override;
  const ast::Node *mutateDeclare(const ast::Declare *stmt) override;

  std::map<std::string, const ast::Function *> functions_;
  ast::Names names_;
  KnownExtents known_;
  std::vector<const ast::Param *> containers_; // of the kernel
  std::map<std::string, Layout> layouts_;
  std::map<std::string, ast::Type> pointers_; // scalar parameters that are written
  std::set<std::string> assigned_;
};

} // namespace tangram
