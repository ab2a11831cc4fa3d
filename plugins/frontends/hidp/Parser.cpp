#include "Parser.h"

#include "Lexer.h"
#include "Messages.h"
#include "Words.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::hidp {

using namespace syntax;

namespace {

/// Of expressions and blocks in each other: what is deeper is a mistake, or made by a program.
constexpr unsigned kMostDeep = 200;

class Parser {
public:
  explicit Parser(const Source &source) : source_(source), tokens_(tokens(source)) {}

  Program run() {
    for (const Token &t : tokens_)
      if (t.kind == TokenKind::Name && t.text == "struct") structs_.push_back((&t)[1].text);
    while (!at(TokenKind::End)) {
      if (atName("function"))
        program_.functions.push_back(function());
      else if (atName("struct"))
        program_.structs.push_back(structure());
      else
        fail(kTopLevel, here(), spelled(look()));
    }
    if (program_.functions.empty()) fail(kNoFunctions, source_.whole());
    return std::move(program_);
  }

private:
  // ---- words ----
  const Token &look(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool at(TokenKind kind) const { return look().kind == kind; }
  bool at(std::string_view symbol, std::size_t ahead = 0) const {
    return look(ahead).kind == TokenKind::Symbol && look(ahead).text == symbol;
  }
  bool atName(std::string_view name, std::size_t ahead = 0) const {
    return look(ahead).kind == TokenKind::Name && look(ahead).text == name;
  }
  ast::SourceRange here() const { return source_.range(look().piece); }
  static std::string spelled(const Token &t) {
    return t.kind == TokenKind::End ? "the end of the file" : t.kind == TokenKind::Pragma ? "#pragma hidp" : t.text;
  }
  const Token &take() {
    const Token &t = look();
    if (at_ + 1 < tokens_.size()) ++at_;
    return t;
  }
  bool accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    take();
    return true;
  }
  Piece previous() const { return tokens_[at_ ? at_ - 1 : 0].piece; }
  Piece since(Piece first) const { return spanning(first, previous()); }

  /// `where`: "behind the condition".
  Piece expect(std::string_view symbol, std::string_view where, std::string_view advice) {
    if (!at(symbol)) fail(kExpected, here(), fmt::format("a {}", symbol), where, spelled(look()), advice);
    return take().piece;
  }
  void end(std::string_view what) { expect(";", fmt::format("behind {}", what), "a ; at the end of each statement"); }

  const Token &name(std::string_view what, std::string_view advice) {
    if (!at(TokenKind::Name)) fail(kExpected, here(), "a name", what, spelled(look()), advice);
    const Token &t = take();
    if (isKeyword(t.text)) fail(kReserved, source_.range(t.piece), t.text, "HiDP");
    if (isTypeWord(t.text)) fail(kReserved, source_.range(t.piece), t.text, "C");
    if (isWordOfCpp(t.text)) fail(kReserved, source_.range(t.piece), t.text, "C++, which the entry is called from");
    return t;
  }

  class Deeper {
  public:
    explicit Deeper(Parser &parser) : parser_(parser) {
      if (++parser.depth_ > kMostDeep) fail(kDepth, parser.here(), kMostDeep);
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper &) = delete;

  private:
    Parser &parser_;
  };

  // ---- declarations ----
  bool atType() const {
    return at(TokenKind::Name) && (isTypeWord(look().text) || atName("struct") || atName("const") ||
                                   std::find(structs_.begin(), structs_.end(), look().text) != structs_.end());
  }

  /// In C's words, with one blank between them.
  std::string type(Piece &piece) {
    piece = look().piece;
    std::string result;
    while (atName("const") || atName("struct")) take();
    if (at(TokenKind::Name) && isTypeWord(look().text)) {
      while (at(TokenKind::Name) && isTypeWord(look().text)) result += (result.empty() ? "" : " ") + take().text;
    } else if (at(TokenKind::Name)) {
      result = take().text;
    } else {
      fail(kType, here(), spelled(look()));
    }
    piece = since(piece);
    return result;
  }

  Declarator declarator(const std::string &type, Piece typePiece) {
    Declarator d;
    d.type = type;
    d.typePiece = typePiece;
    d.piece = look().piece;
    d.name = name("in the declaration", "a name behind the type, as in float A[M][N]").text;
    while (accept("[")) {
      d.extents.push_back(expr());
      expect("]", "behind the extent", "one pair of brackets for each dimension: A[M][N]");
    }
    d.piece = since(d.piece);
    return d;
  }

