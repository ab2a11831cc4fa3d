// The kinds of statements and those of expressions, each by themselves. A switch over these, without a default, lists
// all that there are: where one is forgotten, the compiler says so.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::ast {

#define TANGRAM_KIND(Name) Name = static_cast<std::uint8_t>(Kind::Name),
#define TANGRAM_NO_KIND(Name)

enum class StmtKind : std::uint8_t {
#define TANGRAM_STMT_OF_Node TANGRAM_NO_KIND
#define TANGRAM_STMT_OF_Expr TANGRAM_NO_KIND
#define TANGRAM_STMT_OF_Stmt TANGRAM_KIND
#define NODE(Name, Base) TANGRAM_STMT_OF_##Base(Name)
#include "tangram/ast/NodeMacros.h"
#undef TANGRAM_STMT_OF_Node
#undef TANGRAM_STMT_OF_Expr
#undef TANGRAM_STMT_OF_Stmt
};

enum class ExprKind : std::uint8_t {
#define TANGRAM_EXPR_OF_Node TANGRAM_NO_KIND
#define TANGRAM_EXPR_OF_Stmt TANGRAM_NO_KIND
#define TANGRAM_EXPR_OF_Expr TANGRAM_KIND
#define NODE(Name, Base) TANGRAM_EXPR_OF_##Base(Name)
#include "tangram/ast/NodeMacros.h"
#undef TANGRAM_EXPR_OF_Node
#undef TANGRAM_EXPR_OF_Stmt
#undef TANGRAM_EXPR_OF_Expr
};

#undef TANGRAM_KIND
#undef TANGRAM_NO_KIND

inline StmtKind stmtKind(const Stmt &s) { return static_cast<StmtKind>(s.kind()); }
inline ExprKind exprKind(const Expr &e) { return static_cast<ExprKind>(e.kind()); }

} // namespace tangram::ast
