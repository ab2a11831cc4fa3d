// Everything that the frontend for HiDP says.
#pragma once

#include "tangram/diag/Diagnostic.h"

namespace tangram::hidp {

using Class = DiagnosticClass;

// ---- words ----
inline constexpr DiagnosticKind kUnreadable{"hidp.unreadable", Class::User, "'{}' is not a file that can be read",
                                            "check the path"};
inline constexpr DiagnosticKind kQuote{"hidp.quote", Class::User, "the quote {0} is not closed in its line",
                                       "close it: reduce(\"+\", ...)"};
inline constexpr DiagnosticKind kComment{"hidp.comment", Class::User, "'{0}' begins no comment in HiDP",
                                         "comments begin with # and end with their line"};
inline constexpr DiagnosticKind kCharacter{"hidp.character", Class::User, "'{0}' is no character of HiDP",
                                           "remove it; text copied from a document may have others than it shows"};

// ---- syntax ----
inline constexpr DiagnosticKind kExpected{"hidp.syntax", Class::User, "{0} is missing {1}, and '{2}' stands there",
                                          "write {3}"};
inline constexpr DiagnosticKind kDepth{"hidp.depth", Class::Limitation, "this is nested more than {0} deep",
                                       "compute parts of it in scalars or functions of their own"};
inline constexpr DiagnosticKind kTopLevel{"hidp.top-level", Class::User, "'{0}' stands outside of functions",
                                          "begin with: function NAME, then its arguments, then its statements"};
inline constexpr DiagnosticKind kNoFunctions{"hidp.no-function", Class::User, "the file has no function",
                                             "write: function NAME, its arguments (input float A[N];), and statements"};
inline constexpr DiagnosticKind kType{"hidp.type", Class::User, "'{0}' is no type",
                                      "write a type of C (float, double, int, unsigned, ...) or a struct of the file"};
inline constexpr DiagnosticKind kReserved{"hidp.reserved", Class::User, "'{0}' cannot be a name: it is a word of {1}",
                                          "use another name"};
inline constexpr DiagnosticKind kLateIterator{"hidp.late-iterator", Class::User,
                                              "iterator '{0}' does not stand at the start of a map block",
                                              "write it directly behind the {{ of map, before any statement"};
inline constexpr DiagnosticKind kNoIterators{"hidp.no-iterators", Class::User, "the map block has no iterators",
                                             "begin it with one, map {{ i := [0:N); ... }}"};
inline constexpr DiagnosticKind kRange{
    "hidp.range", Class::User, "iterator '{0}' has no range behind :=",
    "write [low:high], where [ ] include the end and ( ) do not, as in {0} := [0:N)"};
inline constexpr DiagnosticKind kLateArgument{"hidp.late-argument", Class::User,
                                              "'{0}' stands behind the function's first statement",
                                              "arguments are declared in front of the body"};
inline constexpr DiagnosticKind kSuffix{
    "hidp.suffix", Class::User, "'{0}' cannot stand behind a map block",
    "write reduce(\"+\", output, _scalar, i:=[*]) with the iterators to reduce over"};
inline constexpr DiagnosticKind kSuffixArguments{
    "hidp.suffix-arguments", Class::User, "{0}",
    "write reduce(\"+\", output, _scalar, i:=[*]): operator, where the result goes, a scalar of the block, iterators"};
inline constexpr DiagnosticKind kStarred{"hidp.starred", Class::User, "'{0}' has a range of its own in the suffix",
                                         "write {0}:=[*]: a suffix reduces over all of an iterator's range"};
inline constexpr DiagnosticKind kPragmaPlace{"hidp.pragma-place", Class::User,
                                             "the pragma does not stand directly before a map block",
                                             "write #pragma hidp block warp thread in the line before map {{"};
inline constexpr DiagnosticKind kLevel{"hidp.level", Class::User, "'{0}' is no execution level", "write {1}"};
inline constexpr DiagnosticKind kNoLevel{"hidp.no-level", Class::User, "the pragma names no execution level",
                                         "name one or more of kernel, block, warp, subwarp, subwarp2, thread"};
inline constexpr DiagnosticKind kNoEffect{"hidp.no-effect", Class::User, "the statement does nothing",
                                          "assign the value, as in _x = ...;"};

// ---- names ----
inline constexpr DiagnosticKind kTwice{"hidp.twice", Class::User, "'{0}' is {1} already", "use another name"};
inline constexpr DiagnosticKind kGlobal{
    "hidp.global", Class::User, "'{0}' is a function, a struct or a word of Tangram's language", "use another name"};
inline constexpr DiagnosticKind kNoName{"hidp.unknown-name", Class::User, "there is no '{0}' here", "{1}"};
inline constexpr DiagnosticKind kUnderscoreArray{"hidp.underscore-array", Class::User,
                                                 "array '{0}' begins with an underscore",
                                                 "only scalars do: '_{1}' is an element of '{1}' in a map block"};
inline constexpr DiagnosticKind kUnderscoreScalar{"hidp.underscore-scalar", Class::User,
                                                  "scalar '{0}' does not begin with an underscore", "write '_{0}'{1}"};
inline constexpr DiagnosticKind kNewScalar{
    "hidp.new-scalar", Class::User, "'{0}' is assigned, and not declared",
    "a scalar begins with an underscore: write '_{0}'; an array is declared with "
    "its type and extents: float {0}[N];"};
inline constexpr DiagnosticKind kFunctionTwice{"hidp.function-twice", Class::User, "there are two '{0}'",
                                               "give each function and struct a name of its own"};
inline constexpr DiagnosticKind kReservedFunction{"hidp.reserved-function", Class::User,
                                                  "'{0}' cannot be a function's name: {1} has it", "use another name"};
inline constexpr DiagnosticKind kNoFunction{"hidp.unknown-function", Class::User, "there is no function '{0}'{1}",
                                            "{2}"};
inline constexpr DiagnosticKind kRecursion{"hidp.recursion", Class::Limitation, "function '{0}' calls itself{1}",
                                           "write a loop: while (...) {{ ... }} around what is repeated"};
inline constexpr DiagnosticKind kNoValue{"hidp.no-value", Class::User, "'{0}' has no value in an expression: {1}",
                                         "call it by a statement of its own, {2}(...);"};
inline constexpr DiagnosticKind kField{"hidp.field", Class::Limitation, "field '{0}' is no plain value",
                                       "fields are numbers, or structs that are declared before"};

// ---- shapes ----
inline constexpr DiagnosticKind kRankLimit{"hidp.rank", Class::Limitation, "array '{0}' has {1} dimensions",
                                           "arrays have up to four: join some of them, A[I * J][K]"};
inline constexpr DiagnosticKind kSizeUnknown{"hidp.size-unknown", Class::User,
                                             "what the size '{0}' is follows from no argument",
                                             "give an argument an extent that is '{0}' alone, as in float A[{0}]"};
inline constexpr DiagnosticKind kExtent{"hidp.extent", Class::User, "{0} cannot be an extent",
                                        "extents are computed from numbers, sizes and integer input scalars"};
inline constexpr DiagnosticKind kPrivateExtent{
    "hidp.private-extent", Class::Limitation, "local array '{0}' of a map block has an extent that is no number",
    "declare it in front of the map block with an element for each iteration"};
inline constexpr DiagnosticKind kIndices{"hidp.indices", Class::User, "'{0}' has {1}, and is indexed by {2}",
                                         "write one index for each dimension"};
inline constexpr DiagnosticKind kNoArray{"hidp.no-array", Class::User, "'{0}' is {1}, which has no elements",
                                         "index an array"};
inline constexpr DiagnosticKind kIndexType{"hidp.index-type", Class::User, "{0} is of type '{1}'",
                                           "use an integer; convert other numbers: int(x)"};
inline constexpr DiagnosticKind kElementRank{
    "hidp.element-rank", Class::User, "'{0}' stands for an element of '{1}', which has {2}, and {3} around it",
    "an array without indices is its element at the iterators of the map blocks around, in their order: write the "
    "indices, {1}{4}"};
inline constexpr DiagnosticKind kElementOutside{"hidp.element-outside", Class::User,
                                                "'{0}' stands for an element of '{1}', and no map block is around it",
                                                "write {1} for all elements, or {1}{2} for one"};
inline constexpr DiagnosticKind kShape{"hidp.shape", Class::User,
                                       "'{0}' has the shape {1}, and '{2}' in the same expression has {3}",
                                       "arrays of an expression have one shape, by the same names of sizes: what is "
                                       "passed is then checked to agree"};
inline constexpr DiagnosticKind kArrayAsScalar{"hidp.array-as-scalar", Class::User,
                                               "'{0}' is an array, and {1} one value",
                                               "write an element, {0}{2}, or a map block around the statement"};
inline constexpr DiagnosticKind kNoShape{"hidp.no-shape", Class::User,
                                         "all elements of '{0}' are assigned, from one of them",
                                         "keep that one in a scalar before: _x = {0}[...];"};
inline constexpr DiagnosticKind kConflict{
    "hidp.conflict", Class::User, "iterations of the map block touch the same element, and one of them writes it: {0}",
    "iterations may run in any order and at once: write elements that are each iteration's own, or use a suffix, a "
    "scan "
    "or another primitive; the loop is run by one worker",
    Severity::Warning};

// ---- types ----
inline constexpr DiagnosticKind kNumber{"hidp.number", Class::User, "'{0}' is no number",
                                        "numbers are written as in C: 1, 1u, 1.5f, 1e-3, 0xff"};
inline constexpr DiagnosticKind kOperand{"hidp.operand", Class::User, "'{0}' cannot be applied to '{1}'", "{2}"};
inline constexpr DiagnosticKind kConvert{"hidp.convert", Class::User, "'{0}' is of type '{1}', and '{2}' is needed",
                                         "pass or assign a value of that type"};
inline constexpr DiagnosticKind kMember{"hidp.member", Class::User, "{0} has no field '{1}'", "{2}"};
inline constexpr DiagnosticKind kText{"hidp.text", Class::User, "\"{0}\" is no value",
                                      "quoted operators are the first argument of reduce(\"+\", ...)"};
inline constexpr DiagnosticKind kArguments{"hidp.arguments", Class::User, "'{0}' takes {1}, and is given {2}", "{3}"};
inline constexpr DiagnosticKind kReducer{"hidp.reducer", Class::User, "\"{0}\" is no operator of a reduction",
                                         "write \"+\", \"*\", \"min\" or \"max\""};

// ---- what is written ----
inline constexpr DiagnosticKind kInputWritten{"hidp.input-written", Class::User, "'{0}' is an input, and is written",
                                              "declare it as inout, or as output where its old value is not used"};
inline constexpr DiagnosticKind kNotPlace{"hidp.not-a-place", Class::User, "{0} cannot be assigned",
                                          "assign a scalar, an array or an element"};
inline constexpr DiagnosticKind kOuterScalar{
    "hidp.outer-scalar", Class::User,
    "'{0}' belongs to what is around this map block, and every iteration would assign it",
    "use another scalar in the block; a suffix combines what the iterations have: }} reduce(\"+\", {0}, _x, i:=[*]);"};
inline constexpr DiagnosticKind kSuffixIterator{"hidp.suffix-iterator", Class::User,
                                                "'{0}' is no iterator of this map block", "name {1}"};
inline constexpr DiagnosticKind kSuffixOutput{"hidp.suffix-output", Class::User,
                                              "the suffix's result is indexed by '{0}', over which it reduces",
                                              "index it by the iterators that are left"};
inline constexpr DiagnosticKind kRangeOrder{"hidp.range-order", Class::User,
                                            "the range of '{0}' follows from '{1}', over which the suffix reduces",
                                            "reduce over '{0}' as well, or put '{0}' into a map block around this one"};

// ---- statements ----
inline constexpr DiagnosticKind kFor{"hidp.for", Class::User, "this for loop does not count a scalar",
                                     "write for (_t = 0; _t < _n; _t += 1); what is repeated otherwise is a while"};
inline constexpr DiagnosticKind kArrayInit{"hidp.array-init", Class::User, "array '{0}' is given one value",
                                           "declare it, and assign its elements: {0} = ...;"};
inline constexpr DiagnosticKind kSuffixMany{"hidp.suffix-many", Class::User,
                                            "the suffix has a result for each '{1}', and '{0}' is one value",
                                            "reduce into an array, {0}[{1}], or over '{1}' as well"};
inline constexpr DiagnosticKind kNeedsArray{"hidp.needs-array", Class::User, "'{0}' is no array, and {1} is one",
                                            "pass an array by its name"};
inline constexpr DiagnosticKind kPassed{"hidp.passed", Class::User, "'{0}' has {1}, and {2} are needed",
                                        "pass an array of this type and as many dimensions"};
inline constexpr DiagnosticKind kUnderscoreIterator{"hidp.underscore-iterator", Class::User,
                                                    "iterator '{0}' begins with an underscore", "only scalars do"};
inline constexpr DiagnosticKind kInference{"hidp.inference", Class::Limitation,
                                           "types of scalars of '{0}' follow from each other in too long a chain",
                                           "declare some of them with their types"};

// ---- primitives ----
inline constexpr DiagnosticKind kPrimitiveInside{
    "hidp.primitive-inside", Class::User, "this form of '{0}', {1}, works on all segments, and stands in a map block",
    "in a map block say where the iteration's segment begins and ends: {0}(..., low, high, ...), with arrays that have "
    "an element for each iteration, or with what is computed from its iterators"};
inline constexpr DiagnosticKind kPrimitiveValue{"hidp.primitive-value", Class::User, "this form of '{0}' has no value",
                                                "write it as a statement, {1};"};
inline constexpr DiagnosticKind kPrimitiveTarget{"hidp.primitive-target", Class::User, "the value of '{0}' is not used",
                                                 "write {1};"};
inline constexpr DiagnosticKind kSameArray{"hidp.same-array", Class::User, "'{0}' is both read and written",
                                           "write into {1}"};
inline constexpr DiagnosticKind kComparison{
    "hidp.comparison", Class::User, "'{0}' is no function that says of an element and the pivot where it belongs",
    "write one of scalars: function below input float _x, _pivot; output bool _first; _first = _x < _pivot;"};
inline constexpr DiagnosticKind kOneIterator{"hidp.one-iterator", Class::User,
                                             "'{0}' numbers the segments that it makes by the map block's iterator",
                                             "use a map block with one iterator around it"};

} // namespace tangram::hidp
