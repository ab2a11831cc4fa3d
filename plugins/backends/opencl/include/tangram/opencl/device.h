// For generated code: the OpenCL device that kernels run on, and the functions of kernel_abi.h for it. C++17.
//
// The first device of the wanted kind is used, of all platforms in their order; TANGRAM_OPENCL_DEVICE chooses another:
// `cpu`, `gpu`, or a part of the name of a device or its platform.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue, where a program asks for a later version
#endif
#include <CL/cl.h>
#include <tangram/runtime/kernel_abi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tangram_opencl {

inline const char *name(cl_int code) {
  switch (code) {
  case CL_SUCCESS: return "CL_SUCCESS";
  case CL_DEVICE_NOT_FOUND: return "CL_DEVICE_NOT_FOUND";
  case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
  case CL_COMPILER_NOT_AVAILABLE: return "CL_COMPILER_NOT_AVAILABLE";
  case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
  case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
  case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
  case CL_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
  case CL_INVALID_VALUE: return "CL_INVALID_VALUE";
  case CL_INVALID_CONTEXT: return "CL_INVALID_CONTEXT";
  case CL_INVALID_COMMAND_QUEUE: return "CL_INVALID_COMMAND_QUEUE";
  case CL_INVALID_MEM_OBJECT: return "CL_INVALID_MEM_OBJECT";
  case CL_INVALID_BUFFER_SIZE: return "CL_INVALID_BUFFER_SIZE";
  case CL_INVALID_KERNEL_ARGS: return "CL_INVALID_KERNEL_ARGS";
  case CL_INVALID_ARG_SIZE: return "CL_INVALID_ARG_SIZE";
  case CL_INVALID_ARG_VALUE: return "CL_INVALID_ARG_VALUE";
  case CL_INVALID_WORK_GROUP_SIZE: return "CL_INVALID_WORK_GROUP_SIZE";
  case CL_INVALID_WORK_ITEM_SIZE: return "CL_INVALID_WORK_ITEM_SIZE";
  case CL_INVALID_GLOBAL_WORK_SIZE: return "CL_INVALID_GLOBAL_WORK_SIZE";
  case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
  default: return "an error";
  }
}

inline int fail(tangram_error *error, int status, const char *what, cl_int code) {
  if (error == nullptr) return status;
  error->status = status;
  if (code == CL_SUCCESS)
    std::snprintf(error->message, sizeof error->message, "%s", what);
  else
    std::snprintf(error->message, sizeof error->message, "OpenCL: %s: %s (%d)", what, name(code), code);
  return status;
}

inline int statusOf(cl_int code) {
  bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
  return memory ? TANGRAM_OUT_OF_MEMORY : TANGRAM_FAILED;
}

inline std::string text(cl_device_id device, cl_device_info what) {
  size_t bytes = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string value(bytes, '\0');
  clGetDeviceInfo(device, what, bytes, &value[0], nullptr);
  value.resize(std::strlen(value.c_str()));
  return value;
}

template <class T> T number(cl_device_id device, cl_device_info what) {
  T value{};
  clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

/// Whether `list`, words between spaces, has the word.
inline bool has(const std::string &list, const std::string &word) {
  return (" " + list + " ").find(" " + word + " ") != std::string::npos;
}

inline bool contains(const std::string &text, const char *part) {
  auto lower = [](std::string s) {
    for (char &c : s)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return s;
  };
  return lower(text).find(lower(part)) != std::string::npos;
}

/// All devices of a kind, platform by platform.
inline std::vector<cl_device_id> devices(cl_device_type type, const char *part = nullptr) {
  std::vector<cl_device_id> found;
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return found;
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    char platformName[256] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platformName - 1, platformName, nullptr);
    cl_uint here = 0;
    if (clGetDeviceIDs(platform, type, 0, nullptr, &here) != CL_SUCCESS || here == 0) continue;
    std::vector<cl_device_id> ids(here);
    clGetDeviceIDs(platform, type, here, ids.data(), nullptr);
    for (cl_device_id id : ids)
      if (part == nullptr || contains(text(id, CL_DEVICE_NAME), part) || contains(platformName, part))
        found.push_back(id);
  }
  return found;
}

/// The device that a process uses, and a queue of it. It lives as long as the process: drivers may be gone before
/// destructors at its end run.
struct Context {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  int status = TANGRAM_FAILED;
  tangram_error error{};

  explicit Context(cl_device_type wanted) {
    const char *chosen = std::getenv("TANGRAM_OPENCL_DEVICE");
    std::vector<cl_device_id> found;
    std::string what;
    if (chosen == nullptr || *chosen == '\0') {
      found = devices(wanted);
      what = wanted == CL_DEVICE_TYPE_CPU   ? "there is no OpenCL device that is a CPU"
             : wanted == CL_DEVICE_TYPE_GPU ? "there is no OpenCL device that is a GPU"
                                            : "there is no OpenCL device";
      what += "; install a driver for it (`clinfo -l` lists what there is), or choose another device by "
              "TANGRAM_OPENCL_DEVICE";
    } else {
      bool kind = std::strcmp(chosen, "cpu") == 0 || std::strcmp(chosen, "gpu") == 0;
      found = kind ? devices(*chosen == 'c' ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU)
                   : devices(CL_DEVICE_TYPE_ALL, chosen);
      what = std::string("TANGRAM_OPENCL_DEVICE is '") + chosen +
             "', and there is no such OpenCL device; `clinfo -l` lists what there is";
    }
    if (found.empty()) {
      fail(&error, status, what.c_str(), CL_SUCCESS);
      return;
    }
    device = found.front();
    cl_int code = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    if (code == CL_SUCCESS) queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code == CL_SUCCESS)
      status = TANGRAM_OK;
    else
      fail(&error, status, ("cannot use " + text(device, CL_DEVICE_NAME)).c_str(), code);
  }
};

