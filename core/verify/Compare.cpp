#include "tangram/verify/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <istream>
#include <ostream>
#include <sstream>

namespace tangram::runtime {
namespace {

bool within(double got, const Expected::Number &expected) {
  if (std::isinf(expected.bound)) return true;
  if (std::isnan(expected.value)) return std::isnan(got);
  return got == expected.value || std::abs(got - expected.value) <= expected.bound;
}

/// As the type that it is compared in writes it.
std::string numberText(double value, tangram_element element) {
  Value one = Value::scalar(element);
  one.setReal(0, value);
  return one.text(0);
}

/// Whether all elements have the same bytes; false where that is not told quickly.
bool sameBytes(const Value &a, const Value &b) {
  return a.type() == b.type() && a.sizes() == b.sizes() && a.contiguous() && b.contiguous() &&
         std::memcmp(a.data(), b.data(), a.count() * a.type().bytes) == 0;
}

/// One field of all elements.
std::optional<Mismatch> compareField(const Value &got, const Expected &expected, std::size_t field) {
  const Value wanted = expected.values().field(field);
  const std::vector<Expected::Number> *numbers = expected.numbers(field);
  const std::vector<Expected::Range> *ranges = expected.ranges(field);
  std::optional<Mismatch> first;
  for (std::uint64_t i = 0; i < wanted.count(); ++i) {
    double limit = 0;
    std::string text;
    if (wanted.isFloating()) {
      double g = got.real(i);
      Expected::Number number = numbers ? (*numbers)[i] : Expected::Number{wanted.real(i), 0};
      if (within(g, number)) continue;
      limit = number.bound;
      if (!first) text = numberText(number.value, wanted.element());
    } else {
      std::int64_t g = got.integer(i);
      if (g == wanted.integer(i) || (ranges && (*ranges)[i].allows(g))) continue;
      if (!first) text = wanted.text(i);
    }
    if (!first) first = Mismatch{i, wanted.index(i), "", got.text(i), text, limit, 0};
    ++first->wrong;
  }
  return first;
}

} // namespace

void Undecided::include(const Undecided &other) {
  questions = std::max(questions, other.questions);
  numbers = std::max(numbers, other.numbers);
  estimated = std::max(estimated, other.estimated);
  // The greatest share.
  if (elements * std::max<std::uint64_t>(1, other.written) <= other.elements * std::max<std::uint64_t>(1, written)) {
    elements = other.elements;
    written = other.written;
  }
}

std::string Undecided::text() const {
  return fmt::format("{} {} {} {} {}", questions, numbers, elements, estimated, written);
}

Undecided Undecided::fromText(const std::string &text) {
  Undecided u;
  std::istringstream(text) >> u.questions >> u.numbers >> u.elements >> u.estimated >> u.written;
  return u;
}

std::vector<std::string> Undecided::sentences(bool given) const {
  std::vector<std::string> all;
  if (questions)
    all.push_back(fmt::format("roundings may turn {} of its comparisons: either outcome was accepted", questions));
  if (elements)
    all.push_back(fmt::format("{} of {} elements depend on these, and were compared with the range of their outcomes "
                              "alone{}",
                              elements, written,
                              2 * elements <= written ? ""
                              : given                 ? ": that is most of them, and says little; "
                                                        "give arguments for which less is a matter of roundings"
                                                      : ": that is most of them, and says little"));
  if (estimated)
    all.push_back(fmt::format(
        "roundings may add up to more than {} of {} elements are: these were compared with a multiple of what the "
        "plainest order is off by",
        estimated, written));
  if (numbers)
    all.push_back(fmt::format("roundings may turn {} of {} elements into anything: these were not compared{}", numbers,
                              written,
                              !most() ? ""
                              : given ? ", which is most of them: give other arguments"
                                      : ", which is most of them"));
  return all;
}

bool Expected::Range::allows(std::int64_t got) const {
  const __int128 apart = static_cast<__int128>(high) - low;
  return apart > 0 && got >= low - apart && got <= high + apart;
}

void Expected::alsoAccept(const Expected &other) {
  const std::size_t fields = std::max<std::size_t>(1, values_.type().fields.size());
  ranges_.resize(fields);
  for (std::size_t f = 0; f < fields; ++f) {
    const Value mine = values_.field(f), theirs = const_cast<Expected &>(other).values_.field(f);
    if (mine.isFloating()) continue;
    for (std::uint64_t i = 0; i < mine.count(); ++i) {
      const std::int64_t also = theirs.integer(i);
      if (ranges_[f].empty()) {
        if (also == mine.integer(i)) continue;
        for (std::uint64_t k = 0; k < mine.count(); ++k) ranges_[f].push_back({mine.integer(k), mine.integer(k)});
      }
      Range &range = ranges_[f][i];
      range = {std::min(range.low, also), std::max(range.high, also)};
    }
  }
  differ_.resize(numbers_.size());
  for (std::size_t f = 0; f < numbers_.size(); ++f)
    for (std::size_t i = 0; i < numbers_[f].size(); ++i) {
      Number &mine = numbers_[f][i];
      const Number &theirs = other.numbers_[f][i];
      if (!(std::abs(theirs.value - mine.value) <= mine.bound) &&
          !(std::isnan(theirs.value) && std::isnan(mine.value)) && theirs.value != mine.value) {
        if (differ_[f].empty()) differ_[f].resize(numbers_[f].size());
        differ_[f][i] = true;
      }
      if (!std::isfinite(mine.value) || !std::isfinite(theirs.value)) {
        if (!(mine.value == theirs.value) && !(std::isnan(mine.value) && std::isnan(theirs.value)))
          mine = {0, std::numeric_limits<double>::infinity()};
        continue;
      }
      mine.bound = std::max(mine.bound, std::abs(theirs.value - mine.value) + theirs.bound);
    }
}

namespace {

template <class T> void saveAll(std::ostream &out, const std::vector<T> &all) {
  const std::uint64_t count = all.size();
  out.write(reinterpret_cast<const char *>(&count), sizeof count);
  out.write(reinterpret_cast<const char *>(all.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

template <class T> void loadAll(std::istream &in, std::vector<T> &all, std::uint64_t most) {
  std::uint64_t count = 0;
  in.read(reinterpret_cast<char *>(&count), sizeof count);
  if (!in || count > most) return in.setstate(std::ios::failbit);
  all.resize(count);
  in.read(reinterpret_cast<char *>(all.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

} // namespace

bool Expected::save(std::ostream &out) const {
  out.write(reinterpret_cast<const char *>(values_.memory()), static_cast<std::streamsize>(values_.memoryBytes()));
  const std::uint64_t sizes[] = {numbers_.size(), ranges_.size(), differ_.size(), written_};
  out.write(reinterpret_cast<const char *>(sizes), sizeof sizes);
  for (const auto &field : numbers_) saveAll(out, field);
  for (const auto &field : ranges_) saveAll(out, field);
  for (const auto &field : differ_) saveAll(out, std::vector<std::uint8_t>(field.begin(), field.end()));
  return out.good();
}

std::optional<Expected> Expected::load(std::istream &in, const Value &like) {
  Expected expected(like.copy());
  Value &values = expected.values_;
  in.read(reinterpret_cast<char *>(values.memory()), static_cast<std::streamsize>(values.memoryBytes()));
  std::uint64_t sizes[4] = {};
  in.read(reinterpret_cast<char *>(sizes), sizeof sizes);
  const std::uint64_t fields = std::max<std::size_t>(1, like.type().fields.size());
  if (!in || std::any_of(sizes, sizes + 3, [&](std::uint64_t n) { return n > fields; })) return {};
  expected.numbers_.resize(sizes[0]);
  expected.ranges_.resize(sizes[1]);
  expected.written_ = sizes[3];
  for (auto &field : expected.numbers_) loadAll(in, field, like.count());
  for (auto &field : expected.ranges_) loadAll(in, field, like.count());
  for (std::uint64_t f = 0; f < sizes[2]; ++f) {
    std::vector<std::uint8_t> bits;
    loadAll(in, bits, like.count());
    expected.differ_.emplace_back(bits.begin(), bits.end());
  }
  return in ? std::optional(std::move(expected)) : std::nullopt;
}

std::uint64_t Expected::unknown() const {
  std::uint64_t count = 0;
  for (const std::vector<Number> &field : numbers_)
    for (const Number &n : field) count += std::isinf(n.bound);
  return count;
}

std::uint64_t Expected::undecided() const {
  std::uint64_t count = 0;
  for (const std::vector<Range> &field : ranges_)
    for (const Range &r : field) count += r.low < r.high;
  for (const std::vector<bool> &field : differ_)
    count += static_cast<std::uint64_t>(std::count(field.begin(), field.end(), true));
  return count;
}

std::optional<Mismatch> compare(const Value &got, const Expected &expected) {
  const Element &type = expected.values().type();
  bool exactly = true;
  for (std::size_t f = 0; f < type.fields.size(); ++f) exactly &= !expected.numbers(f);
  if (exactly && sameBytes(got, expected.values())) return std::nullopt; // what is only read, say
  if (!type.isStruct()) return compareField(got, expected, 0);
  std::optional<Mismatch> first;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    std::optional<Mismatch> here = compareField(got.field(f), expected, f);
    if (!here) continue;
    here->field = type.fields[f].name;
    std::uint64_t wrong = std::max(here->wrong, first ? first->wrong : 0);
    if (!first || here->position < first->position) first = std::move(here);
    first->wrong = wrong;
  }
  return first;
}

} // namespace tangram::runtime
