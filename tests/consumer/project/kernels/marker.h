// In kernels that are compiled with the flags of marked.yaml.
#pragma once
static_assert(sizeof(MARK) == sizeof("two words"));
__attribute__((weak)) const char *compiledWith() { return MARK; }
