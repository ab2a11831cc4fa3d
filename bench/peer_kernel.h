// Hand-written kernels as kernel libraries: what bench-kernels times beside those of plans. For nvcc, too; C++17.
//
//   void transpose(In<float, 2> in, Out<float, 2> out) { ... }
//   constexpr const char *names[] = {"in", "out"};
//   static const bench::PeerKernel<transpose> one("transpose", "openmp", names);
//   BENCH_PEERS(&one.kernel)
//
// Containers are dense and row-major.
#pragma once

#include "Element.h"

#include "tangram/runtime/kernel_abi.h"

#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace bench {

/// A container that a kernel reads (`const T`), or reads and writes.
template <class T, unsigned N> struct Container {
  using Element = T;
  static constexpr unsigned rank = N;
  T *data;
  std::size_t size[N];

  explicit Container(const void *argument) {
    const auto *array = static_cast<const tangram_array *>(argument);
    data = static_cast<T *>(array->data);
    for (unsigned d = 0; d < N; ++d) size[d] = array->size[d];
  }
};
template <class T, unsigned N> using In = Container<const T, N>;
template <class T, unsigned N> using Out = Container<T, N>;

/// What the spectrum returns: a last parameter called "result".
template <class T> struct Result {
  T *data; // one
};

template <class T> struct Parameter {
  static constexpr tangram_param describe(const char *name) { return {name, elementOf<T>(), 0, TANGRAM_IN}; }
  static T of(const void *argument) { return *static_cast<const T *>(argument); }
};
template <class T, unsigned N> struct Parameter<Container<T, N>> {
  static constexpr tangram_param describe(const char *name) {
    return {name, elementOf<std::remove_const_t<T>>(), N,
            static_cast<std::uint8_t>(std::is_const_v<T> ? TANGRAM_IN : TANGRAM_INOUT)};
  }
  static Container<T, N> of(const void *argument) { return Container<T, N>(argument); }
};
template <class T> struct Parameter<Result<T>> {
  static constexpr tangram_param describe(const char *name) { return {name, elementOf<T>(), 0, TANGRAM_OUT}; }
  static Result<T> of(void *argument) { return {static_cast<T *>(argument)}; }
};

template <auto function, class Arguments = decltype(function)> struct PeerKernel;

/// The descriptor of a function that computes a spectrum, on a device (if one is given) or on the host.
template <auto function, class... P> struct PeerKernel<function, void (*)(P...)> {
  static constexpr std::size_t count = sizeof...(P);
  tangram_param params[count];
  tangram_kernel kernel;

  PeerKernel(const char *spectrum, const char *by, const char *const (&names)[count],
             const tangram_device *device = nullptr)
      : PeerKernel(spectrum, by, names, device, std::index_sequence_for<P...>()) {}
  PeerKernel(const PeerKernel &) = delete;
  PeerKernel &operator=(const PeerKernel &) = delete;

private:
  template <std::size_t... I>
  PeerKernel(const char *spectrum, const char *by, const char *const (&names)[count], const tangram_device *device,
             std::index_sequence<I...>)
      : params{Parameter<P>::describe(names[I])...}, kernel{sizeof(tangram_kernel),
                                                            TANGRAM_KERNEL_ABI,
                                                            spectrum,
                                                            spectrum,
                                                            by,
                                                            by,
                                                            count,
                                                            params,
                                                            device ? refuse : call<I...>,
                                                            device,
                                                            noWorkspace,
                                                            device ? launch<I...> : nullptr,
                                                            nullptr} {}

  template <std::size_t... I> static int call(void *const *args, tangram_error *) {
    function(Parameter<P>::of(args[I])...);
    return TANGRAM_OK;
  }
  template <std::size_t... I> static int launch(void *const *args, void *, tangram_error *error) {
    return call<I...>(args, error);
  }
  /// Of data in memory of the host, which callers have only where there is no device.
  static int refuse(void *const *, tangram_error *error) {
    std::snprintf(error->message, sizeof error->message, "there is no device");
    return error->status = TANGRAM_FAILED;
  }
  static std::uint64_t noWorkspace(void *const *) { return 0; }
};

} // namespace bench

/// All kernels of a library.
#define BENCH_PEERS(...)                                                                                               \
  extern "C" const tangram_kernel *const *tangram_kernel_table(uint32_t *count) {                                      \
    static const tangram_kernel *const all[] = {__VA_ARGS__};                                                          \
    *count = sizeof all / sizeof *all;                                                                                 \
    return all;                                                                                                        \
  }
