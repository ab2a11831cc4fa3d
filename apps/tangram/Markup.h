// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace tangram::driver {

inline std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    default: result += c;
    }
  return result;
}

} // namespace tangram::driver
