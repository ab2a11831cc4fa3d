#include "NamedLevels.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tangram::level_matching {
namespace {

using hardware::Level;
using hardware::SyncKind;
using Names = std::vector<std::string>;

constexpr std::string_view kRole = "role:";
constexpr std::array<std::string_view, 6> kRoles = {"kernel", "block", "warp", "subwarp", "subwarp2", "thread"};
constexpr std::size_t kFirstSubgroup = 2, kThread = 5; // places in kRoles

Names synchronisingBy(SyncKind kind, const hardware::Hardware &hardware) {
  Names result;
  for (const Level &level : hardware.levels)
    if (level.sync == kind) result.push_back(level.name);
  return result;
}

Names only(const Names &names, std::size_t at) { return at < names.size() ? Names{names[at]} : Names{}; }

/// The levels below the innermost one that has lanes.
Names lanes(const hardware::Hardware &hardware) {
  auto after = std::find_if(hardware.levels.rbegin(), hardware.levels.rend(), [](const Level &l) { return l.vector; });
  Names result;
  if (after != hardware.levels.rend())
    for (auto level = after.base(); level != hardware.levels.end(); ++level) result.push_back(level->name);
  return result.empty() ? Names{hardware.levels.back().name} : result;
}

Names levelsOfRole(std::size_t role, const hardware::Hardware &hardware) {
  if (role == 0) return {hardware.top().name};
  if (role == 1) return only(synchronisingBy(SyncKind::Barrier, hardware), 0);
  if (role == kThread) return lanes(hardware);
  Names subgroups = synchronisingBy(SyncKind::Warp, hardware);
  if (subgroups.empty()) subgroups = synchronisingBy(SyncKind::LockStep, hardware);
  return only(subgroups, role - kFirstSubgroup);
}

} // namespace

std::optional<Names> levelsNamed(const std::string &word, const hardware::Hardware &hardware) {
  if (!word.starts_with(kRole)) return hardware.find(word) ? std::optional(Names{word}) : std::nullopt;
  auto role = std::find(kRoles.begin(), kRoles.end(), std::string_view(word).substr(kRole.size()));
  if (role == kRoles.end()) return std::nullopt;
  return levelsOfRole(static_cast<std::size_t>(role - kRoles.begin()), hardware);
}

Names nameableLevels(const hardware::Hardware &hardware) {
  Names result = hardware.levelNames();
  for (std::string_view role : kRoles) result.push_back(std::string(kRole) + std::string(role));
  return result;
}

} // namespace tangram::level_matching
