// Checks one function: expressions (CheckExpressions.cpp) and statements (CheckFunction.cpp).
#pragma once

#include "CheckFunction.h"
#include "Scope.h"

namespace tangram::hidp {

/// Types of scalars that are assigned without a declaration, by the block that they belong to. They follow from all
/// that is assigned to them, so a function is checked until they stay.
struct Inferred {
  std::map<std::pair<const void *, std::string>, ast::Type> types;
  bool changed = false;
};

class FunctionChecker {
public:
  FunctionChecker(const syntax::Function &f, Function &made, Program &program, const Source &source, Globals &globals,
                  Inferred &inferred)
      : in_(f), made_(made), program_(program), source_(source), globals_(globals), inferred_(inferred),
        scope_(program, source, globals.names) {}

  void run();

private:
  friend class PrimitiveCall;
  using Syntax = syntax::Expr;

  ast::SourceRange at(Piece piece) const { return source_.range(piece); }
  std::string written(Piece piece) const { return source_.text().substr(piece.begin, piece.end - piece.begin); }

  // ---- the header ----
  const Expr *extent(const Syntax &e, bool declares);

  // ---- expressions ----
  const Expr *expr(const Syntax &e);
  const Expr *name(const Syntax &e);
  const Expr *index(const Syntax &e);
  const Expr *member(const Syntax &e);
  const Expr *unary(const Syntax &e);
  const Expr *binary(const Syntax &e);
  const Expr *conditional(const Syntax &e);
  const Expr *call(const Syntax &e);
  const Expr *cast(const Syntax &e);
  const Expr *number(const Syntax &e);
  const Expr *element(const Variable *array, const Syntax &e);
  const Expr *reference(const Variable *v, Piece piece);
  const Expr *indexed(const Variable *array, std::vector<const Expr *> indices, Piece piece);
  const Expr *converted(const Expr *e, const ast::Type &type, Piece piece);
  const Expr *condition(const Syntax &e);
  const Expr *integer(const Syntax &e, std::string_view what);
  /// In 64 signed bits: each integer that it is computed from is converted first.
  const Expr *wide(const Syntax &e, std::string_view what);
  const Expr *widened(const Expr *e);
  const Expr *oneMore(const Expr *e);
  const Expr *whole(const Syntax &e, const std::string &callee);
  const Expr *make(Expr::Kind kind, std::string text, ast::Type type, Piece piece, std::vector<const Expr *> args);

  // ---- statements ----
  Stmts block(const syntax::Block &b);
  Stmts statements(const syntax::Block &b);
  void statement(const syntax::Stmt &s, Stmts &out, bool direct);
  void declare(const syntax::Stmt &s, Stmts &out);
  void assign(const syntax::Stmt &s, Stmts &out, bool direct);
  void elementwise(const syntax::Stmt &s, const Variable *array, Stmts &out);
  void map(const syntax::Stmt &s, Stmts &out);
  void callStatement(const syntax::Stmt &s, Stmts &out);
  /// A call of a function of the file, whose result goes to `target`, of a statement.
  void functionCall(const Syntax &call, const Function &callee, const Expr *target, Stmts &out);
  const Expr *place(const Syntax &e, const ast::Type *assigned, bool direct, Stmts *out, const Expr *value);
  ast::Type inferred(const std::pair<const void *, std::string> &scalar, const ast::Type &assigned, const Syntax &e);
  const Variable *scalarPlace(const Syntax &e);
  void checkWritable(const Variable *v, Piece piece) const;
  const Function *function(const Syntax &call) const;
  Reducer reducer(const std::string &op, Piece piece) const;
  bool primitive(const Syntax &call, const Syntax *target, Stmts &out, bool direct);
  bool isArray(const Syntax &e) const;
  const Stmt *statementAt(Piece piece, Stmt s) {
    s.piece = piece;
    return program_.make(std::move(s));
  }

  const syntax::Function &in_;
  Function &made_;
  Program &program_;
  const Source &source_;
  Globals &globals_;
  Inferred &inferred_;
  Scope scope_;
  /// While an assignment to all of an array is checked: iterators that index the arrays of its value.
  struct Elementwise {
    const Variable *shape = nullptr;
    std::vector<const Variable *> iterators;
  };
  std::optional<Elementwise> elementwise_;
  Stmts inFront_; // declarations that belong in front of the outermost map block
};

std::string dimensions(std::size_t n);

} // namespace tangram::hidp
