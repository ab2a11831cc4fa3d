#include "tangram/compose/Plan.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tangram {
namespace {

constexpr DiagnosticKind kSyntax{"plan.syntax", DiagnosticClass::User, "the plan reads '{}' where {} is expected",
                                 "write plans as 'tangram compile --emit plan' prints them"};
constexpr DiagnosticKind kIndent{"plan.indent", DiagnosticClass::User, "this line is indented by {} spaces, not by {}",
                                 "indent each rule by two spaces more than the rule that it belongs to"};
constexpr DiagnosticKind kChildren{"plan.children", DiagnosticClass::User, "'{}' is followed by {} rules, not by {}",
                                   "the rules that belong to it stand below it, indented by two spaces more"};
constexpr DiagnosticKind kElse{"plan.else", DiagnosticClass::User, "{}",
                               "a 'select' with 'if' has its fallback as its last rule, marked by 'else'"};
constexpr DiagnosticKind kEmpty{"plan.empty", DiagnosticClass::User, "the plan has no {}",
                                "write plans as 'tangram compile --emit plan' prints them"};
constexpr DiagnosticKind kPlanTwice{"plan.twice", DiagnosticClass::User, "{} stands here a second time",
                                    "leave out one"};
constexpr DiagnosticKind kOtherwise{"plan.otherwise", DiagnosticClass::User, "{}",
                                    "the plan for all other sizes stands last, below 'otherwise'"};
constexpr DiagnosticKind kDeep{"plan.too-deep", DiagnosticClass::Limitation, "the plan is more than {} rules deep",
                               "no target needs that many"};

constexpr std::size_t kMaxPlanDepth = 1000;

/// One line, read word by word.
class Line {
public:
  Line(std::string_view text, const std::string *file, unsigned number) : text_(text), file_(file), number_(number) {}

  /// The next word.
  SourceRange here(std::size_t length = 1) {
    skip();
    unsigned column = static_cast<unsigned>(at_) + 1;
    return {file_, number_, column, number_, column + static_cast<unsigned>(length)};
  }
  std::size_t indent() {
    std::size_t n = 0;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_, ++n;
    return n;
  }
  bool done() {
    skip();
    return at_ == text_.size();
  }
  std::string_view rest() {
    skip();
    return text_.substr(std::exchange(at_, text_.size()));
  }
  /// The bare word ahead, which may be a keyword.
  std::string_view peek() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != ' ') ++end;
    return text_.substr(at_, end - at_);
  }
  bool take(std::string_view keyword) {
    if (peek() != keyword) return false;
    at_ += keyword.size();
    return true;
  }
  [[noreturn]] void expected(std::string_view what) {
    std::string_view found = peek();
    fail(kSyntax, here(std::max<std::size_t>(found.size(), 1)), found.empty() ? "the end of the line" : found, what);
  }
  void keyword(std::string_view word) {
    if (!take(word)) expected(fmt::format("'{}'", word));
  }
  std::string name(std::string_view what) {
    std::string_view ahead = peek();
    if (ahead.empty()) expected(what);
    if (ahead[0] != '"') {
      at_ += ahead.size();
      return std::string(ahead);
    }
    std::string result;
    SourceRange start = here();
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (result.empty() || (at_ < text_.size() && text_[at_] != ' ')) break;
        return result;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result += text_[at_];
    }
    fail(kSyntax, start, ahead, what);
  }
  std::uint64_t hash() {
    std::string_view ahead = peek();
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(ahead.data(), ahead.data() + ahead.size(), value, 16);
    if (error != std::errc() || end != ahead.data() + ahead.size()) expected("a hash of hexadecimal digits");
    at_ += ahead.size();
    return value;
  }
  /// "p=4, q=2"
  std::map<std::string, std::int64_t> parameters() {
    std::map<std::string, std::int64_t> result;
    while (true) {
      std::string_view ahead = peek();
      bool more = ahead.ends_with(',');
      std::string_view pair = more ? ahead.substr(0, ahead.size() - 1) : ahead;
      std::size_t equals = pair.find('=');
      std::int64_t value = 0;
      if (equals == 0 || equals == std::string_view::npos) expected("NAME=NUMBER");
      std::string_view digits = pair.substr(equals + 1);
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc() || end != digits.data() + digits.size()) expected("NAME=NUMBER");
      std::string parameter(pair.substr(0, equals));
      if (!result.emplace(parameter, value).second)
        fail(kPlanTwice, here(ahead.size()), fmt::format("'{}'", parameter));
      at_ += ahead.size();
      if (!more) return result;
    }
  }

