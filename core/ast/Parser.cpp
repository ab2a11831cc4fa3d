#include "tangram/ast/Text.h"
#include "tangram/diag/Diagnostic.h"

#include <charconv>

namespace tangram::ast {
namespace {

constexpr DiagnosticKind kBadText{"ast.bad-text", DiagnosticClass::User, "this is not a textual AST: {}",
                                  "print one with `tangram compile FILE --emit ast`"};
constexpr unsigned kMaxTextDepth = 600; // deeper text is refused rather than allowed to exhaust the stack

class Parser {
public:
  Parser(std::string_view text, Arena &arena, std::string_view name)
      : text_(text), arena_(arena), file_(arena.internFile(name)) {}

  const Node *whole() {
    const Node *result = node();
    space();
    if (at_ != text_.size()) error("text goes on after the tree");
    if (!result) error("there is no tree");
    return result;
  }

  void attr(std::string_view, std::string &v) { v = quoted(); }
  void attr(std::string_view, Type &v) { v = type(); }
  void attr(std::string_view, bool &v) {
    std::string_view w = word();
    if (w != "true" && w != "false") error(fmt::format("expected true or false, found '{}'", w));
    v = w == "true";
  }
  void attr(std::string_view, Int &v) { v = number<Int>(); }
  void attr(std::string_view, Real &v) { v = number<Real>(); }
  void attr(std::string_view, Texts &v) {
    expect('[');
    while (!eat(']')) v.push_back(quoted());
  }
  void attr(std::string_view, Assumed &v) {
    if (eat('{'))
      while (!eat('}')) v.push_back(quoted());
  }
  void attr(std::string_view name, Flag &v) {
    space();
    if (!text_.substr(at_).starts_with(name)) return;
    at_ += name.size();
    v = Flag::Yes;
  }
  void attr(std::string_view, Ints &v) {
    expect('[');
    while (!eat(']')) v.push_back(number<Int>());
  }
  void attr(std::string_view, Counts &v) {
    expect('{');
    while (!eat('}')) {
      std::string name = quoted();
      v[std::move(name)] = number<Int>();
    }
  }
  template <class E>
    requires std::is_enum_v<E>
  void attr(std::string_view field, E &v) {
    std::string_view w = word();
    std::span<const std::string_view> names = enumNames<E>();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == w) {
        v = static_cast<E>(i);
        return;
      }
    error(fmt::format("expected {} (one of {}), found '{}'", field, fmt::join(names, ", "), w));
  }
  template <class T> void child(std::string_view field, const T *&out) {
    opt(field, out);
    if (!out) error(fmt::format("'{}' may not be absent", field));
  }
  template <class T> void opt(std::string_view field, const T *&out) {
    const Node *n = node();
    if (n && !isa<T>(n)) error(fmt::format("a {} cannot stand as '{}'", name(n->kind()), field));
    out = static_cast<const T *>(n);
  }
  template <class T> void list(std::string_view field, std::vector<const T *> &out) {
    expect('[');
    while (!eat(']')) {
      const T *element = nullptr;
      child(field, element);
      out.push_back(element);
    }
  }

private:
  const Node *node() {
    if (eat('-')) return nullptr;
    expect('(');
    if (++depth_ > kMaxTextDepth) error(fmt::format("it is nested deeper than {}", kMaxTextDepth));
    SourceRange here = position();
    std::string_view kind = word();
    const Node *result = nullptr;
#define NODE(Name, Base)                                                                                               \
  if (kind == #Name) result = fields<Name>(here);
#include "tangram/ast/NodeMacros.h"
    if (!result) error(fmt::format("'{}' is not a kind of node", kind));
    expect(')');
    --depth_;
    return result;
  }

  // Not inlined: a level of nesting shall cost the stack of one kind, not that of all.
  template <class T> [[gnu::noinline]] const Node *fields(SourceRange here) {
    T scratch;
    scratch.range = eat('@') ? location() : here;
    if constexpr (std::is_base_of_v<Expr, T>) scratch.type = type();
    forEachField(scratch, *this);
    return arena_.derive(&scratch, [](T &) {});
  }

  SourceRange location() {
    SourceRange r;
    r.file = arena_.internFile(quoted());
    expect(':');
    r.line = number<unsigned>();
    expect(':');
    r.column = number<unsigned>();
    expect('-');
    r.endLine = number<unsigned>();
    expect(':');
    r.endColumn = number<unsigned>();
    return r;
  }

  // ---- tokens ----

  void space() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') // a comment, to the end of the line
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      else if (!isspace(static_cast<unsigned char>(text_[at_])))
        return;
      else
        ++at_;
    }
  }
  bool eat(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!eat(c))
      error(at_ < text_.size() ? fmt::format("expected '{}', found '{}'", c, text_[at_])
                               : fmt::format("expected '{}', found the end", c));
  }
  std::string_view word() {
    space();
    std::size_t start = at_;
    while (at_ < text_.size() && (isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (at_ == start) error("expected a word");
    return text_.substr(start, at_ - start);
  }
  Type type() {
    space();
    std::size_t start = at_;
    for (int open = 0; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '<') ++open;
      if (c == '>') --open;
      if (open == 0 && (isspace(static_cast<unsigned char>(c)) || c == '(' || c == ')' || c == ']')) break;
    }
    std::string_view written = text_.substr(start, at_ - start);
    std::optional<Type> result = Type::parse(written);
    if (!result) {
      at_ = start;
      error(fmt::format("'{}' is not a type", written));
    }
    return *result;
  }
  template <class N> N number() {
    space();
    N value{};
    auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (code != std::errc()) error("expected a number");
    at_ = end - text_.data();
    return value;
  }
  std::string quoted() {
    expect('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c != '\\') {
        out += c;
        continue;
      }
      if (at_ >= text_.size()) break;
      switch (char escape = text_[at_++]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'x': {
        unsigned value = 0;
        const char *begin = text_.data() + at_, *end = begin + std::min<std::size_t>(2, text_.size() - at_);
        auto [stop, code] = std::from_chars(begin, end, value, 16);
        if (code != std::errc() || stop != begin + 2) error("expected two hexadecimal digits");
        at_ += 2;
        out += static_cast<char>(value);
        break;
      }
      default: out += escape;
      }
    }
    if (at_ >= text_.size()) error("a quoted text does not end");
    ++at_;
    return out;
  }

  SourceRange position() const {
    SourceRange r;
    r.file = file_;
    r.line = 1;
    r.column = 1;
    for (std::size_t i = lineScanned_; i < std::min(at_, text_.size()); ++i)
      if (text_[i] == '\n') {
        ++lines_;
        lineStart_ = i + 1;
      }
    lineScanned_ = std::max(lineScanned_, std::min(at_, text_.size()));
    r.line = 1 + lines_;
    r.column = static_cast<unsigned>(at_ - std::min(lineStart_, at_)) + 1;
    r.endLine = r.line;
    r.endColumn = r.column;
    return r;
  }
  [[noreturn]] void error(const std::string &what) { fail(kBadText, position(), what); }

  std::string_view text_;
  Arena &arena_;
  const std::string *file_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  // Where counting of lines has come to: positions are asked for in rising order.
  mutable std::size_t lineScanned_ = 0, lineStart_ = 0;
  mutable unsigned lines_ = 0;
};

} // namespace

const Node *parse(std::string_view text, Arena &arena, std::string_view name) {
  return Parser(text, arena, name).whole();
}

} // namespace tangram::ast