template <cl_device_type Wanted> Context &shared() {
  static Context *const context = new Context(Wanted);
  return *context;
}

/// Waits for what the queue does, and reads a value that it left in the workspace.
template <size_t N, class T>
int fetch(char (&error)[N], const char *kernel, T *value, cl_mem workspace, uint64_t offset, cl_command_queue queue) {
  cl_int code = clEnqueueReadBuffer(queue, workspace, CL_TRUE, static_cast<size_t>(offset), sizeof(T), value, 0,
                                    nullptr, nullptr);
  if (code == CL_SUCCESS) return TANGRAM_OK;
  std::snprintf(error, N, "%s: reading a value from the device: %s (%d)", kernel, name(code), static_cast<int>(code));
  return statusOf(code);
}

/// tangram_device for the first device of a kind. Handles are cl_mem.
template <cl_device_type Wanted> struct Device {
  static int open(tangram_error *error) {
    Context &c = shared<Wanted>();
    if (c.status != TANGRAM_OK && error != nullptr) *error = c.error;
    return c.status;
  }
  static int describe(char *out, size_t size, tangram_error *error) {
    if (int status = open(error)) return status;
    cl_device_id device = shared<Wanted>().device;
    std::string words = text(device, CL_DEVICE_NAME) + ", " + text(device, CL_DEVICE_VERSION);
    if (size > 0) std::snprintf(out, size, "%s", words.c_str());
    return TANGRAM_OK;
  }
  static int allocate(void **memory, uint64_t bytes, tangram_error *error) {
    if (int status = open(error)) return status;
    cl_int code = CL_SUCCESS;
    *memory = clCreateBuffer(shared<Wanted>().context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    if (code == CL_SUCCESS) return TANGRAM_OK;
    std::string what = "no " + std::to_string(bytes) + " bytes on the device";
    return fail(error, statusOf(code), what.c_str(), code);
  }
  static void release(void *memory) {
    if (memory != nullptr) clReleaseMemObject(static_cast<cl_mem>(memory));
  }
  static int upload(void *memory, const void *from, uint64_t bytes, tangram_error *error) {
    cl_int code = clEnqueueWriteBuffer(shared<Wanted>().queue, static_cast<cl_mem>(memory), CL_TRUE, 0, bytes, from, 0,
                                       nullptr, nullptr);
    return code == CL_SUCCESS ? TANGRAM_OK : fail(error, statusOf(code), "copying to the device", code);
  }
  static int download(void *to, void *memory, uint64_t bytes, tangram_error *error) {
    cl_int code = clEnqueueReadBuffer(shared<Wanted>().queue, static_cast<cl_mem>(memory), CL_TRUE, 0, bytes, to, 0,
                                      nullptr, nullptr);
    return code == CL_SUCCESS ? TANGRAM_OK : fail(error, statusOf(code), "copying from the device", code);
  }
  static int wait(tangram_error *error) {
    if (int status = open(error)) return status;
    cl_int code = clFinish(shared<Wanted>().queue);
    return code == CL_SUCCESS ? TANGRAM_OK : fail(error, statusOf(code), "a kernel failed", code);
  }
  static int time(int (*work)(void *context), void *context, double *milliseconds, tangram_error *error) {
    if (int status = open(error)) return status;
    cl_command_queue queue = shared<Wanted>().queue;
    cl_event before = nullptr, after = nullptr;
    cl_int code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &before);
    int status = code == CL_SUCCESS ? work(context) : TANGRAM_OK;
    if (code == CL_SUCCESS) code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &after);
    cl_int finished = clFinish(queue);
    cl_ulong from = 0, to = 0;
    if (code == CL_SUCCESS) code = finished;
    if (code == CL_SUCCESS)
      code = clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof from, &from, nullptr);
    if (code == CL_SUCCESS) code = clGetEventProfilingInfo(after, CL_PROFILING_COMMAND_END, sizeof to, &to, nullptr);
    if (before != nullptr) clReleaseEvent(before);
    if (after != nullptr) clReleaseEvent(after);
    *milliseconds = to > from ? static_cast<double>(to - from) / 1e6 : 0;
    if (status != TANGRAM_OK || code == CL_SUCCESS) return status;
    return fail(error, statusOf(code), "timing a kernel", code);
  }
  static cl_command_queue queue() { return shared<Wanted>().queue; }

  static constexpr tangram_device abi = {
      sizeof(tangram_device), open, describe, allocate, release, upload, download, wait, time};
};

} // namespace tangram_opencl
