// Translates one body: of a codelet, of a helper function; and the conditions of a declaration.
#pragma once

#include "Program.h"

#include "tangram/ast/Build.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <set>

namespace tangram::frontend {

/// Without what changes neither which object nor which call is meant: parentheses, conversions, copies of containers.
const clang::Expr *stripped(const clang::Expr *e);

/// Arrays of a cooperative codelet, of all lanes or of one, are as large as is known when code is made. Throws.
void checkExtents(const ast::Block *body);

class Body {
public:
  enum class Role { Spectrum, Codelet, Function };
  /// `title`: what to call it in a message, "codelet 'kog' of 'sum'". `passing`: of a Function.
  Body(Program &program, const clang::FunctionDecl *function, Role role, const FunctionQualifiers &qualifiers,
       std::string title, const Passing *passing = nullptr);

  /// Parameters first: what follows refers to them. All throw DiagnosticError.
  std::vector<const ast::Param *> params();
  std::vector<const ast::Expr *> conditions();
  const ast::Block *block();
  ast::Type result();

private:
  using Stmts = std::vector<const ast::Stmt *>;
  using Exprs = std::vector<const ast::Expr *>;

  // ---- Statements.cpp ----
  void statement(const clang::Stmt *stmt, Stmts &out);
  void statementOf(const clang::Stmt *stmt, Stmts &out);
  bool swap(const clang::Expr *e, Stmts &out);
  const ast::Block *nested(const clang::Stmt *stmt);
  void ifStatement(const clang::IfStmt *stmt, Stmts &out);
  void forStatement(const clang::ForStmt *stmt, Stmts &out);
  void whileStatement(const clang::WhileStmt *stmt, Stmts &out);
  void switchStatement(const clang::SwitchStmt *stmt, Stmts &out);
  const ast::Stmt *leaveUnless(const clang::Expr *cond);

  // ---- Declarations.cpp ----
  struct Variable {
    std::string name;
    ast::Type type; // of one element where it is a local array
    bool open = true, isArray = false, shared = false, tunable = false;
  };
  void declaration(const clang::Decl *declared, Stmts &out);
  const ast::Stmt *variable(const clang::VarDecl *declared);
  const ast::Stmt *container(const clang::VarDecl *declared, const ast::Type &type);
  const ast::Tunable *tunable(const clang::VarDecl *declared, const ast::Type &type);
  std::int64_t tunableNumber(const clang::Expr *e, const ast::Type &type);
  Exprs extents(clang::QualType &type, const clang::VarDecl *declared);
  Variable &enter(const clang::VarDecl *declared, const std::string &name, const ast::Type &type);
  const Variable &lookup(const clang::VarDecl *declared, ast::SourceRange use);
  const ast::Expr *table(const clang::VarDecl *global, ast::SourceRange use);
  /// Variables entered since then go out of scope when it dies.
  class Scope {
  public:
    explicit Scope(Body &body) : body_(body), mark_(body.open_.size()) { ++body_.depth_; }
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    Body &body_;
    std::size_t mark_;
  };

  // ---- Expressions.cpp ----
  const ast::Expr *expr(const clang::Expr *e);
  const ast::Expr *exprOf(const clang::Expr *e);
  const ast::Expr *cast(const clang::CastExpr *e);
  const ast::Expr *convert(const ast::Type &type, const ast::Expr *operand, ast::SourceRange range);
  const ast::Expr *reference(const clang::DeclRefExpr *e);
  const ast::Expr *localSubscript(const clang::ArraySubscriptExpr *e);
  const ast::Expr *index(const clang::Expr *e);
  const ast::Expr *initialiser(const clang::Expr *e, clang::QualType type);
  const ast::Expr *constant(const clang::APValue &value, clang::QualType type, ast::SourceRange range);
  /// The value of an expression that is constant by itself; null where it is none.
  const ast::Expr *folded(const clang::Expr *e);

  // ---- Structs.cpp ----
  const ast::Expr *fields(const clang::InitListExpr *list, const ast::Type &type);
  const ast::Expr *member(const clang::MemberExpr *e);
  const ast::Expr *structAssign(const clang::CallExpr *e);

  /// What a constructor that nobody wrote makes: initialisers of fields, zero where there is none.
  const ast::Expr *defaults(const clang::CXXConstructExpr *e, const ast::Type &type);

