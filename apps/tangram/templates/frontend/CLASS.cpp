// @NAME@: a language with one kind of line, `name = factor * x + offset`, each a spectrum over a container. A frame to put
// something useful into.
#include <tangram/ast/Build.h>
#include <tangram/plugin/Plugin.h>

#include <fstream>
#include <regex>

namespace {

using namespace tangram;

constexpr DiagnosticKind kLine{"@NAME@.line", DiagnosticClass::User, "'{0}' is no line of this language",
                               "write name = factor * x + offset: twice = 2 * x + 0"};

class @CLASS@ final : public Frontend {
public:
  const ast::Module *parse(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) override {
    static const std::regex form(R"(\s*([a-z_]\w*) = (-?[\d.]+) \* x \+ (-?[\d.]+)\s*)");
    std::vector<const ast::Spectrum *> spectrums;
    std::ifstream file(request.file);
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.empty()) continue;
      const auto end = static_cast<unsigned>(line.size() + 1);
      const ast::SourceRange range{ast::Arena::internFile(request.file.string()), number, 1, number, end};
      std::smatch part;
      if (std::regex_match(line, part, form))
        spectrums.push_back(spectrum(part[1], std::stod(part[2]), std::stod(part[3]), range, arena));
      else
        diags.report(kLine, range, line);
    }
    if (diags.hasErrors()) return nullptr;
    return arena.make<ast::Module>(ast::SourceRange{}, std::vector<const ast::Struct *>{},
                                   std::vector<const ast::Function *>{}, spectrums, std::vector<const ast::Kernel *>{});
  }

private:
  /// for (size_t i = 0; i < in.size(); ++i) out[i] = factor * in[i] + offset;
  static const ast::Spectrum *spectrum(const std::string &name, double factor, double offset, ast::SourceRange range,
                                       ast::Arena &arena) {
    const ast::Build build(arena, range);
    const ast::Type number = ast::Scalar::F64, container = ast::Type::array(1, number), count = ast::Scalar::U64;
    const std::vector<const ast::Param *> params{arena.make<ast::Param>(range, "in", container, ast::Access::In),
                                                 arena.make<ast::Param>(range, "out", container, ast::Access::InOut)};
    const ast::Expr *none = nullptr, *in = build.var("in", container), *out = build.var("out", container);
    const ast::Expr *size = arena.make<ast::Size>(range, count, in, none), *i = build.var("i", count);
    auto literal = [&](double value) { return arena.make<ast::FloatLit>(range, number, value); };
    const ast::Expr *value =
        build.add(build.mul(literal(factor), build.element(in, {i}, number)), literal(offset));
    const ast::Stmt *loop =
        arena.make<ast::For>(range, build.declare("i", count, build.u64(0), false), build.less(i, size),
                             arena.make<ast::Unary>(range, count, ast::UnaryOp::PreInc, i),
                             build.block({build.assign(build.element(out, {i}, number), value)}));
    const auto *codelet =
        arena.make<ast::Codelet>(range, "a", "", "", false, false, ast::Texts{}, ast::Texts{}, ast::Assumed{},
                                 params, std::vector<const ast::Expr *>{}, build.block({loop}));
    const ast::Expr *same = build.equal(size, arena.make<ast::Size>(range, count, out, none));
    return arena.make<ast::Spectrum>(range, name, ast::Type(), params, std::vector<const ast::Expr *>{same},
                                     std::vector<const ast::Codelet *>{codelet});
  }
};

} // namespace

TANGRAM_PLUGIN("@NAME@", "0.1", "reads lines of name = factor * x + offset") {
  FrontendDescriptor d;
  d.name = "@NAME@";
  d.summary = "reads lines of name = factor * x + offset";
  d.extensions = {".@NAME@"};
  d.create = [] { return std::make_unique<@CLASS@>(); };
  registry.frontends.add(d);
}
