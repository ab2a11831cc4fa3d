// What must not outlive this process, however it ends: killed (SIGKILL), interrupted, or by its own will. A small
// process beside it waits for its end, and then kills and removes what it was told of.
#pragma once

#include <filesystem>
#include <sys/types.h>

namespace tangram::runtime {

/// Starts the process that waits, unless there is one. Children that are forked from here on share it.
void startCleanup();

/// From now on, until dropFolder(), the folder and all below it are removed at the end of this process.
void removeAtEnd(const std::filesystem::path &folder);
void dropFolder(const std::filesystem::path &folder);

/// The same of a process group, which is killed. A child may say so of its own group before it starts others: then
/// there is no moment at which they are not known.
void killAtEnd(pid_t group);
void dropGroup(pid_t group);
/// Whether that was said of the group of this process, so that what it starts there is killed, too.
bool diesWithGroup();

} // namespace tangram::runtime
