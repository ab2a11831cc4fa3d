// How much a loop has under way when its iterations are written out.
#pragma once

#include "tangram/ast/Node.h"

#include <cstddef>

namespace tangram::loops {

/// Loads that a worker is to have under way at a time. A loop that has as many in each iteration needs no copies of it.
constexpr std::size_t kLoadsTogether = 8;

bool isLoop(const ast::Stmt &s);

/// Whether there is no loop in it.
bool isLeaf(const ast::Block *body);

/// Elements that an iteration loads through pointers.
std::size_t loads(const ast::Block *body);

} // namespace tangram::loops
