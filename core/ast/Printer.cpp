#include "tangram/ast/Text.h"

#include <fmt/format.h>

namespace tangram::ast {
namespace {

std::string inQuotes(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', static_cast<char>(c)};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += static_cast<char>(c);
  }
  return out + '"';
}

class Printer {
public:
  explicit Printer(PrintOptions options) : options_(options) {}
  std::string out;

  void node(const Node *node) {
    if (!node) {
      out += '-';
      return;
    }
    out += '(';
    out += name(node->kind());
    if (options_.locations && node->range.valid()) {
      const SourceRange &r = node->range;
      out += fmt::format(" @{}:{}:{}-{}:{}", inQuotes(*r.file), r.line, r.column, r.endLine, r.endColumn);
    }
    ++depth_;
    dispatch(*node, [&](const auto &n) {
      if constexpr (std::is_base_of_v<Expr, std::remove_cvref_t<decltype(n)>>) out += ' ' + n.type.text();
      forEachField(n, *this);
    });
    --depth_;
    out += ')';
  }

  void attr(std::string_view, const std::string &v) { word(inQuotes(v)); }
  void attr(std::string_view, const Type &v) { word(v.text()); }
  void attr(std::string_view, bool v) { word(v ? "true" : "false"); }
  void attr(std::string_view, Int v) { word(fmt::to_string(v)); }
  void attr(std::string_view, Real v) { word(fmt::to_string(v)); }
  void attr(std::string_view, const Texts &v) {
    word("[");
    for (std::size_t i = 0; i < v.size(); ++i) out += (i ? " " : "") + inQuotes(v[i]);
    out += ']';
  }
  void attr(std::string_view, const Assumed &v) {
    if (v.empty()) return;
    word("{");
    for (std::size_t i = 0; i < v.size(); ++i) out += (i ? " " : "") + inQuotes(v[i]);
    out += '}';
  }
  void attr(std::string_view name, Flag v) {
    if (v == Flag::Yes) word(name);
  }
  void attr(std::string_view, const Ints &v) { word(fmt::format("[{}]", fmt::join(v, " "))); }
  void attr(std::string_view, const Counts &v) {
    word("{");
    for (const auto &[name, count] : v)
      out += fmt::format("{}{} {}", out.back() == '{' ? "" : " ", inQuotes(name), count);
    out += '}';
  }
  template <class E>
    requires std::is_enum_v<E>
  void attr(std::string_view, E v) {
    word(ast::name(v));
  }
  template <class T> void child(std::string_view, const T *n) {
    if (n && !isa<Expr>(n))
      newline();
    else
      out += ' ';
    node(n);
  }
  template <class T> void opt(std::string_view name, const T *n) { child(name, n); }
  template <class T> void list(std::string_view, const std::vector<const T *> &nodes) {
    word("[");
    ++depth_;
    bool first = true;
    for (const T *n : nodes) {
      if (n && !isa<Expr>(n))
        newline();
      else if (!first)
        out += ' ';
      first = false;
      node(n);
    }
    --depth_;
    out += ']';
  }

private:
  void word(std::string_view text) {
    out += ' ';
    out += text;
  }
  void newline() { out += '\n' + std::string(std::size_t{2} * depth_, ' '); }

  PrintOptions options_;
  unsigned depth_ = 0;
};

} // namespace

std::string print(const Node *node, PrintOptions options) {
  Printer printer(options);
  printer.node(node);
  printer.out += '\n';
  return printer.out;
}

} // namespace tangram::ast
