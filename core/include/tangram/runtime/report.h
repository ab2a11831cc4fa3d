// For generated code that was compiled checked: what its kernels keep of the first access that was out of range, in
// words of memory that all workers see, and what is said of it. C++17, of the host.
#ifndef TANGRAM_RUNTIME_REPORT_H
#define TANGRAM_RUNTIME_REPORT_H

#include <tangram/runtime/kernel_abi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

// What was compiled checked is, unless who builds it says otherwise: -DTANGRAM_CHECKED=0.
#ifndef TANGRAM_CHECKED
#define TANGRAM_CHECKED 1
#endif

namespace tangram_checked {

/// The record: the number of the site, 0 where there is no error; the low and high halves of index and bound.
enum Word { kSite, kIndexLow, kIndexHigh, kBoundLow, kBoundHigh, kWords };

inline std::uint64_t wide(const std::uint32_t *halves) {
  return halves[0] | static_cast<std::uint64_t>(halves[1]) << 32;
}

/// The text of the record's site, with {index}, {bound} and {last}, which is bound - 1, filled in. A negative index was
/// converted to the type of sizes. Where two calls of a map meet, the index is both numbers of 31 bits: {call},
/// {other}.
template <std::size_t N> int report(char (&message)[N], const std::uint32_t *record, const char *const *sites) {
  if (record[kSite] == 0) return TANGRAM_OK;
  std::uint64_t index = wide(record + kIndexLow), bound = wide(record + kBoundLow), calls = 0x7fffffff;
  const struct {
    const char *name;
    std::uint64_t value;
  } numbers[] = {{"{index}", index},
                 {"{bound}", bound},
                 {"{last}", bound - 1},
                 {"{call}", index >> 31 & calls},
                 {"{other}", index & calls}};
  std::size_t length = 0;
  for (const char *text = sites[record[kSite] - 1]; *text != '\0';) {
    char number[24];
    const char *said = text;
    std::size_t size = 1, taken = 1;
    for (const auto &n : numbers)
      if (std::strncmp(text, n.name, std::strlen(n.name)) == 0) {
        size = static_cast<std::size_t>(std::snprintf(number, sizeof number, "%lld", static_cast<long long>(n.value)));
        said = number;
        taken = std::strlen(n.name);
      }
    for (std::size_t i = 0; i < size && length + 1 < N; ++i) message[length++] = said[i];
    text += taken;
  }
  message[length] = '\0';
  return TANGRAM_OUT_OF_RANGE;
}

} // namespace tangram_checked
#endif