  std::vector<Argument> arguments() {
    std::vector<Argument> result;
    while (atName("input") || atName("output") || atName("inout")) {
      const std::string word = take().text;
      const Flow flow = word == "input" ? Flow::Input : word == "output" ? Flow::Output : Flow::InOut;
      Piece typePiece;
      std::string typeName = type(typePiece);
      do {
        if (atType() && look(1).kind == TokenKind::Name) typeName = type(typePiece);
        result.push_back({flow, declarator(typeName, typePiece)});
      } while (accept(","));
      expect(";", fmt::format("behind the {} arguments", word), "a ; behind the last one");
    }
    return result;
  }

  Struct structure() {
    Struct s;
    s.piece = take().piece;
    s.namePiece = look().piece;
    s.name = name("behind struct", "struct NAME { float x, y; };").text;
    expect("{", "behind the struct's name", "struct NAME { float x, y; };");
    while (!at("}")) {
      Piece typePiece;
      const std::string fieldType = type(typePiece);
      do s.fields.push_back(declarator(fieldType, typePiece));
      while (accept(","));
      end("the field");
    }
    expect("}", "behind the fields", "a }");
    accept(";");
    s.piece = since(s.piece);
    return s;
  }

  Function function() {
    Function f;
    f.piece = take().piece;
    f.namePiece = look().piece;
    f.name = name("behind function", "function NAME").text;
    accept(";");
    f.arguments = arguments();
    f.body.piece = look().piece;
    const bool braces = accept("{");
    if (braces && f.arguments.empty()) f.arguments = arguments();
    while (!at(TokenKind::End) && !(braces ? at("}") : atName("function") || atName("struct"))) {
      if (atName("input") || atName("output") || atName("inout")) fail(kLateArgument, here(), look().text);
      f.body.stmts.push_back(statement());
    }
    if (braces) expect("}", fmt::format("behind the body of '{}'", f.name), "a } for each {");
    f.body.piece = since(f.body.piece);
    f.piece = since(f.piece);
    return f;
  }

  // ---- statements ----
  Block block(std::string_view what) {
    Deeper deeper(*this);
    Block b;
    b.piece = expect("{", fmt::format("behind {}", what), "a { around the statements");
    while (!at("}")) {
      if (at(TokenKind::End)) expect("}", fmt::format("behind {}", what), "a } for each {");
      b.stmts.push_back(statement());
    }
    take();
    b.piece = since(b.piece);
    return b;
  }

  /// One statement counts as a block.
  Block branch(std::string_view what) {
    if (at("{")) return block(what);
    Deeper deeper(*this);
    Block b;
    b.piece = look().piece;
    b.stmts.push_back(statement());
    b.piece = since(b.piece);
    return b;
  }

  StmtPtr statement() {
    auto s = std::make_unique<Stmt>();
    s->piece = look().piece;
    if (at(TokenKind::Pragma)) {
      s->levels = levels(take());
      if (!atName("map")) fail(kPragmaPlace, source_.range(s->piece));
      s->piece = look().piece;
    }
    if (atName("map")) {
      map(*s);
    } else if (at("{")) {
      s->kind = Stmt::Kind::Block;
      s->body = block("this");
    } else if (atName("if")) {
      take();
      s->kind = Stmt::Kind::If;
      s->value = condition("if");
      s->body = branch("the condition");
      if (atName("else")) {
        take();
        s->otherwise = branch("else");
      }
    } else if (atName("while")) {
      take();
      s->kind = Stmt::Kind::While;
      s->value = condition("while");
      s->body = branch("the condition");
    } else if (atName("for")) {
      loop(*s);
    } else {
      simple(*s);
      end(s->kind == Stmt::Kind::Declare ? "the declaration" : "the statement");
    }
    s->piece = since(s->piece);
    return s;
  }

  ExprPtr condition(std::string_view word) {
    expect("(", fmt::format("behind {}", word), "the condition in parentheses");
    ExprPtr e = expr();
    expect(")", "behind the condition", "the condition in parentheses");
    return e;
  }