private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::string_view text_;
  const std::string *file_;
  unsigned number_;
  std::size_t at_ = 0;
};

struct Entry {
  PlanNode node;
  SourceRange range;
  bool isElse = false;
  std::vector<Entry> children;
};

class PlanParser {
public:
  PlanParser(std::string_view text, const std::string *file) : text_(text), file_(file) {}

  Plan parse() {
    unsigned number = 0;
    bool header = false;
    while (!text_.empty()) {
      std::size_t end = text_.find('\n');
      std::string_view content = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      if (content.ends_with('\r')) content.remove_suffix(1);
      ++number;
      Line line(content, file_, number);
      std::size_t indent = line.indent();
      if (line.done() || line.peek()[0] == '#') continue;
      if (!header) {
        line.keyword("plan");
        plan_.spectrum = line.name("a spectrum");
        line.keyword("for");
        plan_.target = line.name("a target");
        header = true;
      } else if (!root_ && !block_ && indent == 0 && line.take("source")) {
        SourceRange where = line.here();
        std::string spectrum = line.name("a spectrum");
        if (!plan_.sources.emplace(spectrum, line.hash()).second)
          fail(kPlanTwice, where, fmt::format("the source of '{}'", spectrum));
      } else if (!root_ && !block_ && indent == 0 && line.take("device")) {
        plan_.device = line.name("the name of a device");
      } else if (!root_ && !block_ && indent == 0 && line.take("compiler")) {
        plan_.compiler = line.name("the name of a compiler");
      } else if (indent == 0 && (line.peek() == "when" || line.peek() == "otherwise")) {
        openBlock(line);
      } else {
        addRule(line, indent);
      }
      if (!line.done()) line.expected("the end of the line");
    }
    SourceRange last{file_, std::max(number, 1u), 1, std::max(number, 1u), 2};
    if (!header) fail(kEmpty, last, "'plan SPECTRUM for TARGET' line");
    if (block_ && !block_->otherwise) fail(kOtherwise, block_->range, "the plan says nothing of other sizes");
    if (!root_) fail(kEmpty, last, "rules");
    plan_.root = finish(*root_);
    return std::move(plan_);
  }

private:
  /// Rules below `when` or `otherwise`.
  struct OpenBlock {
    bool otherwise = false;
    SizeCondition when;
    SourceRange range;
  };

  void openBlock(Line &line) {
    const SourceRange where = line.here(line.peek().size());
    if (block_ && block_->otherwise) fail(kOtherwise, where, "nothing can stand behind 'otherwise'");
    if (!block_ && root_) fail(kOtherwise, where, "there are rules in front of the first 'when'");
    if (block_) {
      if (!root_) fail(kEmpty, block_->range, "rules for these sizes");
      plan_.cases.push_back({block_->when, finish(*root_), block_->range});
      root_.reset();
      open_.clear();
    }
    OpenBlock block;
    block.range = where;
    if (line.take("otherwise")) {
      if (!block_) fail(kOtherwise, where, "there is no 'when' in front of 'otherwise'");
      block.otherwise = true;
    } else {
      line.take("when");
      const SourceRange condition = line.here(1);
      block.when = parseSizeCondition(line.rest(), condition);
    }
    block_ = std::move(block);
  }

