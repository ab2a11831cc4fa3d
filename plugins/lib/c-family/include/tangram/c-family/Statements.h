// Statements as text. What languages of the family do differently is virtual; the class itself speaks C++.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/c-family/Expressions.h"
#include "tangram/c-family/Signature.h"
#include "tangram/c-family/Writer.h"

#include <optional>

namespace tangram::c_family {

class Statements {
public:
  /// `line`: #line directives lead back to the codelets; else comments say where statements come from.
  Statements(Writer &writer, Expressions &expressions, const ast::Module &module, bool line)
      : w_(writer), e_(expressions), module_(module), line_(line) {}
  virtual ~Statements() = default;

  /// A function; `specifiers`: what stands in front, "inline".
  void define(const ast::Function &function, const std::string &specifiers);
  /// The statements of a function.
  void function(const ast::Function &function);
  /// The statements of `body`, of which nothing may be unused (see simplified()).
  void body(const ast::Block &body, const ast::KnownValues &known);

protected:
  void block(const ast::Block &block);
  void stmt(const ast::Stmt *stmt);
  virtual void effect(const ast::Expr *e);
  /// "const int x = 3".
  std::string declaration(const ast::Declare &d);
  /// for (int i = 0; i < n; ++i)
  std::string header(const ast::Loop &loop);
  void plainLoop(const ast::Loop &loop);
  /// The extents of a container as one expression, "n * (m + 1)"; "1" of none.
  std::string elements(const std::vector<const ast::Expr *> &extents);

  /// Leaves the function with an error where the record has one. `call`: what returns a status, of `tangram_sites`.
  void report(const ast::Report &report, const std::string &call);
  /// The same of a kernel on a device: `function` of its runtime waits for the stream and reads the record, which lies
  /// in the workspace; what was done on the host is in a record of the host's.
  void reportFromDevice(const ast::Report &r, const std::string &function, const std::string &entry,
                        const std::string &stream);

  /// `v = ((T *)(workspace + offset))[0]` in the host's part of a kernel: `function`(last_error, entry, &v, workspace,
  /// offset, stream) waits for what runs on the stream. False for any other expression.
  bool fetchFromDevice(const ast::Expr *e, const std::string &function, const std::string &entry,
                       const std::string &stream);

  /// Loop, Alloc, and all that only some languages have.
  virtual void other(const ast::Stmt *s);
  /// Called in front of every statement.
  virtual void begins(const ast::Stmt &) {}
  /// Comments say which codelet statements come from, and this behind it, " at thread"; nothing for no comments.
  virtual std::optional<std::string> place() const { return {}; }
  /// What stands in front of a variable that is not used, and of one that is a constant expression.
  virtual std::string unused() const { return "[[maybe_unused]] "; }
  virtual std::string constant() const { return "constexpr "; }
  virtual std::string fallsThrough() const { return "[[fallthrough]];"; }
  /// The type of a variable, or of the elements of an array: "float", "const float *".
  virtual std::string variableType(const ast::Declare &d) { return e_.type(d.type); }
  virtual std::string extent(const ast::Expr *e) { return e_.print(e, ast::Scalar::U64); }

  Writer &w_;
  Expressions &e_;
  const ast::Module &module_;
  const bool line_;
  const ast::KnownValues *known_ = nullptr; // of what is being written
  bool inKernel_ = false;

private:
  void origin(const ast::Stmt *stmt);
  virtual void declare(const ast::Declare &d);
  void conditional(const ast::If &node);
  void forLoop(const ast::For &loop);
  void choose(const ast::Switch &node);

  std::map<std::string, unsigned> mentions_, writes_;
  std::string told_; // the last comment on where statements come from
};

/// "struct point {...};"
void defineStructure(Writer &w, const ast::Struct &structure, Expressions &expressions);
/// The structs that code itself has variables of; the header declares those of arguments.
std::vector<const ast::Struct *> structuresWithin(const ast::Module &module, const std::vector<Signature> &signatures);
/// Without declarations that nothing reads. `arena` takes what changes.
const ast::Block *simplified(const ast::Block *body, ast::Arena &arena);
/// How often each variable stands in a tree.
std::map<std::string, unsigned> mentions(const ast::Node *tree);
/// Bytes of an element of a temporary, at least 1.
std::uint64_t elementBytes(const ast::Type &type);

} // namespace tangram::c_family
