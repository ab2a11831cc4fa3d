// Everything that the frontend for TileK says.
#pragma once

#include "tangram/diag/Diagnostic.h"

namespace tangram::tilek {

using Class = DiagnosticClass;

// ---- directives ----
inline constexpr DiagnosticKind kDirective{
    "tilek.directive", Class::User, "'{0}' is no directive of TileK",
    "write #pragma tilek kernel data(A[0:n][0:m], mode:rw, live:inout) before a block, and #pragma tilek loop "
    "tile[0](dynamic) before a for in it"};
inline constexpr DiagnosticKind kDataEnvironment{
    "tilek.dataenv", Class::Limitation, "'dataenv' is not supported",
    "name the arrays in the data clauses of each kernel; who calls the kernel keeps what is on a device where it is"};
inline constexpr DiagnosticKind kClause{"tilek.clause", Class::User, "'{0}' is no clause of '{1}'", "write {2}"};
inline constexpr DiagnosticKind kExpected{"tilek.syntax", Class::User, "{0} is missing {1}", "write {2}"};
inline constexpr DiagnosticKind kNumber{"tilek.number", Class::User, "{0} is '{1}', which is no {2}",
                                        "write a number, as in {3}"};
inline constexpr DiagnosticKind kTwice{"tilek.twice", Class::User, "{0} is said twice", "say it once"};
inline constexpr DiagnosticKind kWord{"tilek.word", Class::User, "{0} is '{1}'", "write {2}"};
inline constexpr DiagnosticKind kSectionStart{
    "tilek.section-start", Class::Limitation, "the section of '{0}' begins at '{1}', not at 0",
    "name all of the array, [0:LENGTH], and let the loops begin where the section does"};
inline constexpr DiagnosticKind kNoTiles{"tilek.no-tiles", Class::User, "the directive has no tile clause",
                                         "write tile[0](dynamic), or leave the directive out"};
inline constexpr DiagnosticKind kTwoDynamic{
    "tilek.two-dynamic", Class::User, "the loop has two dynamic tiles: only one of them can have what the others leave",
    "give one of them a number of turns: tile[{0}](static, 4)"};

// ---- where directives stand ----
inline constexpr DiagnosticKind kOutside{"tilek.outside", Class::User, "the directive stands outside of functions",
                                         "write it in the body of a function, directly before {0}"};
inline constexpr DiagnosticKind kNotBefore{"tilek.not-before", Class::User, "the directive does not stand before {0}",
                                           "write it directly before {0}, with nothing between them"};
inline constexpr DiagnosticKind kOutsideKernel{"tilek.loop-outside-kernel", Class::User, "the loop stands in no kernel",
                                               "put it into the block behind a #pragma tilek kernel data(...)"};
inline constexpr DiagnosticKind kTwoKernels{"tilek.two-kernels", Class::User, "function '{0}' has two kernels",
                                            "write a function for each"};
inline constexpr DiagnosticKind kNoKernels{"tilek.no-kernel", Class::User, "the file has no kernel",
                                           "write #pragma tilek kernel data(A[0:n], mode:rw, live:inout) before the "
                                           "block of loops in a function"};
inline constexpr DiagnosticKind kBeside{
    "tilek.beside-kernel", Class::Limitation, "function '{0}' does more than its kernel: {1}",
    "put the kernel into a function of its own, with nothing but declarations in front of the region"};
inline constexpr DiagnosticKind kFunction{"tilek.function", Class::Limitation, "function '{0}' {1}", "{2}"};

// ---- data ----
inline constexpr DiagnosticKind kNoSection{"tilek.no-section", Class::User,
                                           "parameter '{0}' is a pointer, and no data clause says what it points to",
                                           "add data({0}{1}, mode:rw, live:inout) to the kernel"};
inline constexpr DiagnosticKind kNotParameter{"tilek.not-a-parameter", Class::User, "'{0}' is no parameter of '{1}'",
                                              "{2}"};
inline constexpr DiagnosticKind kRank{
    "tilek.rank", Class::User, "the section of '{0}' has {1}, and its type '{2}' has {3}",
    "declare it as what the section says: a pointer or dimension for each, as in float **A or float A[n][m]; where "
    "indices are computed by hand, A[i * m + j], the section is A[0:n * m]"};
inline constexpr DiagnosticKind kScalarSection{"tilek.scalar-section", Class::User,
                                               "'{0}' has a section, and is of type '{1}'",
                                               "leave scalars out: a kernel is given those that it uses"};
inline constexpr DiagnosticKind kElement{"tilek.element", Class::Limitation, "'{0}' is of type '{1}'",
                                         "use pointers to numbers or to plain structs"};
inline constexpr DiagnosticKind kPointerUse{
    "tilek.pointer-use", Class::Limitation, "'{0}' is used otherwise than by its elements",
    "write {0}{1}: rows and places in an array have no names of their own, and no function is given them"};
inline constexpr DiagnosticKind kReadOnly{"tilek.read-only", Class::User, "'{0}' is written, and its mode is '{1}'",
                                          "say mode:rw in its data clause, and live:inout where the result is used"};
inline constexpr DiagnosticKind kConstWritten{"tilek.const-mode", Class::User,
                                              "the mode of '{0}' is '{1}', and it is declared as '{2}'",
                                              "say mode:r, or declare it without const"};

// ---- tiles ----
inline constexpr DiagnosticKind kCannotTile{
    "tilek.loop", Class::User, "loop '{0}' cannot be cut into tiles: {1}",
    "TileK cuts loops for (i = lb; i < ub; i += s), also with >, <=, >= and -=, "
    "whose lb, ub and s stay as they are"};
inline constexpr DiagnosticKind kEqualOrders{"tilek.equal-orders", Class::User,
                                             "two tiles of this nest have the order {0}",
                                             "number the tiles of a nest apart: the smallest is the outermost loop"};
inline constexpr DiagnosticKind kMixedOrders{
    "tilek.mixed-orders", Class::User, "some tiles of this nest have an order, and this one has none",
    "give each an order, tile[0](...), or none: then they stay where they are"};
inline constexpr DiagnosticKind kNoMachine{"tilek.no-machine", Class::User,
                                           "tile({0}) is used, and the kernel does not say {1}",
                                           "add {1} to the kernel: {2}"};
inline constexpr DiagnosticKind kTwoMachines{
    "tilek.two-machines", Class::User, "the kernel has both num_threads and num_gangs or num_workers",
    "write one kernel for threads and one for gangs; Tangram chooses between codelets of one spectrum by itself"};
inline constexpr DiagnosticKind kDimensionTwice{"tilek.dimension-twice", Class::User,
                                                "two tiles of this nest are given to {0}",
                                                "use another dimension, or a tile that is a loop"};
inline constexpr DiagnosticKind kUnusedMachine{"tilek.unused-machine", Class::User,
                                               "no tile is given to {0}: these do nothing",
                                               "add {1} to a loop, or leave the clause out", Severity::Warning};
inline constexpr DiagnosticKind kTooFew{
    "tilek.too-few-turns", Class::User,
    "the tiles of loop '{0}' have {1} turns together, and the loop has {2}: some iterations would be left out",
    "make one tile dynamic, or give them more turns"};
inline constexpr DiagnosticKind kNoRest{
    "tilek.no-dynamic", Class::Limitation,
    "loop '{0}' has no dynamic tile, and whether the others reach all of it is not known before the kernel runs",
    "add tile[...](dynamic)"};
inline constexpr DiagnosticKind kTriangular{
    "tilek.triangular", Class::Limitation, "the bounds of loop '{0}' change with '{1}', and its tiles stand {2}",
    "give the tiles of '{0}' orders behind those of '{1}', and none to threads, gangs or workers"};
inline constexpr DiagnosticKind kIllegal{"tilek.illegal", Class::User, "these tiles are not what the loops do: {0}",
                                         "keep the loops in an order that has the one first that the other waits for, "
                                         "and do not give both to workers that run at once"};
inline constexpr DiagnosticKind kUnknown{
    "tilek.unknown", Class::User, "whether these tiles are what the loops do is not known: {0}",
    "make sure that iterations do not depend on each other; `tangram verify` compares results", Severity::Warning};
inline constexpr DiagnosticKind kOutline{"tilek.outline", Class::User, "the tiles cannot be given to workers: {0}",
                                         "keep what an iteration computes with in the loop"};

} // namespace tangram::tilek
