// The wrappers for C++.
#include "tangram/c-family/Entries.h"

#include <fmt/format.h>

namespace tangram::c_family {

using namespace ast;

namespace {

std::string product(const std::vector<std::string> &factors, std::string_view separator) {
  std::string text;
  for (const std::string &factor : factors) text += (text.empty() ? "" : std::string(separator)) + factor;
  return text;
}

enum class Form { Pointers, Dense, Containers };

void wrapper(Writer &w, const Signature &s, const std::string &called, Form form) {
  std::string params, templates, args, call;
  std::string result = "void";
  for (const Argument &a : s.arguments) {
    bool isResult = s.hasResult && &a == &s.arguments.back();
    if (isResult) {
      result = a.element.cName();
      args += (args.empty() ? "&" : ", &") + a.data;
      continue;
    }
    if (!params.empty()) params += ", ";
    if (!args.empty()) args += ", ";
    if (a.rank == 0) {
      params += a.element.cName() + (a.access == Access::In ? " " : " &") + a.data;
      args += (a.access == Access::In ? "" : "&") + a.data;
    } else if (form == Form::Containers) {
      std::string type = "T_" + a.data;
      templates += (templates.empty() ? "class " : ", class ") + type;
      params += (a.access == Access::In ? "const " + type + " &" : type + " &&") + a.data;
      args += fmt::format("std::data({0}), std::size({0})", a.data);
    } else {
      params += pointer(a);
      args += a.data;
      for (const std::string &size : a.sizes) {
        params += ", size_t " + size;
        args += ", " + size;
      }
      for (std::size_t d = 0; d < a.strides.size(); ++d) {
        if (form == Form::Pointers) params += ", size_t " + a.strides[d];
        std::vector<std::string> inner(a.sizes.begin() + static_cast<std::ptrdiff_t>(d) + 1, a.sizes.end());
        args += ", " + (form == Form::Pointers ? a.strides[d] : product(inner, " * "));
      }
    }
  }
  if (form == Form::Containers) {
    // Forwards to the form with pointers, so that it is there only for containers of the right element.
    std::string forwarded = args.substr(0, s.hasResult ? args.rfind(", &") : args.size());
    // By its full name: a struct's own namespace has the C entry, whose name is the same.
    w.line(fmt::format("template <{0}> inline auto {1}({2}) -> decltype(tangram_kernels::{1}({3})) {{ return "
                       "tangram_kernels::{1}({3}); }}",
                       templates, s.entry, params, forwarded));
    return;
  }
  w.open(fmt::format("inline {} {}({})", result, s.entry, params));
  if (s.hasResult) w.line(fmt::format("{} {}{{}};", result, s.arguments.back().data));
  w.line(fmt::format("if (::{}({}) != 0) throw std::runtime_error(::{}_error());", called, args, s.entry));
  if (s.hasResult) w.line(fmt::format("return {};", s.arguments.back().data));
  w.close();
}

} // namespace

void declareEntry(Writer &w, const Signature &s, const std::string &entry) {
  w.line(fmt::format("int {}({});", entry, parameters(s)));
}

void declareError(Writer &w, const Signature &s) {
  w.comment(fmt::format("Why the last call of {} in this thread failed; empty where it did not.", s.entry));
  w.line(fmt::format("const char *{}_error(void);", s.entry));
}

void declareWrapper(Writer &w, const Signature &s, const std::string &called) {
  bool containers = false, strided = false;
  for (const Argument &a : s.arguments) {
    containers |= a.rank > 0;
    strided |= a.rank > 1;
  }
  wrapper(w, s, called, Form::Pointers);
  if (strided) {
    w.comment("Dense: rows follow each other without a gap.");
    wrapper(w, s, called, Form::Dense);
  } else if (containers) {
    w.comment("From whatever has data() and size(): std::vector, std::array, std::span.");
    wrapper(w, s, called, Form::Containers);
  }
}

} // namespace tangram::c_family
