// How a level synchronises the units of the level below it (dissertation, 5.1), and what follows from it: whether they
// are started or begin with their unit, whether they can wait for each other, whether they are workers at all.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tangram::hardware {

enum class SyncKind : std::uint8_t { Join, Relaunch, Barrier, Warp, LockStep, CloseLoop, None };

/// As target files write them, in the order of SyncKind.
inline constexpr std::array<std::string_view, 7> kSyncNames = {"join",      "relaunch",   "barrier", "warp",
                                                               "lock-step", "close-loop", "none"};
constexpr std::string_view name(SyncKind kind) { return kSyncNames[static_cast<std::size_t>(kind)]; }
constexpr std::optional<SyncKind> syncNamed(std::string_view name) {
  for (std::size_t i = 0; i < kSyncNames.size(); ++i)
    if (kSyncNames[i] == name) return static_cast<SyncKind>(i);
  return std::nullopt;
}

/// Units below begin with the unit that they are of, and wait for each other at a barrier.
constexpr bool meet(SyncKind kind) { return kind == SyncKind::Barrier || kind == SyncKind::Warp; }
/// Units below are iterations of an unrolled loop, and no workers of their own.
constexpr bool areIterations(SyncKind kind) { return kind == SyncKind::CloseLoop; }
/// Units below advance together, statement by statement: as iterations do, or as lanes of a vector unit. One of them
/// with nothing to do waits for the others.
constexpr bool advanceTogether(SyncKind kind) { return kind == SyncKind::LockStep || kind == SyncKind::CloseLoop; }
/// Units below are lanes, which go through the same code side by side: of a vector unit, or threads of a warp.
constexpr bool areLanes(SyncKind kind) { return kind == SyncKind::Warp || kind == SyncKind::LockStep; }
/// Units below that have something to say to each other need a barrier in between.
constexpr bool needBarrier(SyncKind kind) { return kind != SyncKind::None && !advanceTogether(kind); }
/// Units below may be threads of the operating system, forked and joined.
constexpr bool mayBeThreads(SyncKind kind) { return kind == SyncKind::Join || kind == SyncKind::Barrier; }

} // namespace tangram::hardware
