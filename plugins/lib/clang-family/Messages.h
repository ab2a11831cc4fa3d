// Everything that the frontend says, in the language's words.
#pragma once

#include "tangram/diag/Diagnostic.h"

namespace tangram::frontend {

using Class = DiagnosticClass;

// ---- the run ----
inline constexpr DiagnosticKind kUnreadable{"frontend.unreadable", Class::User, "'{}' is not a file that can be read",
                                            "check the path"};
inline constexpr DiagnosticKind kMissingFiles{
    "frontend.missing-files", Class::User, "the frontend does not find {0}; it looked in: {1}",
    "install Tangram and Clang 19 completely, or set {2} to the folder that holds it"};
inline constexpr DiagnosticKind kClangError{"frontend.clang", Class::User, "{0}", ""};
inline constexpr DiagnosticKind kClangWarning{"frontend.clang-warning", Class::User, "{0}", "", Severity::Warning};

// ---- qualifiers ----
inline constexpr DiagnosticKind kUnknownQualifier{"language.unknown-qualifier", Class::User,
                                                  "'{0}' is no qualifier of the language", "{1}"};
inline constexpr DiagnosticKind kNoHeader{"language.no-header", Class::User,
                                          "'{0}' is not known: the file does not include the language's header",
                                          "start it with #include <tangram/tangram.h>"};
inline constexpr DiagnosticKind kMissingHeader{"language.missing-header", Class::User,
                                               "'std::{0}' is not known: the file does not include the header that "
                                               "declares it",
                                               "#include {1}"};
inline constexpr DiagnosticKind kUnqualified{"language.unqualified", Class::User, "'{0}' is not known here",
                                             "if the standard library's is meant, write {1} and #include {2}"};
inline constexpr DiagnosticKind kMisplacedQualifier{"language.misplaced-qualifier", Class::User, "{0} stands on {1}",
                                                    "{2}"};
inline constexpr DiagnosticKind kMisplacedRequires{
    "language.misplaced-requires", Class::User, "__requires does not stand behind the parameters",
    "write it between the closing parenthesis of the parameters and the ; or {{: int f(const Array<1,int> in) "
    "__requires(in.size() > 0) {{ ... }}"};
inline constexpr DiagnosticKind kQualifierOrder{
    "language.qualifier-order", Class::User, "the qualifiers of a codelet template do not stand behind template <...>",
    "write them first: template <class T> __codelet __tag(name) T f(...)"};
inline constexpr DiagnosticKind kMisplacedTunable{"language.misplaced-tunable", Class::User,
                                                  "__tunable does not stand on a local variable",
                                                  "declare the variable at the top of a codelet's body"};
inline constexpr DiagnosticKind kTagWord{"language.tag", Class::User, "'{0}' is not a name for a codelet",
                                         "write a word of letters, digits and _: __tag(tiled)"};
inline constexpr DiagnosticKind kDuplicateTag{"language.duplicate-tag", Class::User,
                                              "two codelets of '{1}' have the tag '{0}'", "give each a tag of its own"};
inline constexpr DiagnosticKind kTagCalled{"language.tag-called", Class::User,
                                           "'{0}' is the tag of a codelet, which cannot be called",
                                           "call its spectrum; the compiler chooses the codelet"};

// ---- spectrums and codelets ----
inline constexpr DiagnosticKind kNoSpectrums{
    "language.no-spectrum", Class::User, "the file declares no spectrum",
    "declare one, and a codelet for it: __spectrum int sum(const Array<1,int> in);"};
inline constexpr DiagnosticKind kCodeletWithoutSpectrum{"language.codelet-without-spectrum", Class::User,
                                                        "codelet '{0}' matches no spectrum: none has this name{1}",
                                                        "declare it before the codelet: __spectrum {2} {3}({4});"};
inline constexpr DiagnosticKind kSignature{"language.signature", Class::User, "codelet '{0}' matches no spectrum: {1}",
                                           "a codelet has exactly its spectrum's signature; another computation needs "
                                           "a spectrum of another name"};
inline constexpr DiagnosticKind kSpectrumWithoutCodelets{"language.spectrum-without-codelets", Class::User,
                                                         "spectrum '{0}' has no codelet",
                                                         "write at least one __codelet definition with its signature"};
inline constexpr DiagnosticKind kSpectrumWithBody{
    "language.spectrum-with-body", Class::User, "spectrum '{0}' has a body",
    "declare the spectrum with a ; and write its implementations as __codelet definitions"};
inline constexpr DiagnosticKind kCodeletWithoutBody{"language.codelet-without-body", Class::User,
                                                    "codelet '{0}' has no body",
                                                    "define it, or declare a spectrum with __spectrum"};
inline constexpr DiagnosticKind kTwoSpectrums{"language.two-spectrums", Class::User,
                                              "spectrum '{0}' is declared with two signatures",
                                              "make it a template over the element type, or give the other one a name "
                                              "of its own"};
inline constexpr DiagnosticKind kVariadic{"language.variadic", Class::User,
                                          "'{0}' takes a variable number of arguments", "write out the parameters"};
inline constexpr DiagnosticKind kTemplateParameter{
    "language.template-parameter", Class::Limitation,
    "template parameter '{0}' of '{1}' is neither a type nor an integer",
    "spectrums are templates over element types and integers: template <class T, int N>"};
inline constexpr DiagnosticKind kNothingInstantiated{
    "language.nothing-instantiated", Class::User,
    "the file has only spectrum templates, and asks for no instance of '{0}' or another one",
    "write __instance({0}<float>); in the file, or ask for --spectrum '{0}<float>'"};
inline constexpr DiagnosticKind kInstance{"language.instance", Class::User,
                                          "__instance does not name an instance of a spectrum template",
                                          "write the template and its arguments: __instance(sum<float>);"};
inline constexpr DiagnosticKind kUnknownSpectrum{"language.unknown-spectrum", Class::User, "there is no spectrum '{0}'",
                                                 "known here: {1}"};
inline constexpr DiagnosticKind kNoTemplate{"language.no-template", Class::User, "'{0}': the spectrum is no template",
                                            "ask for '{1}'"};
inline constexpr DiagnosticKind kTemplateArguments{"language.template-arguments", Class::User,
                                                   "'{0}' does not say which instance of the template is wanted",
                                                   "write its element types and integers, for example '{1}'"};
inline constexpr DiagnosticKind kInstanceType{"language.instance-type", Class::User,
                                              "'{0}' in '{1}' is not a type that an element can have",
                                              "write an arithmetic type: float, double, int, unsigned, int64_t, ..."};
inline constexpr DiagnosticKind kInstanceNumber{
    "language.instance-number", Class::User, "'{0}' in '{1}' is no value of template parameter '{2}', which is '{3}'",
    "write an integer that the type holds"};
inline constexpr DiagnosticKind kInstantiation{"language.instantiation", Class::User,
                                               "'{0}' cannot be made from its template",
                                               "see what Clang says of it; every codelet must be valid for the types "
                                               "that are asked for"};
inline constexpr DiagnosticKind kContainerResult{"language.container-result", Class::Limitation, "{0} returns '{1}'",
                                                 "pass the container to write as a parameter: Array<1,T> out"};
inline constexpr DiagnosticKind kNestedParameter{"language.nested-parameter", Class::Limitation,
                                                 "parameter '{0}' is a container of containers",
                                                 "use an Array of more dimensions; map takes the parts one by one"};

// ---- conditions ----
inline constexpr DiagnosticKind kCommaCondition{"language.condition", Class::User, "__requires takes one condition",
                                                "join conditions with &&, or write __requires several times"};
inline constexpr DiagnosticKind kConditionEffect{"language.condition", Class::User, "a condition changes something",
                                                 "conditions only compare"};
inline constexpr DiagnosticKind kConditionCall{"language.condition", Class::User, "a condition uses {0}",
                                               "use the parameters, sizes, coopDim() and arithmetic"};
inline constexpr DiagnosticKind kConditionLane{"language.condition", Class::User, "a condition uses coopIdx()",
                                               "it holds for all lanes or none: use coopDim()"};

// ---- cooperation ----
inline constexpr DiagnosticKind kCoopPlace{"language.coop", Class::User,
                                           "{0}() is used in {1}, which is not cooperative",
                                           "write __codelet __coop where lanes work together"};
inline constexpr DiagnosticKind kCoopInFunction{"language.coop", Class::User, "{0}() is used in {1}",
                                                "write __coop in front of the function, or pass the number"};
inline constexpr DiagnosticKind kCoopCalled{
    "language.coop", Class::User, "cooperative function '{0}' is called in {1}, which is not cooperative",
    "all lanes take part in it: write __coop there, too, or drop it from a function that needs no lanes"};
inline constexpr DiagnosticKind kDivergentCall{
    "language.coop-divergent", Class::User, "{0} is called where lanes may be apart",
    "all lanes take part in it: call it in front of the condition, and use what it gives below"};
inline constexpr DiagnosticKind kVaryingArgument{
    "language.coop-argument", Class::User, "argument {0} of spectrum '{1}' differs between lanes",
    "all lanes take part in one call: pass what they have in common, or make it a function with __coop in front"};
inline constexpr DiagnosticKind kArrayArgument{"language.array-argument", Class::User,
                                               "argument {0} of '{1}' is no local array, and parameter '{2}' is one",
                                               "pass the name of a local or __shared array"};
inline constexpr DiagnosticKind kOwnAtomic{"language.atomic", Class::User,
                                           "an atomic operation on '{0}', an array that each lane has for itself",
                                           "pass a __shared array, or change it without an atomic"};
inline constexpr DiagnosticKind kSharedPlace{"language.shared", Class::User,
                                             "__shared variable '{0}' in {1}, which is not cooperative",
                                             "drop __shared, or write __codelet __coop where lanes work together"};
inline constexpr DiagnosticKind kSharedContainer{"language.shared", Class::User,
                                                 "__shared stands on the container '{0}'",
                                                 "write a local array: __shared int {0}[coopDim()];"};
inline constexpr DiagnosticKind kSharedTunable{"language.shared", Class::User, "'{0}' is both __shared and __tunable",
                                               "a tunable is a constant: drop __shared"};
inline constexpr DiagnosticKind kCoopCompound{
    "language.coop-compound", Class::Limitation, "{0} is used in {1}, which is cooperative",
    "lanes call spectrums all together, and have no workers to give parts to: put it into a codelet without __coop"};
inline constexpr DiagnosticKind kIndependentWithoutMap{
    "language.independent", Class::User, "__independent stands on {0}, which has no map",
    "it is a promise about the calls of a codelet's maps: drop it, or move it to the codelet that has the map"};
inline constexpr DiagnosticKind kSpectrumInFunction{"language.spectrum-in-function", Class::User,
                                                    "{0} is used in {1}, which is no codelet",
                                                    "only codelets call spectrums: make the function a spectrum"};

// ---- tunables ----
inline constexpr DiagnosticKind kTunablePlace{"language.tunable", Class::User, "__tunable '{0}' in {1}",
                                              "declare it in a codelet and pass the number"};
inline constexpr DiagnosticKind kTunableNested{
    "language.tunable", Class::User, "__tunable '{0}' stands inside a block or loop",
    "declare it at the top of the codelet's body: it has one value in all of it"};
inline constexpr DiagnosticKind kTunableType{"language.tunable", Class::User, "__tunable '{0}' is a '{1}'",
                                             "a tunable is an integer variable: __tunable unsigned p;"};
inline constexpr DiagnosticKind kTunableInit{"language.tunable", Class::User, "__tunable '{0}' has an initialiser",
                                             "the compiler chooses the value; to restrict it write "
                                             "__tunable(values(1, 2, 4)) unsigned {0};"};
inline constexpr DiagnosticKind kTunableValue{"language.tunable", Class::User, "__tunable allows {0}",
                                              "write __tunable(lo, hi, step) with lo <= hi and step > 0, or "
                                              "__tunable(values(a, b, ...)), with constants of its type"};
inline constexpr DiagnosticKind kTunableForm{"language.tunable", Class::User, "__tunable does not say what it may be",
                                             "write __tunable(lo, hi), __tunable(lo, hi, step) or "
                                             "__tunable(values(a, b, ...))"};
inline constexpr DiagnosticKind kWriteTunable{"language.tunable", Class::User, "__tunable '{0}' is written",
                                              "a tunable is a constant: copy it to a variable"};

// ---- containers ----
inline constexpr DiagnosticKind kWriteConst{"language.write-const", Class::User, "{0} is a const Array, and is written",
                                            "drop const from the parameter, in the spectrum and in all its codelets"};
inline constexpr DiagnosticKind kPassConst{"language.write-const", Class::User,
                                           "{0} writes its parameter '{1}', and gets a const Array",
                                           "drop const where this container is declared, or from the parameter"};
inline constexpr DiagnosticKind kContainerAssign{
    "language.container-assign", Class::User, "a container is assigned",
    "assign a map's results to a variable, y = map(f, x), or assign elements"};
inline constexpr DiagnosticKind kMapIntoArgument{"language.map-into-argument", Class::User,
                                                 "the results of a map are assigned to '{0}', which the map reads",
                                                 "declare a new container with the results, and copy its elements"};
inline constexpr DiagnosticKind kMapIntoType{
    "language.map-into-type", Class::User, "map({0}, ...) gives {1}, and '{2}' has {3}",
    "declare a container of what the map gives, or map a spectrum that gives what the container has"};
inline constexpr DiagnosticKind kContainerExtents{"language.container-extents", Class::User,
                                                  "the container '{0}' has no size",
                                                  "say it where it is declared: Array<1, T> {0}(n);"};
inline constexpr DiagnosticKind kQualifiedElement{"language.element", Class::User,
                                                  "the element type of '{0}' is const or volatile",
                                                  "put const before the Array: const Array<{2}, ...>, "
                                                  "with an element type as it is"};
inline constexpr DiagnosticKind kDimension{"language.dimension", Class::User,
                                           "dimension {0} of a container that has {1}", "count from 0"};
inline constexpr DiagnosticKind kNegativeIndex{"language.index", Class::User, "index {0} is before the container",
                                               "count from 0"};
inline constexpr DiagnosticKind kSequencePlace{"language.sequence", Class::User,
                                               "a sequence that is no argument of partition",
                                               "write sequence(...) where partition takes it"};
inline constexpr DiagnosticKind kSequenceArgument{"language.sequence", Class::User,
                                                  "this argument of partition is no call of sequence",
                                                  "write sequence(...) here: one number, start, inc and end, or a "
                                                  "container and these"};
inline constexpr DiagnosticKind kSequenceContainer{"language.sequence", Class::User,
                                                   "a sequence takes its numbers from a container of floats",
                                                   "use an Array of an integer type"};
inline constexpr DiagnosticKind kRangeType{"language.range", Class::User, "'{0}' is no range of numbers",
                                           "write range(n), or range<T>(n) with an integer type T"};
inline constexpr DiagnosticKind kRangeFloat{"language.range", Class::User, "a range counts to a number of type '{0}'",
                                            "convert it to an integer: range((size_t)n)"};
inline constexpr DiagnosticKind kRangeCount{"language.range", Class::User, "a range of '{0}' counts to {1}",
                                            "write how many numbers there are, or range<int>(begin, end)"};
inline constexpr DiagnosticKind kWriteRange{"language.range", Class::User,
                                            "{0} is a range, whose numbers cannot be written",
                                            "declare a container: Array<1, T> t(n); and write into that"};
inline constexpr DiagnosticKind kPassRange{"language.range", Class::User,
                                           "{0} writes its parameter '{1}', and gets a range",
                                           "make the parameter const, or pass a container: Array<1, T> t(n);"};
inline constexpr DiagnosticKind kMapRange{"language.map", Class::User,
                                          "argument {0} of map is a range of '{1}', and '{2}' takes '{3}'",
                                          "say which numbers: range<{3}>(...)"};
inline constexpr DiagnosticKind kPartCount{"language.partition", Class::User, "a partition into {0} parts",
                                           "write how many parts there are"};
inline constexpr DiagnosticKind kVariableExtent{"language.extent", Class::User,
                                                "the extent of local array '{0}' is no constant",
                                                "write a number, or a template's; the extents of local arrays in "
                                                "codelets may also use tunables, in cooperative ones "
                                                "coopDim()"};

inline constexpr DiagnosticKind kLaneExtent{
    "language.extent", Class::User, "the extent of '{0}' is not known before the codelet runs",
    "write numbers, tunables, in cooperative codelets coopDim(), and what follows from them, with a loop around where "
    "there are more elements; or have a compound codelet around pass a temporary container: Array<1, T> {0}(n)"};

inline constexpr DiagnosticKind kLargeArray{"language.large-array", Class::Limitation,
                                            "the local array '{0}' has {1} bytes",
                                            "declare a temporary container: Array<1, T> {0}(n);"};

// ---- map ----
inline constexpr DiagnosticKind kMapFunction{"language.map", Class::User, "map is given {0}, which is no spectrum",
                                             "declare it as a spectrum and its definition as a codelet; of a template, "
                                             "say which instance: map(sum<T>, ...)"};
inline constexpr DiagnosticKind kMapCount{"language.map", Class::User, "'{0}' takes {1} arguments, map gives it {2}",
                                          "write map(f, c...) with one container or value for each parameter"};
inline constexpr DiagnosticKind kMapArgument{"language.map", Class::User,
                                             "argument {0} of map is '{1}', and '{2}' takes '{3}'",
                                             "pass a container of that, to run over it, or just that, for every call"};
inline constexpr DiagnosticKind kMapNothing{"language.map", Class::User, "map has nothing to run over",
                                            "pass a container of what '{0}' takes, or call it: {0}(...)"};
inline constexpr DiagnosticKind kMapDepth{"language.map", Class::User,
                                          "map runs over {0} dimensions of one container and {1} of another",
                                          "partition both into as many dimensions"};

// ---- atomics ----
inline constexpr DiagnosticKind kAtomicTarget{"language.atomic", Class::User,
                                              "an atomic operation on what nobody else sees",
                                              "its first argument is an element of an Array, or a __shared variable"};
inline constexpr DiagnosticKind kAtomicType{"language.atomic", Class::User, "'{0}' on a {1}",
                                            "use integers, or floats with atomicAdd, Sub, Min, Max, Exchange and "
                                            "CompareExchange"};

inline constexpr DiagnosticKind kAtomicHalf{"language.atomic-half", Class::Limitation,
                                            "'{0}' on an element of type {1}",
                                            "collect sums in containers of float, and convert them at the end"};

// ---- C++ that codelets cannot use ----
inline constexpr DiagnosticKind kNotInLanguage{"language.construct", Class::User, "{0} cannot be used in a codelet",
                                               "{1}"};
inline constexpr DiagnosticKind kUnsupported{"language.unsupported", Class::Limitation,
                                             "{0} is not supported in a codelet yet", "{1}"};
inline constexpr DiagnosticKind kUnsupportedType{"language.type", Class::Limitation, "{0} has type '{1}'", "{2}"};
inline constexpr DiagnosticKind kStruct{"language.struct", Class::Limitation, "{0} {1}", "{2}"};
inline constexpr DiagnosticKind kGlobal{"language.global", Class::User,
                                        "'{0}' is declared outside and is no compile-time constant",
                                        "pass it as a parameter, or make it constexpr"};
inline constexpr DiagnosticKind kOtherCase{"language.other-case", Class::Limitation,
                                           "'{0}' is declared in another case of the switch",
                                           "declare it before the switch"};
inline constexpr DiagnosticKind kHelperContainer{"language.helper-container", Class::Limitation,
                                                 "container '{0}' is declared in {1}, which is a plain function",
                                                 "plain functions are given containers; what makes one is a codelet"};
inline constexpr DiagnosticKind kRecursion{"language.recursion", Class::User,
                                           "'{0}' calls itself, directly or through others",
                                           "write a loop; only spectrums are composed recursively"};
inline constexpr DiagnosticKind kOwnInitialiser{"language.own-initialiser", Class::User,
                                                "'{0}' is used in its own initialiser, where it has no value yet",
                                                "start from another value, or give the variable another name"};
inline constexpr DiagnosticKind kReturnedReference{
    "language.returned-reference", Class::Limitation,
    "'{0}' returns a reference to something else than its object, or a struct that it is given to change",
    "return the value"};
inline constexpr DiagnosticKind kTemporaryChanged{"language.temporary-changed", Class::User,
                                                  "'{0}' is given a temporary value to change",
                                                  "put it into a variable first"};
inline constexpr DiagnosticKind kAliased{"language.aliased", Class::Limitation,
                                         "'{0}' changes '{1}', which may be the same variable here as '{2}'",
                                         "copy one of them into a variable of its own before"};
inline constexpr DiagnosticKind kOutput{
    "language.output", Class::User, "'{0}' in a codelet, which has no output",
    "write what is to be seen into an Array that is passed for it, and print that where the kernel is called"};
inline constexpr DiagnosticKind kForms{"language.forms", Class::User, "these are no arguments of '{0}'", "write {1}"};
inline constexpr DiagnosticKind kNoBody{"language.no-body", Class::User, "'{0}' is called and has no definition here",
                                        "define it in this file or in one that it includes"};
inline constexpr DiagnosticKind kUnknownFunction{"language.unknown-function", Class::User,
                                                 "'{0}' of a library cannot be called in a codelet",
                                                 "use the functions of <cmath>, std::min, std::max, std::clamp, "
                                                 "std::abs, those of <bit> that count, or write a function"};
inline constexpr DiagnosticKind kTooDeep{"language.too-deep", Class::Limitation, "{0} are nested more than {1} deep",
                                         "use variables for the parts"};

} // namespace tangram::frontend
