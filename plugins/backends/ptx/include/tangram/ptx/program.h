// For generated code: PTX that the driver makes code of, once a context, and launches of its functions. C++17.
#pragma once

#include <tangram/ptx/device.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace tangram_ptx {

/// One launch in a kernel: what messages say, and what it needs.
struct Launch {
  const char *kernel; // the entry
  const char *function;
  const char *plan;
  unsigned threads;    // of a group
  unsigned scratchpad; // bytes of a group, beside what the function has laid out itself
};

class Program {
public:
  /// `file`: what messages call the text, which is for devices from sm_MAJORMINOR on, or for these alone where `exact`.
  Program(const char *file, const char *text, const char *architecture, int major, int minor, bool exact, bool lines)
      : file_(file), text_(text), architecture_(architecture), major_(major), minor_(minor), exact_(exact),
        lines_(lines) {}

  /// Starts `groups` groups in a stream. Arguments are addresses on the device, and scalars of the function's types.
  template <size_t N, class... Args>
  int launch(char (&error)[N], const Launch &what, void *stream, uint64_t groups, const Args &...args) {
    if (groups == 0) return TANGRAM_OK;
    void *values[] = {const_cast<void *>(static_cast<const void *>(&args))..., nullptr};
    std::string message;
    int status = start(message, what, static_cast<Stream>(stream), groups, values);
    if (status != TANGRAM_OK)
      std::snprintf(error, N, "%s: launch %s: %s; the plan is %s", what.kernel, what.function, message.c_str(),
                    what.plan);
    return status;
  }

private:
  struct Loaded {
    Module module = nullptr;
    std::map<std::string, Function> functions;
    std::string message; // why it could not be loaded
    int groups = 0, scratchpad = 0;
  };

  int start(std::string &message, const Launch &what, Stream stream, uint64_t groups, void **values) {
    Current current;
    message = current.message;
    if (!current.ok()) return TANGRAM_FAILED;
    const Driver &driver = current.driver();
    Function function = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto [found, isNew] = loaded_.try_emplace(current.context);
      Loaded &loaded = found->second;
      if (isNew) load(loaded, current);
      message = loaded.message;
      if (!message.empty()) return TANGRAM_FAILED;
      if (groups > static_cast<uint64_t>(loaded.groups)) {
        message =
            "it has " + std::to_string(groups) + " groups, the device takes at most " + std::to_string(loaded.groups);
        return TANGRAM_FAILED;
      }
      if (!find(message, function, loaded, what, current)) return TANGRAM_FAILED;
    }
    Result code = driver.cuLaunchKernel(function, static_cast<unsigned>(groups), 1, 1, what.threads, 1, 1,
                                        what.scratchpad, stream, values, nullptr);
    if (code == 0) return TANGRAM_OK;
    message = driver.text("starting it", code);
    return code == kOutOfMemory ? TANGRAM_OUT_OF_MEMORY : TANGRAM_FAILED;
  }

  bool find(std::string &message, Function &function, Loaded &loaded, const Launch &what, const Current &current) {
    Function &known = loaded.functions[what.function];
    if (known == nullptr) {
      const Driver &driver = current.driver();
      if (what.scratchpad > static_cast<unsigned>(loaded.scratchpad)) {
        message = "its groups need " + std::to_string(what.scratchpad) + " bytes of scratchpad, " + current.name() +
                  " has " + std::to_string(loaded.scratchpad);
        return false;
      }
      Function made = nullptr;
      Result code = driver.cuModuleGetFunction(&made, loaded.module, what.function);
      if (code == 0 && what.scratchpad != 0)
        code = driver.cuFuncSetAttribute(made, kFunctionScratchpad, static_cast<int>(what.scratchpad));
      if (code != 0) {
        message = driver.text("finding the function", code);
        return false;
      }
      known = made;
    }
    function = known;
    return true;
  }

  void load(Loaded &loaded, const Current &current) const {
    int major = current.attribute(kMajor), minor = current.attribute(kMinor);
    bool fits = exact_ ? major == major_ && minor == minor_ : major > major_ || (major == major_ && minor >= minor_);
    if (!fits) {
      loaded.message = std::string(file_) + " is built for " + architecture_ + (exact_ ? " alone" : " and newer") +
                       ", " + current.name() + " is sm_" + std::to_string(major) + std::to_string(minor) +
                       ": compile it with the backend's option 'arch: sm_" + std::to_string(major) +
                       std::to_string(minor) + "', or an older one";
      return;
    }
    loaded.groups = current.attribute(kGroups);
    loaded.scratchpad = current.attribute(kScratchpadBytes);
    static char log[8192];
    static std::mutex logMutex;
    std::lock_guard<std::mutex> lock(logMutex);
    log[0] = '\0';
    int options[] = {kErrorLog, kErrorLogBytes, kLineInfo};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log), reinterpret_cast<void *>(uintptr_t{1})};
    Result code = current.driver().cuModuleLoadDataEx(&loaded.module, text_, lines_ ? 3 : 2, options, values);
    log[sizeof log - 1] = '\0';
    if (code != 0) loaded.message = rejected(current, code, log);
  }

  std::string rejected(const Current &current, Result code, const std::string &log) const {
    std::string message = current.driver().text("the driver of " + current.name() + " rejects " + file_, code);
    if (code == kUnsupportedPtx) {
      int version = 0;
      current.driver().cuDriverGetVersion(&version);
      const char *end = std::strchr(text_, '\n'), *said = std::strstr(text_, ".version");
      if (said != nullptr) end = std::strchr(said, '\n');
      return message + ": it is written in PTX" +
             (said != nullptr && end != nullptr ? std::string(said + 8, end) : std::string()) +
             ", which a driver for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) +
             " does not know; update the driver";
    }
    size_t at = log.find("line ");
    unsigned long line = at == std::string::npos ? 0 : std::strtoul(log.c_str() + at + 5, nullptr, 10);
    return message + ": " + (log.empty() ? "it does not say why" : log) + origin(line);
  }

  /// The line of the text, and the comment above it that says which codelet it came from.
  std::string origin(unsigned long line) const {
    std::string codelet;
    const char *from = text_;
    for (unsigned long n = 1; line != 0 && *from != '\0'; ++n) {
      const char *end = std::strchr(from, '\n');
      std::string here(from, end != nullptr ? static_cast<size_t>(end - from) : std::strlen(from));
      here.erase(0, here.find_first_not_of(" \t") == std::string::npos ? here.size() : here.find_first_not_of(" \t"));
      if (here.compare(0, 4, "//@ ") == 0) codelet = here.substr(4);
      if (n == line)
        return " [" + std::string(file_) + " line " + std::to_string(line) + ", `" + here + "`" +
               (codelet.empty() ? "" : ", from " + codelet.substr(codelet.compare(0, 3, "at ") == 0 ? 3 : 0)) + "]";
      if (end == nullptr) break;
      from = end + 1;
    }
    return "";
  }

  const char *file_, *text_, *architecture_;
  int major_, minor_;
  bool exact_, lines_;
  std::mutex mutex_;
  std::map<Context, Loaded> loaded_;
};

} // namespace tangram_ptx
