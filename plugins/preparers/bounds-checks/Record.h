// Where a kernel keeps the first error: words of memory that all its workers see, laid out as
// tangram/runtime/report.h says. What a kernel for a device does on the host has a record of its own.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"

#include <optional>

namespace tangram::checks {

class Record {
public:
  Record(const hardware::Hardware &hardware, ast::Names &names);

  /// A reference to that of the code here.
  const ast::Expr *pointer(const ast::Build &b);
  /// That of the device, for the host, which fetches a word of it.
  const ast::Expr *ofDevice(const ast::Build &b);
  /// Whether some of the kernel runs on a device.
  bool onDevice() const { return levels_.has_value(); }
  /// Of the launch that was entered last.
  const hardware::LaunchLevels &levels() const { return *levels_; }
  /// What follows runs on a device.
  void enter(const ast::Launch &launch) {
    inLaunch_ = true;
    if (levels_) levels_ = levels_->ofGroups(launch.threads);
  }
  void leaveLaunch() { inLaunch_ = false; }
  bool inLaunch() const { return inLaunch_; }

  /// The body with the records that it uses made empty in front, and reported behind.
  const ast::Block *around(ast::Arena &arena, const ast::Block *body, const std::vector<std::string> &sites) const;

private:
  using Stmts = std::vector<const ast::Stmt *>;
  void makeForDevice(const ast::Build &b, Stmts &front) const;
  void makeForHost(const ast::Build &b, Stmts &front) const;
  const ast::Expr *pointer(const ast::Build &b, const std::string &name) const;

  std::string name_, hostName_;
  std::string level_; // whose workers share it
  std::optional<hardware::LaunchLevels> levels_;
  std::uint64_t threads_; // of a group of a launch of its own
  bool inLaunch_ = false, used_ = false, usedByHost_ = false;
};

} // namespace tangram::checks
