// For generated code: programs built for the device of a queue, once a process, and launches of their kernels. C++17.
#pragma once

#include <tangram/opencl/device.h>

#include <map>
#include <mutex>
#include <utility>

namespace tangram_opencl {

/// An extension that a program cannot do without, and what needs it.
struct Requirement {
  const char *extension, *user;
};

/// From this line of the text on, statements come from there: "sum.tg.cpp:12".
struct Origin {
  unsigned line;
  const char *from;
};

/// " -DNAME=4u": a constant of the host's text for the device's.
template <class T> std::string option(const char *name, T value) {
  const char *suffix = sizeof(T) == 8 ? (T(-1) < T(0) ? "L" : "UL") : T(-1) < T(0) || sizeof(T) < 4 ? "" : "u";
  return " -D" + std::string(name) + "=" + std::to_string(value) + suffix;
}

/// One launch in a kernel: what messages say, and what is checked.
struct Launch {
  const char *kernel; // the entry
  const char *function;
  const char *plan;
  size_t threads;
};

class Program {
public:
  /// `file`: what messages call the text. `origins` are in order, the last has a null `from`. `options` hold until the
  /// program is built.
  Program(const char *file, const char *text, const Origin *origins, std::string options,
          std::vector<Requirement> requirements)
      : file_(file), text_(text), origins_(origins), options_(std::move(options)),
        requirements_(std::move(requirements)) {}

  /// Starts `groups` groups on the queue. Arguments are memory objects and scalars of OpenCL's sizes.
  template <size_t N, class... Args>
  int launch(char (&error)[N], const Launch &what, cl_command_queue queue, uint64_t groups, const Args &...args) {
    if (groups == 0) return TANGRAM_OK;
    const void *const values[] = {nullptr, static_cast<const void *>(&args)...};
    const size_t sizes[] = {0, sizeof args...};
    std::string message;
    int status = start(message, what, queue, groups, values + 1, sizes + 1, sizeof...(args));
    if (status != TANGRAM_OK)
      std::snprintf(error, N, "%s: launch %s: %s; the plan is %s", what.kernel, what.function, message.c_str(),
                    what.plan);
    return status;
  }

private:
  struct Built {
    cl_program program = nullptr;
    std::map<std::string, cl_kernel> kernels;
    int status = TANGRAM_OK;
    std::string message;
  };

  static int failed(std::string &message, const std::string &what, cl_int code) {
    message = what + ": " + name(code) + " (" + std::to_string(code) + ")";
    return statusOf(code);
  }

  /// The line of the text, and where it came from.
  std::string origin(unsigned line) const {
    const char *start = text_;
    for (unsigned n = 1; n < line && start != nullptr; ++n) {
      start = std::strchr(start, '\n');
      if (start != nullptr) ++start;
    }
    if (start == nullptr) return "";
    while (*start == ' ') ++start;
    std::string said = "[" + std::string(file_) + " line " + std::to_string(line) + ", `" +
                       std::string(start, std::strcspn(start, "\n")) + "`";
    const char *from = nullptr;
    for (const Origin *o = origins_; o->from != nullptr && o->line <= line; ++o) from = o->from;
    return " " + said + (from != nullptr ? std::string(", from ") + from : "") + "]";
  }

  /// The first error of a compiler's log, with where its line came from. Its place stands in front of the word or
  /// behind it: "input.cl:3:7: error: ...", "error: /tmp/x.cl:3:7: ...".
  std::string explained(const std::string &log) const {
    size_t word = log.find("error:");
    if (word == std::string::npos) return log;
    size_t start = log.rfind('\n', word), end = log.find('\n', word);
    start = start == std::string::npos ? 0 : start + 1;
    std::string whole = log.substr(start, end == std::string::npos ? end : end - start);
    word -= start;
    for (size_t colon = whole.find(':'); colon != std::string::npos; colon = whole.find(':', colon + 1)) {
      char *rest = nullptr;
      unsigned long line = std::strtoul(whole.c_str() + colon + 1, &rest, 10);
      if (line == 0 || *rest != ':') continue;
      std::strtoul(rest + 1, &rest, 10); // the column
      size_t behind = static_cast<size_t>(rest - whole.c_str());
      std::string said = behind < word ? whole.substr(word) : "error" + whole.substr(behind);
      return said + origin(static_cast<unsigned>(line));
    }
    return whole;
  }

