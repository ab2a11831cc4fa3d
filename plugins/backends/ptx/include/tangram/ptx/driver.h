// For generated code: the driver of NVIDIA's devices, as far as it is used here, found when it is first asked for. What
// is declared here is the driver's stable binary interface; neither its headers nor its library need to be there when
// this is compiled. C++17.
#pragma once

#include <tangram/runtime/kernel_abi.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace tangram_ptx {

using Result = int; // 0: done
using Device = int;
using Address = unsigned long long; // of memory on the device
using Context = struct CUctx_st *;
using Module = struct CUmod_st *;
using Function = struct CUfunc_st *;
using Stream = struct CUstream_st *;
using Event = struct CUevent_st *;

constexpr Result kOutOfMemory = 2, kStubLibrary = 34, kNoDevice = 100, kUnsupportedPtx = 222;

enum Attribute : int {
  kThreadsOfGroup = 1,
  kGroups = 5,
  kConstantBytes = 9,
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kMajor = 75,
  kMinor = 76,
  kScratchpadBytes = 97 // that a function may ask for
};
constexpr int kFunctionScratchpad = 8; // the attribute of a function that asks
enum JitOption : int { kErrorLog = 5, kErrorLogBytes = 6, kLineInfo = 13 };

#define TANGRAM_PTX_DRIVER(F)                                                                                          \
  F(cuInit, unsigned)                                                                                                  \
  F(cuDriverGetVersion, int *)                                                                                         \
  F(cuGetErrorName, Result, const char **)                                                                             \
  F(cuGetErrorString, Result, const char **)                                                                           \
  F(cuDeviceGetCount, int *)                                                                                           \
  F(cuDeviceGet, Device *, int)                                                                                        \
  F(cuDeviceGetName, char *, int, Device)                                                                              \
  F(cuDeviceGetAttribute, int *, int, Device)                                                                          \
  F(cuDeviceTotalMem_v2, size_t *, Device)                                                                             \
  F(cuDevicePrimaryCtxRetain, Context *, Device)                                                                       \
  F(cuCtxGetCurrent, Context *)                                                                                        \
  F(cuCtxPushCurrent_v2, Context)                                                                                      \
  F(cuCtxPopCurrent_v2, Context *)                                                                                     \
  F(cuCtxGetDevice, Device *)                                                                                          \
  F(cuModuleLoadDataEx, Module *, const void *, unsigned, int *, void **)                                              \
  F(cuModuleGetFunction, Function *, Module, const char *)                                                             \
  F(cuFuncSetAttribute, Function, int, int)                                                                            \
  F(cuLaunchKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **,   \
    void **)                                                                                                           \
  F(cuMemAlloc_v2, Address *, size_t)                                                                                  \
  F(cuMemFree_v2, Address)                                                                                             \
  F(cuMemcpyHtoD_v2, Address, const void *, size_t)                                                                    \
  F(cuMemcpyDtoH_v2, void *, Address, size_t)                                                                          \
  F(cuStreamSynchronize, Stream)                                                                                       \
  F(cuEventCreate, Event *, unsigned)                                                                                  \
  F(cuEventRecord, Event, Stream)                                                                                      \
  F(cuEventSynchronize, Event)                                                                                         \
  F(cuEventElapsedTime, float *, Event, Event)                                                                         \
  F(cuEventDestroy_v2, Event)

/// The driver's functions; `missing` says why they are not there.
struct Driver {
#define TANGRAM_PTX_MEMBER(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  TANGRAM_PTX_DRIVER(TANGRAM_PTX_MEMBER)
#undef TANGRAM_PTX_MEMBER
  std::string missing;

  static const Driver &get() {
    static const Driver driver;
    return driver;
  }

  /// "launching: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
  std::string text(const std::string &what, Result code) const {
    const char *name = nullptr, *meaning = nullptr;
    if (cuGetErrorName != nullptr) cuGetErrorName(code, &name);
    if (cuGetErrorString != nullptr) cuGetErrorString(code, &meaning);
    return what + ": " + (meaning != nullptr ? meaning : "an error that the driver has no words for") + " (" +
           (name != nullptr ? name : std::to_string(code)) + ")";
  }

private:
  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char *why = dlerror();
      missing = "there is no driver for NVIDIA devices: " + std::string(why != nullptr ? why : "libcuda.so.1") +
                "; install it, or choose a target for what is there";
      return;
    }
#define TANGRAM_PTX_FIND(name, ...)                                                                                    \
  name = reinterpret_cast<Result (*)(__VA_ARGS__)>(dlsym(library, #name));                                             \
  if (name == nullptr && missing.empty()) missing = "the driver for NVIDIA devices is too old: it has no " #name;
    TANGRAM_PTX_DRIVER(TANGRAM_PTX_FIND)
#undef TANGRAM_PTX_FIND
    if (!missing.empty()) return;
    Result code = cuInit(0);
    if (code == kNoDevice)
      missing = "there is no NVIDIA device, or none that this process may use";
    else if (code == kStubLibrary)
      missing = "the driver library that was found is the toolkit's stub; put the folder of the driver's own "
                "libcuda.so.1 before it in LD_LIBRARY_PATH";
    else if (code != 0)
      missing = text("the driver for NVIDIA devices does not start", code);
  }
};

} // namespace tangram_ptx
