// For generated code that was compiled checked: what a kernel's record says, once it is done. C++17.
#pragma once

#include <tangram/ptx/device.h>
#include <tangram/runtime/report.h>

namespace tangram_ptx {

/// Waits for what the stream has, and reads the record that begins `offset` bytes into the workspace.
template <size_t N>
int report(char (&message)[N], const char *kernel, void *stream, const void *workspace, size_t offset,
           const char *const *sites) {
  uint32_t record[tangram_checked::kWords] = {};
  int status = fetch(message, kernel, &record, workspace, offset, stream);
  return status == TANGRAM_OK ? tangram_checked::report(message, record, sites) : status;
}

} // namespace tangram_ptx