  void build(Built &built, cl_context context, cl_device_id device) {
    std::string extensions = text(device, CL_DEVICE_EXTENSIONS);
    for (const Requirement &r : requirements_)
      if (!has(extensions, r.extension)) {
        built.status = TANGRAM_FAILED;
        built.message = std::string(r.user) + " needs the extension " + r.extension + ", which " +
                        text(device, CL_DEVICE_NAME) + " does not have";
        return;
      }
    cl_int code = CL_SUCCESS;
    built.program = clCreateProgramWithSource(context, 1, &text_, nullptr, &code);
    if (code != CL_SUCCESS) {
      built.status = failed(built.message, "making the program", code);
      return;
    }
    std::string options = options_;
    if (number<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
      options += " -cl-fp32-correctly-rounded-divide-sqrt";
    code = clBuildProgram(built.program, 1, &device, options.c_str(), nullptr, nullptr);
    if (code == CL_SUCCESS) return;
    size_t bytes = 0;
    clGetProgramBuildInfo(built.program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
    std::string log(bytes, '\0');
    if (bytes != 0) clGetProgramBuildInfo(built.program, device, CL_PROGRAM_BUILD_LOG, bytes, &log[0], nullptr);
    log.resize(std::strlen(log.c_str()));
    built.status = failed(built.message, "the compiler of " + text(device, CL_DEVICE_NAME) + " refuses " + file_, code);
    built.message += ": " + (log.empty() ? "it does not say why" : explained(log));
  }

  int start(std::string &message, const Launch &what, cl_command_queue queue, uint64_t groups,
            const void *const *values, const size_t *sizes, size_t count) {
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    if (code == CL_SUCCESS) code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
    if (code != CL_SUCCESS) return failed(message, "the stream is no command queue", code);

    // Arguments are set and used in one step: kernels are shared by all threads.
    std::lock_guard<std::mutex> lock(mutex_);
    auto [found, isNew] = built_.emplace(std::make_pair(context, device), Built());
    Built &built = found->second;
    if (isNew) {
      clRetainContext(context); // what it is known by must not be used again for another
      build(built, context, device);
    }
    if (built.status != TANGRAM_OK) {
      message = built.message;
      return built.status;
    }
    cl_kernel &kernel = built.kernels[what.function];
    if (kernel == nullptr) {
      cl_kernel made = clCreateKernel(built.program, what.function, &code);
      if (code != CL_SUCCESS) return failed(message, "finding the function", code);
      kernel = made;
    }
    if (int status = fits(message, what, kernel, device, groups)) return status;
    for (size_t i = 0; i < count; ++i) {
      code = clSetKernelArg(kernel, static_cast<cl_uint>(i), sizes[i], values[i]);
      if (code != CL_SUCCESS) return failed(message, "argument " + std::to_string(i), code);
    }
    size_t threads = what.threads, all = static_cast<size_t>(groups) * threads;
    code = clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &threads, 0, nullptr, nullptr);
    return code == CL_SUCCESS ? TANGRAM_OK : failed(message, "starting it", code);
  }

  static int fits(std::string &message, const Launch &what, cl_kernel kernel, cl_device_id device, uint64_t groups) {
    auto refuse = [&](const std::string &why) {
      message = why + " on " + text(device, CL_DEVICE_NAME);
      return TANGRAM_FAILED;
    };
    size_t most = 0;
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr);
    if (what.threads > most)
      return refuse("its groups have " + std::to_string(what.threads) + " threads, at most " + std::to_string(most) +
                    " are possible");
    cl_ulong local = 0, there = number<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, nullptr);
    if (local > there)
      return refuse("it needs " + std::to_string(local) + " bytes of local memory, there are " + std::to_string(there));
    // Groups are counted in 32 bits, threads in the device's addresses.
    uint64_t limit = number<cl_uint>(device, CL_DEVICE_ADDRESS_BITS) < 64 ? UINT32_MAX / what.threads : UINT32_MAX;
    if (groups > limit)
      return refuse("it has " + std::to_string(groups) + " groups, at most " + std::to_string(limit) + " are possible");
    return TANGRAM_OK;
  }

  const char *file_, *text_;
  const Origin *origins_;
  std::string options_;
  std::vector<Requirement> requirements_;
  std::mutex mutex_;
  std::map<std::pair<cl_context, cl_device_id>, Built> built_;
};

} // namespace tangram_opencl
