// The Tangram language: what a .tg.cpp file includes. Plain C++20 for Clang, so that an editor understands it;
// docs/language.md explains each word.
#pragma once

#ifndef __clang__
#error "a .tg.cpp file is read by `tangram compile`, or by clang and clangd in an editor"
#endif
#if __cplusplus < 201703L
#error "the Tangram language is C++20: pass -std=c++20 (in compile_flags.txt for an editor)"
#endif

// These hold for the rest of the file that includes this one: the language uses what they warn about.
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wvla"
#pragma clang diagnostic ignored "-Wvla-extension"
#pragma clang diagnostic ignored "-Wvla-cxx-extension"
#pragma clang diagnostic ignored "-Wregister"
#pragma clang diagnostic ignored "-Wgcc-compat"
#pragma clang diagnostic ignored "-Wkeyword-macro"
#pragma clang diagnostic ignored "-Wuninitialized"
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wundefined-internal"
#pragma clang system_header

// ---- qualifiers (Table 4.1) ----

// Codelets of one spectrum have one signature. A condition that is never true and differs from all others makes each
// an overload of its own that no call chooses; calls find the spectrum's declaration. The compiler swaps what
// __TANGRAM_HEAD and __TANGRAM_CODELET stand for where one qualifier has to mean several things.
#define __TANGRAM_HEAD
#define __TANGRAM_TEMPLATE_HEAD requires(__COUNTER__ < 0)
#define __TANGRAM_CONSTRAINED_HEAD &&(__COUNTER__ < 0)
#define __TANGRAM_SPECTRUM __attribute__((annotate("tangram.spectrum")))
#define __TANGRAM_CODELET_DEFINITION                                                                                   \
  __attribute__((annotate("tangram.codelet"), enable_if(__COUNTER__ < 0, "codelets are chosen by the compiler")))
#define __TANGRAM_CODELET __TANGRAM_CODELET_DEFINITION

#define __spectrum __TANGRAM_SPECTRUM
#define __codelet __TANGRAM_HEAD __TANGRAM_CODELET
#define __coop __TANGRAM_HEAD __attribute__((annotate("tangram.coop")))
#define __independent __TANGRAM_HEAD __attribute__((annotate("tangram.independent")))
#define __tag(name) __TANGRAM_HEAD __attribute__((annotate("tangram.tag=" #name)))
#define __env(...) __TANGRAM_HEAD __attribute__((annotate("tangram.env=" #__VA_ARGS__)))
#define __at(...) __TANGRAM_HEAD __attribute__((annotate("tangram.at=" #__VA_ARGS__)))
#define __shared __attribute__((annotate("tangram.shared")))