  // ---- References.cpp ----
  std::vector<const ast::Param *> passedParams();
  const ast::Expr *givenBack(ast::SourceRange where, const ast::Expr *value);
  void giveBack(const clang::ReturnStmt *stmt, Stmts &out);
  const ast::Expr *object(ast::SourceRange where); // of a member function
  const ast::Expr *functionCall(const clang::CallExpr *e, const clang::FunctionDecl *callee);
  const ast::Expr *inlinedCall(const clang::CallExpr *e, const clang::FunctionDecl *callee, const std::string &name);
  const ast::Expr *arrayArgument(const clang::Expr *e);
  const ast::Expr *settled(const ast::Expr *place, const std::set<std::string> &changed, Exprs &before);
  /// A variable without a value, declared in front of the current statement.
  const ast::Expr *scratch(const std::string &name, const ast::Type &type, ast::SourceRange where);

  // ---- Operators.cpp ----
  const ast::Expr *unary(const clang::UnaryOperator *e);
  const ast::Expr *binary(const clang::BinaryOperator *e);
  const ast::Expr *compound(const clang::CompoundAssignOperator *e);
  void checkWritable(const clang::Expr *target, ast::SourceRange range);
  bool isConstContainer(const clang::Expr *e);
  /// A range, or a part of one.
  bool isRange(const clang::Expr *e);

  // ---- Calls.cpp ----
  const ast::Expr *call(const clang::CallExpr *e);
  const ast::Expr *primitive(const clang::CallExpr *e, const std::string &which);
  const ast::Expr *map(const clang::CallExpr *e);
  const ast::Expr *mapInto(const clang::CallExpr *e); // y = map(...)
  const ast::Expr *partition(const clang::CallExpr *e);
  const ast::Sequence *sequence(const clang::Expr *e);
  const ast::Expr *indexRange(const clang::CallExpr *e);
  const ast::Expr *size(const clang::CallExpr *e);
  const ast::Expr *element(const clang::CallExpr *e);
  const ast::Expr *atomic(const clang::CallExpr *e, const std::string &operation);
  const ast::Expr *spectrumCall(const clang::CallExpr *e, const std::string &name);
  const ast::Expr *libraryCall(const clang::CallExpr *e, const clang::FunctionDecl *callee);
  /// Of <bit>, and builtins for the same (BitFunctions.cpp); null where it is none.
  const ast::Expr *bitFunction(const clang::CallExpr *e, std::string name, bool standard);
  /// A call of a function that `result` writes of one word.
  template <typename Result>
  const ast::Expr *ofWord(const char *name, const ast::Expr *word, ast::SourceRange where, Result result);
  const ast::Expr *populationCount(const ast::Expr *word, ast::SourceRange where);
  const ast::Expr *leadingZeros(const ast::Expr *word, ast::SourceRange where);
  const ast::Expr *trailingZeros(const ast::Expr *word, ast::SourceRange where);
  const ast::Expr *choose(const ast::Expr *a, const ast::Expr *b, bool smaller, ast::SourceRange range);
  void checkWritten(const clang::Expr *argument, const clang::ParmVarDecl *parameter, const std::string &callee);
  void checkCompound(ast::SourceRange range, const std::string &what, bool byLanes = false);

  ast::SourceRange range(clang::SourceRange r) const { return program_.ranges().of(r); }
  ast::Type type(clang::QualType t, ast::SourceRange where, const std::string &what);
  ast::Build build(ast::SourceRange where) const { return ast::Build(program_.arena(), where); }
  clang::ASTContext &context() const { return program_.context(); }
  ast::Arena &arena() const { return program_.arena(); }

  Program &program_;
  const clang::FunctionDecl *function_;
  Role role_;
  const FunctionQualifiers &qualifiers_;
  std::string title_;
  ast::Names names_;
  std::map<const clang::VarDecl *, Variable> variables_;
  std::vector<const clang::VarDecl *> open_;
  std::map<const clang::VarDecl *, std::string> tables_; // constants outside that the body looks up
  Stmts prologue_;
  Stmts scratch_; // declarations that the current statement needs in front of it
  const Passing *passing_ = nullptr;
  std::vector<std::string> passed_; // names of the parameters in the body
  std::string object_;              // the first of them, of a member function
  unsigned depth_ = 0, nesting_ = 0;
  bool inCondition_ = false;
};

} // namespace tangram::frontend
