// A driver of NVIDIA's devices that has no device behind it: what it says of one, and how calls fail, is set by the
// environment. FAKE_REFUSES=N: the assembler complains about line N. FAKE_LAUNCH=CODE: launches fail. FAKE_DEVICES=0.
// FAKE_CAPABILITY=80: compute capability 8.0.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
int number(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}
int context, module;
} // namespace

extern "C" {
int cuInit(unsigned) { return number("FAKE_DEVICES", 1) == 0 ? 100 : 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorName(int code, const char **name) { return *name = code == 218 ? "INVALID_PTX" : "OUT_OF_RESOURCES", 0; }
int cuGetErrorString(int code, const char **text) {
  return *text = code == 218 ? "a PTX JIT compilation failed" : "too many resources requested for launch", 0;
}
int cuDeviceGetCount(int *count) { return *count = number("FAKE_DEVICES", 1), 0; }
int cuDeviceGet(int *device, int) { return *device = 0; }
int cuDeviceGetName(char *name, int size, int) { return std::snprintf(name, static_cast<size_t>(size), "Fake"), 0; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
  int capability = number("FAKE_CAPABILITY", 90);
  switch (attribute) {
  case 1: return *value = 512, 0; // threads of a group
  case 5: return *value = 65535, 0;
  case 8: return *value = 49152, 0;
  case 9: return *value = 65536, 0;
  case 10: return *value = 32, 0;
  case 16: return *value = 7, 0;
  case 38: return *value = 1 << 20, 0;
  case 75: return *value = capability / 10, 0;
  case 76: return *value = capability % 10, 0;
  case 97: return capability < 70 ? 1 : (*value = 101376, 0);
  default: return 1;
  }
}
int cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = size_t{1} << 33, 0; }
int cuDevicePrimaryCtxRetain(void **made, int) { return *made = &context, 0; }
int cuCtxGetCurrent(void **current) { return *current = nullptr, 0; }
int cuCtxPushCurrent_v2(void *) { return 0; }
int cuCtxPopCurrent_v2(void **) { return 0; }
int cuCtxGetDevice(int *device) { return *device = 0; }
int cuModuleLoadDataEx(void **made, const void *, unsigned count, int *options, void **values) {
  *made = &module;
  int line = number("FAKE_REFUSES", 0);
  for (unsigned i = 0; i < count && line != 0; ++i)
    if (options[i] == 5)
      std::sprintf(static_cast<char *>(values[i]), "ptxas application ptx input, line %d; error   : Unknown symbol",
                   line);
  return line != 0 ? 218 : 0;
}
int cuModuleGetFunction(void **function, void *, const char *) { return *function = &module, 0; }
int cuFuncSetAttribute(void *, int, int) { return 0; }
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **) {
  return number("FAKE_LAUNCH", 0);
}
int cuMemAlloc_v2(unsigned long long *memory, size_t) { return *memory = 4096, 0; }
int cuMemFree_v2(unsigned long long) { return 0; }
int cuMemcpyHtoD_v2(unsigned long long, const void *, size_t) { return 0; }
int cuMemcpyDtoH_v2(void *, unsigned long long, size_t) { return 0; }
int cuStreamSynchronize(void *) { return 0; }
int cuEventCreate(void **event, unsigned) { return *event = &module, 0; }
int cuEventRecord(void *, void *) { return 0; }
int cuEventSynchronize(void *) { return 0; }
int cuEventElapsedTime(float *, void *, void *) { return 0; }
int cuEventDestroy_v2(void *) { return 0; }
}