  void addRule(Line &line, std::size_t indent) {
    const std::size_t top = block_ ? 1 : 0;
    const std::size_t depth = indent / 2 - std::min(indent / 2, top);
    if (indent % 2 || indent / 2 < top || depth > open_.size() || (depth == 0) != !root_)
      fail(kIndent, line.here(), indent,
           !root_             ? fmt::format("{}", 2 * top)
           : open_.size() < 2 ? fmt::format("{}", 2 * (top + 1))
                              : fmt::format("{} to {}", 2 * (top + 1), 2 * (top + open_.size())));
    if (depth > kMaxPlanDepth) fail(kDeep, line.here(), kMaxPlanDepth);
    open_.resize(depth);
    Entry entry = rule(line, open_.empty() ? nullptr : open_.back());
    Entry *added = nullptr;
    if (open_.empty())
      added = &root_.emplace(std::move(entry));
    else
      added = &open_.back()->children.emplace_back(std::move(entry));
    open_.push_back(added);
  }

  Entry rule(Line &line, const Entry *parent) {
    Entry entry;
    entry.isElse = line.take("else");
    entry.range = line.here(line.peek().size());
    PlanNode &node = entry.node;
    if (line.take("select"))
      node.rule = Rule::Select;
    else if (line.take("devolve"))
      node.rule = Rule::Devolve;
    else if (line.take("distribute"))
      node.rule = Rule::Distribute;
    else if (line.take("serialize"))
      node.rule = Rule::Serialize;
    else if (line.take("split"))
      node.rule = Rule::Split;
    else
      line.expected("select, devolve, distribute, serialize or split");
    if (node.rule == Rule::Select) node.codelet = line.name("the name of a codelet");
    node.spectrum = line.take("of") ? line.name("the name of a spectrum")
                    : parent        ? parent->node.spectrum
                                    : plan_.spectrum;
    node.level = parent ? levelBelow(parent->node) : "";
    if (node.rule == Rule::Select) {
      line.keyword("at");
      SourceRange where = line.here();
      std::string written = line.name("the name of a level");
      if (parent && written != node.level)
        fail(kSyntax, where, written, fmt::format("level '{}', where the rule above puts it,", node.level));
      node.level = written;
    } else if (!parent) {
      line.keyword("from");
      node.level = line.name("the name of a level");
    }
    if (node.rule != Rule::Select && node.rule != Rule::Serialize) {
      line.keyword("to");
      node.to = line.name("the name of a level");
    }
    if (node.rule == Rule::Select && line.take("as")) {
      if (line.take("vector"))
        node.capability = ast::Capability::Vector;
      else if (line.take("matrix"))
        node.capability = ast::Capability::Matrix;
      else
        line.expected("vector or matrix");
    }
    if (node.rule != Rule::Serialize && line.take("with")) node.parameters = line.parameters();
    if (node.rule == Rule::Select && line.take("if")) {
      node.guarded = true;
      if (line.done()) line.expected("a condition");
      node.condition = line.rest();
    }
    return entry;
  }

  static std::string levelBelow(const PlanNode &node) {
    return node.rule == Rule::Select || node.rule == Rule::Serialize ? node.level : node.to;
  }

  PlanPtr finish(Entry &entry) {
    PlanNode &node = entry.node;
    std::size_t count = entry.children.size();
    if (node.rule != Rule::Select && count != 1) fail(kChildren, entry.range, name(node.rule), count, "one");
    for (std::size_t i = 0; i < count; ++i) {
      const Entry &child = entry.children[i];
      if (child.isElse && (!node.guarded || i + 1 != count)) fail(kElse, child.range, "'else' cannot stand here");
    }
    if (node.guarded && (count == 0 || !entry.children.back().isElse))
      fail(kElse, entry.range, "'select' with 'if' has no fallback");
    // What has nothing to compose is computed; a vector unit is named in the text.
    if (node.rule == Rule::Select && count == (node.guarded ? 1u : 0u) && node.capability == ast::Capability::None)
      node.capability = ast::Capability::Scalar;
    node.range = entry.range;
    for (Entry &child : entry.children) node.children.push_back(finish(child));
    return std::make_shared<const PlanNode>(std::move(node));
  }

  std::string_view text_;
  const std::string *file_;
  Plan plan_;
  std::optional<Entry> root_;
  std::vector<Entry *> open_; // the last entry at each depth
  std::optional<OpenBlock> block_;
};

} // namespace

Plan parsePlan(std::string_view text, const std::string &file, ast::Arena &arena) {
  return PlanParser(text, arena.internFile(file)).parse();
}

} // namespace tangram
