// A compiler that runs beside this process, and ends with it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tangram::c_family {

/// A compiler, whose output goes to a file. Where this process ends before it does, in whatever way, it is killed, and
/// what it keeps in the temporary folder removed. (Boost.Process would make everybody who links this library link
/// Boost.)
class CompilerProcess {
public:
  CompilerProcess() = default;
  CompilerProcess(const CompilerProcess &) = delete;
  CompilerProcess &operator=(const CompilerProcess &) = delete;
  ~CompilerProcess();

  /// Returns an errno: ENOENT where there is no such program, by its path or on the PATH.
  int start(const std::string &program, const std::vector<std::string> &args, const std::filesystem::path &log);
  /// Its exit code, as a shell has it; nothing where `cancelled`, asked again and again, had it stopped.
  std::optional<int> wait(const std::function<bool()> &cancelled);

private:
  bool makeFolder();
  void ended();

  pid_t pid_ = -1, group_ = -1;
  std::filesystem::path folder_;
};

} // namespace tangram::c_family
