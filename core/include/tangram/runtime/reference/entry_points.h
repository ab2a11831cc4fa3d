// What the caller of a reference kernel asks, beside the kernel.
#pragma once

#include <tangram/runtime/kernel_abi.h>
#include <tangram/runtime/reference/shadow.h>

#include <cstdint>

namespace tangram::reference {

/// What a kernel does around its own work: called by who does not ask what is known of its results, as any other
/// kernel, it is to leave these in memory, and not to know of what another call has left there.
class KernelCall {
public:
  KernelCall() {
    if (!call.asked)
      for (auto *s = AnyShadow::first; s; s = s->next) s->clear();
  }
  ~KernelCall() {
    if (!call.asked)
      for (auto *s = AnyShadow::first; s; s = s->next) s->flush();
  }
  KernelCall(const KernelCall &) = delete;
  KernelCall &operator=(const KernelCall &) = delete;
};

} // namespace tangram::reference

extern "C" {
/// Before a call; `answers` as in Call. After one with its own answers, there are bounds on how often others are given.
__attribute__((visibility("default"), used)) inline void tangram_reference_begin(std::uint64_t answers) {
  using tangram::reference::Call;
  static std::uint64_t asked = 0;
  if (tangram::reference::call.answers == Call::Own) asked = tangram::reference::call.undecided;
  tangram::reference::call = {answers, answers == Call::Own ? UINT64_MAX : tangram::reference::mostOthers(asked), 0,
                              true};
  for (auto *s = tangram::reference::AnyShadow::first; s; s = s->next) s->clear();
}
/// After it: elements hold what the kernel gets in its own type. Returns how many such questions there were.
__attribute__((visibility("default"), used)) inline std::uint64_t tangram_reference_end() {
  for (auto *s = tangram::reference::AnyShadow::first; s; s = s->next) s->flush();
  tangram::reference::call.asked = false;
  return tangram::reference::call.undecided;
}
/// Of a number of that type (a tangram_element) that lies at an address: true where the kernel has written it.
__attribute__((visibility("default"), used)) inline bool tangram_reference_number(const void *address, int element,
                                                                                  tangram_reference_element *number) {
  for (auto *s = tangram::reference::AnyShadow::first; s; s = s->next)
    if (s->element == element) return s->describe(address, number);
  return false;
}
}
