#include "Lexer.h"

#include "Messages.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace tangram::hidp {
namespace {

/// Longer ones first.
constexpr std::array<std::string_view, 43> kSymbols = {
    ":=", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=",
    "%=", "&=",  "|=",  "^=", "++", "--", "+",  "-",  "*",  "/",  "%",  "=",  "<",  ">",  "!",
    "~",  "&",   "|",   "^",  "?",  ":",  ";",  ",",  "(",  ")",  "[",  "]",  "."};

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool inName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
public:
  explicit Lexer(const Source &source) : source_(source), text_(source.text()) {}

  std::vector<Token> run() {
    while (skip()) next();
    add(TokenKind::End, "", at_);
    return std::move(out_);
  }

private:
  char look(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void add(TokenKind kind, std::string text, std::size_t begin) {
    out_.push_back({kind, std::move(text), {begin, at_}});
  }

  /// White space and comments; false at the end.
  bool skip() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        pragma(begin);
        --at_;
      } else if (!std::isspace(static_cast<unsigned char>(c))) {
        return true;
      }
    }
    return false;
  }

  /// `#pragma hidp ...` of the line that ends here; all else behind # is a comment.
  void pragma(std::size_t begin) {
    std::string_view line(text_.data() + begin + 1, at_ - begin - 1);
    auto word = [&] {
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line[0]))) line.remove_prefix(1);
      std::size_t length = 0;
      while (length < line.size() && inName(line[length])) ++length;
      std::string_view found = line.substr(0, length);
      line.remove_prefix(length);
      return found;
    };
    if (word() != "pragma" || word() != "hidp") return;
    add(TokenKind::Pragma, std::string(line), begin);
  }

  void next() {
    const std::size_t begin = at_;
    const char c = look();
    if (startsName(c)) {
      while (inName(look())) ++at_;
      add(TokenKind::Name, text_.substr(begin, at_ - begin), begin);
    } else if (isDigit(c) || (c == '.' && isDigit(look(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      quoted(c);
    } else {
      symbol();
    }
  }

  void number() {
    const std::size_t begin = at_;
    const bool hexadecimal = look() == '0' && (look(1) == 'x' || look(1) == 'X');
    // As in C: digits, letters and dots, and a sign behind an exponent.
    while (inName(look()) || look() == '.') {
      const bool exponent = !hexadecimal && (look() == 'e' || look() == 'E');
      ++at_;
      if (exponent && (look() == '+' || look() == '-')) ++at_;
    }
    add(TokenKind::Number, text_.substr(begin, at_ - begin), begin);
  }

  void quoted(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') ++at_;
    if (look() != quote) fail(kQuote, source_.range({begin, at_}), text_.substr(begin, 1));
    ++at_;
    add(TokenKind::Text, text_.substr(begin + 1, at_ - begin - 2), begin);
  }

  void symbol() {
    const std::size_t begin = at_;
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("//") || rest.starts_with("/*"))
      fail(kComment, source_.range({begin, begin + 2}), rest.substr(0, 2));
    if (look() == '{' || look() == '}') {
      ++at_;
      return add(TokenKind::Symbol, text_.substr(begin, 1), begin);
    }
    for (std::string_view s : kSymbols)
      if (rest.starts_with(s)) {
        at_ += s.size();
        return add(TokenKind::Symbol, std::string(s), begin);
      }
    // All bytes of a character of UTF-8 together.
    std::size_t end = begin + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0u) == 0x80u) ++end;
    fail(kCharacter, source_.range({begin, end}), shown(text_.substr(begin, end - begin)));
  }

  const Source &source_;
  const std::string &text_;
  std::size_t at_ = 0;
  std::vector<Token> out_;
};

} // namespace

std::vector<Token> tokens(const Source &source) { return Lexer(source).run(); }

} // namespace tangram::hidp
