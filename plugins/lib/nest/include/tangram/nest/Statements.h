// What statements declare and touch.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>
#include <vector>

namespace tangram::nest {

/// Names that statements declare.
std::set<std::string> declaredIn(const std::vector<const ast::Stmt *> &stmts);
/// The statement as `if (cond) continue;`, where it is one.
const ast::If *continueIf(const ast::Stmt *s);
/// The assignment `variable = value;` that a statement is; null: it is something else.
const ast::Assign *variableSet(const ast::Stmt *s);
/// Whether a tree changes the variable's own value behind its declaration.
bool changesVariable(const ast::Node *tree, const std::string &name);
/// Whether a tree touches an element of one of these; asking for a size does not.
bool touchesElements(const ast::Node *tree, const std::set<std::string> &containers);
/// How often a tree names a variable.
std::size_t mentionsOf(const ast::Node *tree, const std::string &name);
/// The same, but to ask for its size.
std::size_t valueMentionsOf(const ast::Node *tree, const std::string &name);
/// Whether a tree names a variable other than to ask for its size.
bool mentionsValue(const ast::Node *tree, const std::string &name);
/// Containers and arrays of which statements write elements.
std::set<std::string> writtenIn(const std::vector<const ast::Stmt *> &stmts);
/// The same in trees of their own: what is known of loops and calls is known by their nodes.
std::vector<const ast::Stmt *> copied(const std::vector<const ast::Stmt *> &stmts, ast::Arena &arena);
/// The names, and those of the containers that views which are declared in a tree, and are among them, show.
std::set<std::string> withViewed(std::set<std::string> names, const ast::Node *tree);
/// What stands in a block, without braces around all of it.
const ast::Block *withoutBraces(const ast::Block *block);

} // namespace tangram::nest
