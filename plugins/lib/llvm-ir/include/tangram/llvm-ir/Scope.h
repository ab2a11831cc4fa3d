// The variables of the function that is being made, and the places of values in memory.
#pragma once

#include "tangram/llvm-ir/Arithmetic.h"
#include "tangram/llvm-ir/Unit.h"

#include <set>

namespace tangram::llvm_ir {

/// Something that can be read and written.
struct Place {
  llvm::Value *address = nullptr;
  ast::Type type;
};

struct Variable {
  enum class Kind : std::uint8_t {
    Place, // `value` is its address
    Value, // `value` is what it always is: pointers that are never reassigned, constants
    Array  // `value` is the address of the first element, of type `type`
  };
  Kind kind = Kind::Place;
  llvm::Value *value = nullptr;
  ast::Type type;
};

class Scope {
public:
  /// `body`: of the function. What is built goes to the end of its entry block.
  Scope(Unit &unit, llvm::Function &function, const ast::Node &body);

  Unit &unit;
  llvm::Function &function;
  llvm::IRBuilder<> build;
  Arithmetic arithmetic;

  llvm::LLVMContext &context() const { return function.getContext(); }
  void define(const std::string &name, Variable variable) { variables_[name] = std::move(variable); }
  const Variable &variable(const std::string &name, const ast::SourceRange &range) const;
  /// Null where there is none of that name.
  const Variable *find(const std::string &name) const;
  bool isAssigned(const std::string &name) const { return assigned_.count(name) != 0; }

  /// Memory of the worker's own, for all of the function.
  llvm::Value *stack(const ast::Type &element, std::uint64_t count, const std::string &name);
  /// A variable with a value of its type; one that is never reassigned and is a pointer needs no memory.
  void declare(const std::string &name, const ast::Type &type, llvm::Value *value);

  /// Set while iterations of a loop are made that are independent of each other: what they load and store.
  llvm::MDNode *accesses = nullptr;
  /// An access of the iterations, where there are such.
  void mark(llvm::Instruction *access) const;

  llvm::Value *load(const Place &place);
  void store(const Place &place, llvm::Value *value);

  llvm::BasicBlock *block(const char *name) { return llvm::BasicBlock::Create(context(), name, &function); }
  /// Goes on in `next`, where the last instruction does not lead elsewhere.
  void enter(llvm::BasicBlock *next);
  /// Whether the last instruction leads elsewhere.
  bool isClosed() const { return build.GetInsertBlock()->getTerminator() != nullptr; }

private:
  std::map<std::string, Variable> variables_;
  std::set<std::string> assigned_;
};

} // namespace tangram::llvm_ir
