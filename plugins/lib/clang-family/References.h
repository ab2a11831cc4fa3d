// How functions of the file that take references are called: by value, as all functions are. What such a function may
// change of its caller's (the object of a member function that is not const, what T & refers to) it is given, and gives
// back; the call assigns it.
#pragma once

#include "tangram/ast/Node.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
class ParmVarDecl;
} // namespace clang

namespace tangram::frontend {

struct Passing {
  struct Param {
    const clang::ParmVarDecl *declared = nullptr; // null: the object of a member function
    std::string name;
    ast::Type type;
    bool reference = false; // of any kind
    bool changes = false;   // a reference that is not const
    bool isArray = false;   // of an inlined function: an array of the caller's, of `type`
  };
  std::vector<Param> params;
  std::vector<unsigned> back; // which of them are given back
  /// What the call is in C++: nothing, a value, or what one of `params` refers to.
  enum class Gives : std::uint8_t { Nothing, Value, Place } gives = Gives::Nothing;
  unsigned place = 0;
  ast::Type result; // where it gives a value, of that
  /// Of the function that is made: the value, what is given back, or a struct of both; void where there is neither.
  ast::Type made;
  bool packed = false;  // a struct, with a field for each of `back` and `value`
  bool inlined = false; // it is put where it is called (Inlining.h): nothing is given back
};

/// What a call is given, the object of a member function in front.
std::vector<const clang::Expr *> argumentsOf(const clang::CallExpr *call);

/// The field of the struct for one that is given back, and for the value.
std::string packField(const Passing &passing, unsigned param);
inline constexpr const char *kPackValue = "value";

/// Whether two places may be, or share, the same variable: a[i] and a[j], but not p.x and p.y.
bool mayOverlap(const ast::Expr *a, const ast::Expr *b);

/// Whether a body reads of one parameter what it may have written before of another one, field by field: then it
/// matters whether both are the same variable.
bool readsAfterWrite(const ast::Block *body, const std::string &read, const std::string &written);

} // namespace tangram::frontend
