#include "DiagnosticMessage.h"

namespace tangram::runtime {
namespace {

void append(Message &m, const SourceRange &range) {
  m.push_back(range.file ? *range.file : "");
  for (unsigned n : {range.line, range.column, range.endLine, range.endColumn}) m.push_back(std::to_string(n));
}

} // namespace

Message encode(const Diagnostic &d) {
  Message m{d.id, std::to_string(static_cast<int>(d.cls)), std::to_string(static_cast<int>(d.severity)), d.message,
            d.advice};
  append(m, d.range);
  for (const Note &note : d.notes) {
    m.push_back(note.message);
    append(m, note.range);
  }
  return m;
}

Diagnostic decodeDiagnostic(const Message &m, std::size_t at, ast::Arena &arena) {
  auto number = [&] { return static_cast<unsigned>(std::stoul(m.at(at++))); };
  auto range = [&] {
    SourceRange r;
    const std::string &file = m.at(at++);
    if (!file.empty()) r.file = arena.internFile(file);
    for (unsigned *n : {&r.line, &r.column, &r.endLine, &r.endColumn}) *n = number();
    return r;
  };
  Diagnostic d;
  d.id = m.at(at++);
  d.cls = static_cast<DiagnosticClass>(number());
  d.severity = static_cast<Severity>(number());
  d.message = m.at(at++);
  d.advice = m.at(at++);
  d.range = range();
  while (at < m.size()) {
    std::string text = m.at(at++);
    d.notes.push_back({range(), std::move(text)});
  }
  return d;
}

} // namespace tangram::runtime
