#include "Identifiers.h"

#include <dlfcn.h>

namespace tangram {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

} // namespace

bool isInLibrary(const std::string &name) {
  for (const char *library : {"libc.so.6", "libm.so.6"})
    if (void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD); handle) {
      bool found = dlsym(handle, name.c_str()) != nullptr;
      dlclose(handle);
      if (found) return true;
    }
  return false;
}

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (isLetter(c) || isDigit(c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (out.size() > 1 && out.back() == '_') out.pop_back();
  // Names may hold two underscores in a row no more than they may begin with one.
  std::string result;
  for (char c : out)
    if (c != '_' || (!result.empty() && result.back() != '_')) result += c;
  if (result.empty() || isDigit(result.front())) result.insert(result.begin(), 'v');
  return result;
}

} // namespace tangram