// Stands behind the parameters, so that it can name them. Never evaluated by C++.
#define __requires(...)                                                                                                \
  __attribute__((diagnose_if(false && (__VA_ARGS__), "tangram.requires=" #__VA_ARGS__, "warning")))

// `__tunable unsigned p;` or `__tunable(1, 64, 1) unsigned p;`: the second word takes the parentheses where there
// are any, and is a storage class without a meaning where there are none.
#define __tunable __attribute__((annotate("tangram.tunable"))) register
#define register(...) __attribute__((annotate("tangram.range", __VA_ARGS__)))

// Asks for an instance of a spectrum template: __instance(sum<float>);
#ifdef __TANGRAM__
#define __TANGRAM_JOIN2(a, b) a##b
#define __TANGRAM_JOIN(a, b) __TANGRAM_JOIN2(a, b)
#define __instance(...)                                                                                                \
  __attribute__((annotate("tangram.instance"))) constexpr auto *__TANGRAM_JOIN(__tangram_instance_, __COUNTER__) =     \
      &__VA_ARGS__
#else
#define __instance(...) static_assert(true, "")
#endif

// The compiler checks these by itself, in words of the language.
#ifdef __TANGRAM__
#define __TANGRAM_CHECK(condition) true
#define __TANGRAM_CONST
#else
#define __TANGRAM_CHECK(condition) condition
#define __TANGRAM_CONST const
#endif

#define __TANGRAM_PRIMITIVE(name) __attribute__((annotate("tangram.primitive=" name)))

// ---- containers and primitives (Table 4.2) ----

using size_t = __SIZE_TYPE__; // as in C: what sizes are counted in

namespace tangram {

using size_type = __SIZE_TYPE__;

// Floating-point numbers of 16 bits: IEEE 754 binary16, and the upper half of a float. An operation on two of them is
// rounded once, on every target; beside a float they are floats.
using f16 = _Float16;
using bf16 = __bf16;

template <unsigned N, class T> class Array;

namespace detail {
template <class T> struct Identity {
  using type = T;
};
template <bool Condition, class A, class B> struct Choose {
  using type = A;
};
template <class A, class B> struct Choose<false, A, B> {
  using type = B;
};
template <bool Condition> struct When {};
template <> struct When<true> {
  using type = int;
};
} // namespace detail

/// An N-dimensional container, passed by value and never copied: `const Array` is read, `Array` is read and written.
/// As a local variable with extents it is a temporary container.
template <unsigned N, class T> class Array {
  static_assert(N >= 1 && N <= 4, "an Array has one to four dimensions");
  using Element = typename detail::Choose<N == 1, T &, Array<N - (N > 1), T>>::type;
  using ConstElement = typename detail::Choose<N == 1, T __TANGRAM_CONST &, const Array<N - (N > 1), T>>::type;

public:
  template <class... Extents,
            typename detail::When<sizeof...(Extents) == N && (__is_integral(Extents) && ...)>::type = 0>
  explicit Array(Extents... extents);

#ifdef __TANGRAM__
  Array(const Array &) = default;
  const Array &operator=(const Array &) const;
  template <class Other> const Array &operator=(const Other &) const; // which is refused, in words of the language
#endif

  /// The number of elements.
  __TANGRAM_PRIMITIVE("size") size_type size() const;
  /// The extent of dimension d.
  __TANGRAM_PRIMITIVE("size") size_type size(unsigned d) const;

  /// An element, or the row i of a container of more than one dimension.
  __TANGRAM_PRIMITIVE("subscript") Element operator[](size_type i);
  __TANGRAM_PRIMITIVE("subscript") ConstElement operator[](size_type i) const;
  /// a(i, j) is a[i][j].
  template <class... Indices, typename detail::When<sizeof...(Indices) == N>::type = 0>
  __TANGRAM_PRIMITIVE("subscript")
  T &operator()(Indices... i);
  template <class... Indices, typename detail::When<sizeof...(Indices) == N>::type = 0>
  __TANGRAM_PRIMITIVE("subscript")
  T __TANGRAM_CONST &operator()(Indices... i) const;
};

/// Where parts start or end, or how far apart their elements are: one number for each part.
class Sequence {};

/// a, for every part.
__TANGRAM_PRIMITIVE("sequence") Sequence sequence(size_type a);
/// start, start + inc, start + 2 * inc, ..., never beyond end.
__TANGRAM_PRIMITIVE("sequence") Sequence sequence(size_type start, size_type inc, size_type end);
/// The elements of c at start, start + inc, ..., never beyond end.
template <class T>
__TANGRAM_PRIMITIVE("sequence")
Sequence sequence(const Array<1, T> &c, size_type start, size_type inc, size_type end);

/// The numbers 0, 1, ..., n - 1; or begin, begin + step, ... below end. A container without storage, of size_t unless
/// another integer type is said: range<unsigned>(n).
template <class T = size_type>
__TANGRAM_PRIMITIVE("range")
const Array<1, T> range(typename detail::Identity<T>::type n);
template <class T = size_type>
__TANGRAM_PRIMITIVE("range")
const Array<1, T> range(typename detail::Identity<T>::type begin, typename detail::Identity<T>::type end,
                        size_type step = 1);

/// n parts of c: part i has the elements start[i], start[i] + inc[i], ... below end[i], cut to the container.
/// A container of several dimensions is cut along the first one.
template <unsigned N, class T>
__TANGRAM_PRIMITIVE("partition")
Array<1, Array<N, T>> partition(const Array<N, T> &c, size_type n, Sequence start, Sequence inc, Sequence end);
/// n0 by n1 tiles of a matrix: rows first, then columns. Of a container of more dimensions the first two are cut.
template <unsigned N, class T, typename detail::When<(N >= 2)>::type = 0>
__TANGRAM_PRIMITIVE("partition")
Array<2, Array<N, T>> partition(const Array<N, T> &c, size_type n0, Sequence start0, Sequence inc0, Sequence end0,
                                size_type n1, Sequence start1, Sequence inc1, Sequence end1);
/// Blocks, cut along the first three dimensions, or along four.
template <unsigned N, class T, typename detail::When<(N >= 3)>::type = 0>
__TANGRAM_PRIMITIVE("partition")
Array<3, Array<N, T>> partition(const Array<N, T> &c, size_type n0, Sequence start0, Sequence inc0, Sequence end0,
                                size_type n1, Sequence start1, Sequence inc1, Sequence end1, size_type n2,
                                Sequence start2, Sequence inc2, Sequence end2);
template <class T>
__TANGRAM_PRIMITIVE("partition")
Array<4, Array<4, T>> partition(const Array<4, T> &c, size_type n0, Sequence start0, Sequence inc0, Sequence end0,
                                size_type n1, Sequence start1, Sequence inc1, Sequence end1, size_type n2,
                                Sequence start2, Sequence inc2, Sequence end2, size_type n3, Sequence start3,
                                Sequence inc3, Sequence end3);

namespace detail {

// How many dimensions of an argument a map runs over: 0: the argument goes to every call; -1: it does not fit.
template <class Argument, class Parameter, class = void> struct Depth {
  static constexpr int value = __is_arithmetic(Argument) && __is_arithmetic(Parameter) ? 0 : -1;
};
template <class P> struct Depth<P, P, void> {
  static constexpr int value = 0;
};
template <unsigned N, class P> struct Depth<Array<N, P>, P, void> {
  static constexpr int value = N;
};
template <unsigned N, class T> struct Depth<Array<N + 1, T>, Array<N, T>, void> {
  static constexpr int value = 1;
};

template <class... Rest> constexpr int max(int a, Rest... rest) {
  ((a = rest > a ? rest : a), ...);
  return a;
}

template <unsigned N, class R> struct Results {
  using type = Array<N, R>;
};
template <unsigned N> struct Results<N, void> {
  using type = void;
};

template <class F, class... Arguments> struct MapResult {
  static_assert(__TANGRAM_CHECK(sizeof(F) == 0), "map(f, c...): f is a spectrum");
  using type = Array<1, int>;
};
template <bool SameCount, class R, class Parameters, class Arguments> struct MapOf {
  static_assert(__TANGRAM_CHECK(SameCount), "map(f, c...): as many arguments as f takes");
  using type = typename Results<1, R>::type;
};
template <class...> struct List {};
template <class R, class First, class... Parameters, class FirstArgument, class... Arguments>
struct MapOf<true, R, List<First, Parameters...>, List<FirstArgument, Arguments...>> {
  static constexpr int depth = max(Depth<FirstArgument, First>::value, Depth<Arguments, Parameters>::value...);
  static_assert(__TANGRAM_CHECK((Depth<FirstArgument, First>::value >= 0) &&
                                ((Depth<Arguments, Parameters>::value >= 0) && ...)),
                "map(f, c...): each argument is what f takes, or a container of that");
  static_assert(__TANGRAM_CHECK(depth != 0), "map(f, c...): at least one argument is a container of what f takes");
  static_assert(
      __TANGRAM_CHECK((Depth<FirstArgument, First>::value <= 0 || Depth<FirstArgument, First>::value == depth) &&
                      ((Depth<Arguments, Parameters>::value <= 0 || Depth<Arguments, Parameters>::value == depth) &&
                       ...)),
      "map(f, c...): all containers that it runs over have the same number of dimensions");
  using type = typename Results<(depth > 0 ? depth : 1), R>::type;
};
template <class R, class... Parameters, class... Arguments>
struct MapResult<R (*)(Parameters...), Arguments...>
    : MapOf<sizeof...(Parameters) == sizeof...(Arguments), R, List<Parameters...>, List<Arguments...>> {};

} // namespace detail

/// Calls the spectrum f for each element of the containers that have one level more than f takes; an argument that is
/// just what f takes goes to every call. Returns the container of the results. Of a spectrum template, f says the
/// instance: map(sum<T>, parts).
template <class F, class... Arguments>
__TANGRAM_PRIMITIVE("map")
typename detail::MapResult<F, Arguments...>::type map(F f, const Arguments &...c);

#ifndef __TANGRAM__
namespace detail {
template <class C> struct Part;
template <class E> struct Part<Array<1, E>> {
  using type = E;
};
template <class T> struct Leaf {
  using type = T;
};
template <unsigned N, class T> struct Leaf<Array<N, T>> : Leaf<T> {};
} // namespace detail
// For editors, which cannot tell the codelets of sum<T> from its spectrum: takes the usual signature for granted.
template <class First, class... Rest>
auto map(typename detail::Leaf<First>::type (*f)(typename detail::Part<First>::type,
                                                 typename detail::Part<Rest>::type...),
         const First &c, const Rest &...rest) -> Array<1, typename detail::Leaf<First>::type>;
#endif

/// The lane that runs this, and how many there are. In cooperative codelets.
__TANGRAM_PRIMITIVE("coopIdx") unsigned coopIdx();
__TANGRAM_PRIMITIVE("coopDim") unsigned coopDim();

// Read-modify-write of an element of a container or of a __shared variable, as one step; the value before it.
#define __TANGRAM_ATOMIC(function, operation)                                                                          \
  template <class T>                                                                                                   \
  __TANGRAM_PRIMITIVE("atomic:" operation)                                                                             \
  T function(T &target, typename detail::Identity<T>::type value)
__TANGRAM_ATOMIC(atomicAdd, "add");
__TANGRAM_ATOMIC(atomicSub, "sub");
__TANGRAM_ATOMIC(atomicMin, "min");
__TANGRAM_ATOMIC(atomicMax, "max");
__TANGRAM_ATOMIC(atomicAnd, "and");
__TANGRAM_ATOMIC(atomicOr, "or");
__TANGRAM_ATOMIC(atomicXor, "xor");
__TANGRAM_ATOMIC(atomicExchange, "exchange");
// As atomicAdd, but the calls of a map take their turns in the order of its parts, and each does it exactly once.
__TANGRAM_ATOMIC(orderedAdd, "ordered-add");
#undef __TANGRAM_ATOMIC
/// Writes `desired` where the target is `expected`.
template <class T>
__TANGRAM_PRIMITIVE("atomic:compare-exchange")
T atomicCompareExchange(T &target, typename detail::Identity<T>::type expected,
                        typename detail::Identity<T>::type desired);

/// The values that a tunable may take: __tunable(values(1, 2, 4)) unsigned p;
template <class... T> constexpr bool values(T...) { return true; }

} // namespace tangram

using namespace tangram;

// What libraries of today do not know of them.
#if __has_include(<limits>)
#include <limits>
#define __TANGRAM_LIMITS(type, mantissa, decimal, decimals, least, most, bottom, ulp, lowest_exponent, top_exponent,   \
                         lowest_decimal, top_decimal)                                                                  \
  template <> struct std::numeric_limits<type> {                                                                       \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;               \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;                         \
    static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false, traps = false;                       \
    static constexpr bool tinyness_before = false;                                                                     \
    static constexpr int digits = mantissa, digits10 = decimal, max_digits10 = decimals, radix = 2;                    \
    static constexpr int min_exponent = lowest_exponent, max_exponent = top_exponent;                                  \
    static constexpr int min_exponent10 = lowest_decimal, max_exponent10 = top_decimal;                                \
    static constexpr std::float_round_style round_style = std::round_to_nearest;                                       \
    static constexpr type min() noexcept { return static_cast<type>(least); }                                          \
    static constexpr type max() noexcept { return static_cast<type>(most); }                                           \
    static constexpr type lowest() noexcept { return static_cast<type>(-(most)); }                                     \
    static constexpr type denorm_min() noexcept { return static_cast<type>(bottom); }                                  \
    static constexpr type epsilon() noexcept { return static_cast<type>(ulp); }                                        \
    static constexpr type round_error() noexcept { return static_cast<type>(0.5f); }                                   \
    static constexpr type infinity() noexcept { return static_cast<type>(__builtin_inff()); }                          \
    static constexpr type quiet_NaN() noexcept { return static_cast<type>(__builtin_nanf("")); }                       \
    static constexpr type signaling_NaN() noexcept { return quiet_NaN(); }                                             \
  }
#ifndef __STDCPP_FLOAT16_T__
__TANGRAM_LIMITS(_Float16, 11, 3, 5, 0x1p-14f, 65504.0f, 0x1p-24f, 0x1p-10f, -13, 16, -4, 4);
#endif
#ifndef __STDCPP_BFLOAT16_T__
__TANGRAM_LIMITS(__bf16, 8, 2, 4, 0x1p-126f, 0x1.fep127f, 0x1p-133f, 0x1p-7f, -125, 128, -37, 38);
#endif
#undef __TANGRAM_LIMITS
#endif

#undef __TANGRAM_PRIMITIVE
