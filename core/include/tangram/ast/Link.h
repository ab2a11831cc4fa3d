// Modules of one program, each read from a file of its own, made one.
#pragma once

#include "tangram/ast/Node.h"

#include <vector>

namespace tangram::ast {

/// A spectrum that several modules have is one, with the conditions and the codelets of all, in their order. Codelets,
/// functions and structs that are equal (files that include the same header) are there once. A codelet whose name is
/// taken in its spectrum is named after its file too, `serial_blocked` of blocked.tg.cpp; a function whose name is
/// taken gets a number, and so do its calls. A name that does not change is not copied.
///
/// Throws DiagnosticError, with both places, where modules disagree on the result, the parameters' types or their
/// access of a spectrum, or on the fields of a struct; and where a spectrum is left without codelets.
const Module *link(Arena &arena, const std::vector<const Module *> &modules);

} // namespace tangram::ast