  void loop(Stmt &s) {
    constexpr std::string_view kForm = "for (_t = 0; _t < _n; _t += 1) { ... }";
    take();
    s.kind = Stmt::Kind::For;
    expect("(", "behind for", kForm);
    s.init = std::make_unique<Stmt>();
    s.init->piece = look().piece;
    simple(*s.init);
    expect(";", "behind the loop's start", kForm);
    s.value = expr();
    expect(";", "behind the loop's condition", kForm);
    s.step = std::make_unique<Stmt>();
    s.step->piece = look().piece;
    simple(*s.step);
    expect(")", "behind the loop's step", kForm);
    s.body = branch("for (...)");
  }

  /// A declaration, an assignment or a call, without its end.
  void simple(Stmt &s) {
    const bool unknownType = look().kind == TokenKind::Name && look(1).kind == TokenKind::Name;
    if (atType() && !at("(", 1)) {
      s.kind = Stmt::Kind::Declare;
      Piece typePiece;
      const std::string name = type(typePiece);
      do {
        s.declarators.push_back(declarator(name, typePiece));
        if (accept("=")) s.declarators.back().init = expr();
      } while (accept(","));
      s.piece = since(s.piece);
      return;
    }
    if (unknownType && !isKeyword(look().text)) fail(kType, here(), look().text);
    if (at(TokenKind::Name) && at(":=", 1)) fail(kLateIterator, here(), look().text);
    if (at("++") || at("--")) {
      const std::string op = take().text == "++" ? "+=" : "-=";
      step(s, op, postfix());
      return;
    }
    ExprPtr left = postfix();
    static constexpr std::string_view kAssigning[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    const bool assigns = look().kind == TokenKind::Symbol &&
                         std::find(std::begin(kAssigning), std::end(kAssigning), look().text) != std::end(kAssigning);
    if (assigns) {
      s.kind = Stmt::Kind::Assign;
      s.op = take().text;
      s.target = std::move(left);
      s.value = expr();
    } else if (at("++") || at("--")) {
      step(s, take().text == "++" ? "+=" : "-=", std::move(left));
    } else if (left->kind == Expr::Kind::Call) {
      s.kind = Stmt::Kind::Call;
      s.value = std::move(left);
    } else if (at(";")) {
      fail(kNoEffect, source_.range(left->piece));
    } else {
      fail(kExpected, here(), "a =", "in the statement", spelled(look()), "an assignment, a call or a map block");
    }
    s.piece = since(s.piece);
  }

  void step(Stmt &s, const std::string &op, ExprPtr target) {
    s.kind = Stmt::Kind::Assign;
    s.op = op;
    s.value = std::make_unique<Expr>();
    s.value->kind = Expr::Kind::Number;
    s.value->text = "1";
    s.value->piece = target->piece;
    s.target = std::move(target);
    s.piece = since(s.piece);
  }

  // ---- map blocks ----
  std::vector<std::pair<std::string, Piece>> levels(const Token &pragma) {
    static const std::vector<std::string> kLevels = {"kernel", "block", "warp", "subwarp", "subwarp2", "thread"};
    std::vector<std::pair<std::string, Piece>> result;
    const std::string &text = pragma.text;
    for (std::size_t i = 0; i < text.size();) {
      // The paper's own form has them in brackets, with bars between them.
      if (std::string_view(" \t\r,|[]").find(text[i]) != std::string_view::npos) {
        ++i;
        continue;
      }
      std::size_t end = text.find_first_of(" \t\r,|[]", i);
      end = std::min(end, text.size());
      const std::size_t base = pragma.piece.end - text.size();
      const Piece piece{base + i, base + end};
      const std::string word = text.substr(i, end - i);
      if (std::find(kLevels.begin(), kLevels.end(), word) == kLevels.end())
        fail(kLevel, source_.range(piece), shown(word), suggest(word, kLevels));
      result.emplace_back(word, piece);
      i = end;
    }
    if (result.empty()) fail(kNoLevel, source_.range(pragma.piece));
    return result;
  }

  void map(Stmt &s) {
    Deeper deeper(*this);
    s.kind = Stmt::Kind::Map;
    take();
    s.body.piece = expect("{", "behind map", "map { i := [0:N); ... }");
    while (at(TokenKind::Name) && at(":=", 1)) s.iterators.push_back(iterator());
    if (s.iterators.empty()) fail(kNoIterators, source_.range(s.piece));
    while (!at("}")) {
      if (at(TokenKind::End)) expect("}", "behind the map block", "a } for each {");
      s.body.stmts.push_back(statement());
    }
    take();
    s.body.piece = since(s.body.piece);
    if (at(TokenKind::Name) && at("(", 1) && reducesIterators()) s.suffix = suffix();
    accept(";");
    s.piece = since(s.piece);
  }

  /// name(... name := ...) stands here: what belongs to the map block before it.
  bool reducesIterators() const {
    unsigned open = 0;
    for (std::size_t i = 1; look(i).kind != TokenKind::End && !at(";", i) && !at("{", i); ++i) {
      if (at("(", i)) ++open;
      if (at(")", i) && --open == 0) return false;
      if (at(":=", i)) return true;
    }
    return false;
  }

  Iterator iterator() {
    Iterator it;
    it.namePiece = it.piece = look().piece;
    it.name = name("in the map block", "an iterator").text;
    take(); // :=
    if (!at("[") && !at("(")) fail(kRange, here(), it.name);
    it.lowIncluded = take().text == "[";
    if (at("*")) fail(kRange, here(), it.name);
    it.low = range();
    expect(":", "between the ends of the range", fmt::format("{} := [low:high)", it.name));
    it.high = range();
    if (!at("]") && !at(")"))
      fail(kExpected, here(), "a ] or )", "behind the range", spelled(look()),
           fmt::format("{} := [low:high)", it.name));
    it.highIncluded = take().text == "]";
    if (!accept(",")) end("the range");
    it.piece = since(it.piece);
    return it;
  }

  Suffix suffix() {
    Suffix x;
    x.piece = x.functionPiece = look().piece;
    x.function = take().text;
    if (x.function != "reduce") fail(kSuffix, source_.range(x.functionPiece), x.function);
    take(); // (
    std::vector<ExprPtr> args;
    do {
      if (at(TokenKind::Name) && at(":=", 1)) {
        const Token &t = take();
        take();
        if (!at("[") || !at("*", 1) || !at("]", 2)) fail(kStarred, source_.range(t.piece), t.text);
        take(), take(), take();
        x.starred.emplace_back(t.text, t.piece);
      } else {
        args.push_back(expr());
        if (!x.starred.empty())
          fail(kSuffixArguments, source_.range(args.back()->piece), "an argument stands behind the iterators");
      }
    } while (accept(","));
    expect(")", "behind the suffix's arguments", "reduce(\"+\", output, _scalar, i:=[*])");
    x.piece = since(x.piece);
    if (args.size() != 3)
      fail(kSuffixArguments, source_.range(x.piece),
           fmt::format("the suffix has {} argument{} in front of the iterators, not three", args.size(),
                       args.size() == 1 ? "" : "s"));
    if (args[0]->kind != Expr::Kind::Operator)
      fail(kSuffixArguments, source_.range(args[0]->piece), "the suffix's first argument is no operator in quotes");
    x.op = args[0]->text;
    x.opPiece = args[0]->piece;
    x.output = std::move(args[1]);
    x.input = std::move(args[2]);
    return x;
  }

  // ---- expressions ----
  ExprPtr make(Expr::Kind kind, std::string text, Piece piece) {
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->text = std::move(text);
    e->piece = piece;
    return e;
  }

  ExprPtr expr() {
    Deeper deeper(*this);
    ExprPtr e = binary(1);
    if (!at("?")) return e;
    take();
    ExprPtr result = make(Expr::Kind::Conditional, "?", e->piece);
    result->args.push_back(std::move(e));
    result->args.push_back(expr());
    expect(":", "in the conditional expression", "condition ? a : b");
    result->args.push_back(expr());
    result->piece = since(result->piece);
    return result;
  }

  /// An end of a range: a `?` would be read together with the `:` behind it.
  ExprPtr range() {
    Deeper deeper(*this);
    return binary(1);
  }

  static int precedence(std::string_view op) {
    static constexpr std::string_view kLevels[][4] = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    int level = 1;
    for (const auto &ops : kLevels) {
      for (std::string_view o : ops)
        if (!o.empty() && o == op) return level;
      ++level;
    }
    return 0;
  }

  ExprPtr binary(int least) {
    ExprPtr left = unary();
    unsigned length = 0;
    for (;;) {
      const int level = look().kind == TokenKind::Symbol ? precedence(look().text) : 0;
      if (level == 0 || level < least) return left;
      if (++length > 20 * kMostDeep) fail(kDepth, here(), 20 * kMostDeep);
      ExprPtr e = make(Expr::Kind::Binary, take().text, left->piece);
      Deeper deeper(*this);
      e->args.push_back(std::move(left));
      e->args.push_back(binary(level + 1));
      e->piece = since(e->piece);
      left = std::move(e);
    }
  }

  ExprPtr unary() {
    Deeper deeper(*this);
    if (at("-") || at("+") || at("!") || at("~")) {
      const Token &t = take();
      ExprPtr e = make(Expr::Kind::Unary, t.text, t.piece);
      e->args.push_back(unary());
      e->piece = since(e->piece);
      return e;
    }
    if (at("(") && look(1).kind == TokenKind::Name && isTypeWord(look(1).text)) {
      const Piece begin = take().piece;
      Piece typePiece;
      ExprPtr e = make(Expr::Kind::Cast, type(typePiece), begin);
      expect(")", "behind the type", "(float)x");
      e->args.push_back(unary());
      e->piece = since(e->piece);
      return e;
    }
    return postfix();
  }

  ExprPtr postfix() {
    ExprPtr e = primary();
    for (;;) {
      if (at("[")) {
        if (e->kind != Expr::Kind::Index) {
          ExprPtr index = make(Expr::Kind::Index, "", e->piece);
          index->args.push_back(std::move(e));
          e = std::move(index);
        }
        take();
        e->args.push_back(expr());
        expect("]", "behind the index", "one pair of brackets for each dimension: A[i][j]");
        if (e->args.size() > kMostDeep) fail(kDepth, here(), kMostDeep);
      } else if (at(".")) {
        take();
        ExprPtr member = make(Expr::Kind::Member, name("behind .", "a field of the struct").text, e->piece);
        member->args.push_back(std::move(e));
        e = std::move(member);
        if (++members_ > 20 * kMostDeep) fail(kDepth, here(), 20 * kMostDeep);
      } else {
        return e;
      }
      e->piece = since(e->piece);
    }
  }

  ExprPtr primary() {
    Deeper deeper(*this);
    if (at(TokenKind::Number)) {
      const Token &t = take();
      return make(Expr::Kind::Number, t.text, t.piece);
    }
    if (atName("true") || atName("false")) {
      const Token &t = take();
      return make(Expr::Kind::Number, t.text, t.piece);
    }
    if (at(TokenKind::Text)) {
      const Token &t = take();
      return make(Expr::Kind::Operator, t.text, t.piece);
    }
    if (at("(")) {
      const Piece begin = take().piece;
      ExprPtr e = expr();
      expect(")", "behind the expression", "a ) for each (");
      e->piece = since(begin);
      return e;
    }
    if (at(TokenKind::Name) && isTypeWord(look().text) && at("(", 1)) {
      const Token &t = take();
      take();
      ExprPtr e = make(Expr::Kind::Cast, t.text, t.piece);
      e->args.push_back(expr());
      expect(")", "behind the value", "float(x)");
      e->piece = since(e->piece);
      return e;
    }
    if (!at(TokenKind::Name))
      fail(kExpected, here(), "an expression",
           fmt::format("behind '{}'", at_ ? spelled(tokens_[at_ - 1]) : "the start"), spelled(look()),
           "a number, a name, or something computed from them");
    if (at("(", 1) && !isKeyword(look().text)) return call();
    const Token &t = name("in the expression", "a number, a name, or something computed from them");
    return make(Expr::Kind::Name, t.text, t.piece);
  }

  ExprPtr call() {
    const Token &t = take();
    ExprPtr e = make(Expr::Kind::Call, t.text, t.piece);
    take(); // (
    if (!at(")")) do {
        // [in_value, out_value] of the paper's table: what may be left out, written as it stands there.
        if (accept("[")) {
          do e->args.push_back(expr());
          while (accept(","));
          expect("]", "behind the values", "[in_value, out_value]");
        } else {
          e->args.push_back(expr());
        }
      } while (accept(","));
    expect(")", "behind the arguments", fmt::format("{}(...)", t.text));
    e->piece = since(e->piece);
    return e;
  }

  const Source &source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  unsigned depth_ = 0, members_ = 0;
  std::vector<std::string> structs_;
  Program program_;
};

} // namespace

Program parse(const Source &source) { return Parser(source).run(); }

} // namespace tangram::hidp
