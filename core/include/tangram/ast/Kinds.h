// The kinds of statements and those of expressions, each by themselves. A switch over these, without a default, lists
// all that there are: where one is forgotten, it does not compile. Kinds of one family, which a pass seldom tells
// apart, have one name: `case TANGRAM_VECTOR_EXPRS: return {};`.
#pragma once

#include "tangram/ast/Node.h"

#pragma GCC diagnostic error "-Wswitch"

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

// clang-format off

// Of the language, and gone behind `flatten`.
#define TANGRAM_LANGUAGE_EXPRS \
  ::tangram::ast::ExprKind::SpectrumCall: case ::tangram::ast::ExprKind::Map: \
  case ::tangram::ast::ExprKind::Partition: case ::tangram::ast::ExprKind::Sequence

// Of code for a device; Aligned and Shuffle also stand in vector code.
#define TANGRAM_DEVICE_EXPRS \
  ::tangram::ast::ExprKind::WorkerIndex: case ::tangram::ast::ExprKind::WorkerCount: \
  case ::tangram::ast::ExprKind::Aligned: case ::tangram::ast::ExprKind::Shuffle: \
  case ::tangram::ast::ExprKind::MatrixMultiply: case ::tangram::ast::ExprKind::Transfer

// Of checked code.
#define TANGRAM_CHECKED_EXPRS \
  ::tangram::ast::ExprKind::Check: case ::tangram::ast::ExprKind::Faulted

// Of vector code.
#define TANGRAM_VECTOR_EXPRS \
  ::tangram::ast::ExprKind::LaneIndex: case ::tangram::ast::ExprKind::Broadcast: \
  case ::tangram::ast::ExprKind::VectorLoad: case ::tangram::ast::ExprKind::VectorSelect: \
  case ::tangram::ast::ExprKind::VectorReduce: case ::tangram::ast::ExprKind::VectorLane

// What only passes make, for lanes, devices, checked code and vectors.
#define TANGRAM_LOWERED_STMTS \
  ::tangram::ast::StmtKind::Cooperate: case ::tangram::ast::StmtKind::View: case ::tangram::ast::StmtKind::Launch: \
  case ::tangram::ast::StmtKind::Single: case ::tangram::ast::StmtKind::Await: \
  case ::tangram::ast::StmtKind::Report: case ::tangram::ast::StmtKind::VectorStore

// clang-format on

inline StmtKind stmtKind(const Stmt &s) { return static_cast<StmtKind>(s.kind()); }
inline ExprKind exprKind(const Expr &e) { return static_cast<ExprKind>(e.kind()); }

} // namespace tangram::ast
