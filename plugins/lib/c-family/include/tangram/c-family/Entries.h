// The text around kernels: C entries with their checks, wrappers for C++, descriptors.
#pragma once

#include "tangram/c-family/Expressions.h"
#include "tangram/c-family/Signature.h"
#include "tangram/c-family/Writer.h"
#include "tangram/pass/Pass.h"

#include <functional>

namespace tangram::c_family {

/// `int tangram_fail(char (&error)[N], int status, const char *format, ...)`, which all below use.
void defineFail(Writer &w);

// ---- in the header

void openHeader(Writer &w, const std::string &stem, const std::string &target, const std::vector<Signature> &kernels);
/// The structs that arguments are made of; a program that has them already says so by a macro. Within extern "C".
void declareStructures(Writer &w, const std::vector<Signature> &kernels);
/// The header of kernels on the host.
OutputFile hostHeader(const std::vector<Signature> &kernels, const EmitContext &context);
/// `entry`: the function that takes host memory.
void declareEntry(Writer &w, const Signature &signature, const std::string &entry);
void declareError(Writer &w, const Signature &signature);
void openWrappers(Writer &w);
/// Functions `signature.entry` that call `::called` and throw what it reports.
void declareWrapper(Writer &w, const Signature &signature, const std::string &called);
void closeHeader(Writer &w);

// ---- in the source

/// The kernel's tunables as constants that -D overrides: macros and constexpr variables of their names; and what the
/// code takes for granted of them.
void defineConstants(Writer &w, const Signature &signature);
/// static_asserts of the conditions that only speak of the kernel's constants: of values that -D sets and the code was
/// not made for. `e` spells the constants where they are.
void assertConstants(Writer &w, const Signature &signature, Expressions &e);
/// The macro of a tunable: "SUM_P_C".
std::string constantMacro(const Signature &signature, const ast::Param &constant);

void defineError(Writer &w, const Signature &signature);
/// What an entry asks before anything runs, in order.
struct EntryCheck {
  enum class What : std::uint8_t {
    Null,      // the pointer of `argument` is null, of a container that has elements: all of its sizes are not 0
    Stride,    // sizes[dimension] > 1, no size is 0, and strides[dimension] is less than what it steps over, which is
               // sizes[dimension + 1], times strides[dimension + 1] where there is one
    Condition, // `value` does not hold
    Limit      // `value` > `most`
  };
  What what = What::Null;
  const Argument *argument = nullptr;
  std::size_t dimension = 0;
  const ast::Expr *value = nullptr; // over the kernel's parameters and constants
  std::uint64_t most = 0;
  /// What is said then: a format of printf, whose size_t are, of Null, the sizes, of Stride, the stride and what it is
  /// compared with, and of Limit, the value. Of a Condition the text as it is.
  std::string message;
};
/// `arena` owns what values are made of.
std::vector<EntryCheck> entryChecks(const Signature &signature, ast::Arena &arena);
/// Returns from the function around where an argument, a condition or a size is wrong.
void checkArguments(Writer &w, const Signature &signature);
/// The entry of a kernel on the host; `run`: the function with its statements, which returns a status where it can
/// fail.
void defineEntry(Writer &w, const Signature &signature, const std::string &run, bool canFail);

/// How the elements of tangram_kernel::invoke's `args` become arguments.
using FromPointer = std::function<std::string(const Argument &argument, const std::string &pointer)>;
/// Writes checks that set `status`, and returns the arguments.
std::string unpackArguments(Writer &w, const Signature &signature, const FromPointer &convert);
/// static_cast to the pointer that an entry on the host takes.
std::string hostPointer(const Argument &argument, const std::string &pointer);
/// A function `int NAME_WHAT(args, EXTRA error)` that calls `called` with the arguments and `more`.
struct EntryCall {
  std::string what, extra, called, more;
  std::string message = "%s"; // the format of NAME_kernel::last_error, which may have to be cut
  FromPointer convert = hostPointer;
};
void defineCall(Writer &w, const Signature &signature, const EntryCall &call);
/// NAME_kernel_descriptor. `more`: what follows `invoke`, ", &device, ...".
void defineDescriptor(Writer &w, const Signature &signature, const std::string &target, const std::string &more = "");
/// The descriptors of all kernels, each written by `descriptor`, and tangram_kernel_table().
void defineTable(Writer &w, const std::vector<Signature> &signatures,
                 const std::function<void(const Signature &)> &descriptor);

} // namespace tangram::c_family
