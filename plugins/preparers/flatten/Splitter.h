// Takes structs apart (docs/lowering.md, "Structs"): what follows sees their fields alone.
//
// A variable becomes one variable for each arithmetic field, a temporary container or local array one container or
// array, a view one view. A container of structs that the kernel is given stays as it is, and each field of its
// elements is a view on it; so is what it gives back.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Structs.h"

#include <map>
#include <string>
#include <vector>

namespace tangram::flatten {

/// Of a flat kernel, in which whole structs are only declared, or assigned as a statement.
class Splitter final : public ast::Mutator {
public:
  Splitter(ast::Arena &arena, const ast::Structs &structs) : Mutator(arena), structs_(structs) {}
  const ast::Kernel *run(const ast::Kernel *kernel);

private:
  /// What stands for a variable, in the order of the fields.
  struct Fields {
    std::vector<std::string> names;
    std::vector<std::uint64_t> steps; // of a container: elements of storage from one struct to the next
    bool given = false;               // a container that the kernel is given: its size is the container's own
    bool result = false;              // a scalar that the kernel gives back: its fields are windows of one element
  };
  using Leaves = std::vector<ast::Structs::Leaf>;

  ast::Build b(const ast::Node *at) { return ast::Build(arena(), at->range); }
  const Leaves &leaves(const ast::Type &type) const { return structs_.leaves(type); }
  Fields &enter(const std::string &name, const ast::Type &type);
  const Fields &fieldsOf(const ast::Expr *variable) const;
  const Fields &fieldsOf(const std::string &name, const ast::Node *at) const;
  void parameter(const ast::Param *param, std::vector<const ast::Stmt *> &prologue);
  /// Where the fields of `field` begin among those of the struct.
  std::size_t first(const ast::Type &type, const std::string &field) const;

  /// Field number k of a value; of a scalar, itself.
  const ast::Expr *leaf(const ast::Expr *e, std::size_t k);
  const ast::Expr *elements(const ast::Expr *init, std::size_t rank, const ast::Type &type, std::size_t k);
  /// The same place, at indices that storing a field does not change; in front of the statement they are computed.
  const ast::Expr *steady(const ast::Expr *e);
  bool disturbed(const ast::Expr *value, const ast::Expr *target) const;

  const ast::Node *mutateMember(const ast::Member *e) override;
  const ast::Node *mutateSize(const ast::Size *e) override;
  const ast::Node *mutatePitch(const ast::Pitch *e) override;
  const ast::Node *mutateDeclare(const ast::Declare *stmt) override;
  const ast::Node *mutateAlloc(const ast::Alloc *stmt) override;
  const ast::Node *mutateView(const ast::View *stmt) override;
  const ast::Node *mutateEvaluate(const ast::Evaluate *stmt) override;

  /// Puts all but the last in front of what is mutated, and gives the last.
  const ast::Stmt *sequence(const std::vector<const ast::Stmt *> &stmts);

  const ast::Structs &structs_;
  ast::Names names_;
  std::map<std::string, Fields> split_;
};

} // namespace tangram::flatten
