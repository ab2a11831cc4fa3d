// Suggestions for misspelt words.
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tangram {
namespace {

constexpr std::size_t kMaxWord = 64;   // longer ones are not misspelt names
constexpr std::size_t kMaxListed = 24; // names in a list of all

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

} // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string> &candidates) {
  if (word.empty() || word.size() > kMaxWord) return {};
  std::string wanted = lower(word);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string &candidate : candidates) {
    if (candidate.empty() || candidate.size() > kMaxWord) continue;
    std::string known = lower(candidate);
    std::size_t distance = editDistance(wanted, known);
    bool partOf = std::min(wanted.size(), known.size()) >= 3 &&
                  (known.find(wanted) != std::string::npos || wanted.find(known) != std::string::npos);
    if (distance <= std::max<std::size_t>(1, std::max(wanted.size(), known.size()) / 3) &&
        distance < std::max(wanted.size(), known.size()))
      found.emplace_back(distance, candidate);
    else if (partOf)
      found.emplace_back(kMaxWord + distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (auto &[distance, candidate] : found) {
    if (std::find(result.begin(), result.end(), candidate) == result.end()) result.push_back(std::move(candidate));
    if (result.size() == 3) break;
  }
  return result;
}

std::string suggest(std::string_view word, const std::vector<std::string> &candidates) {
  std::vector<std::string> near = nearest(word, candidates);
  if (!near.empty()) {
    std::string result = fmt::format("'{}'", near.front());
    for (std::size_t i = 1; i < near.size(); ++i)
      result += fmt::format("{} '{}'", i + 1 == near.size() ? " or" : ",", near[i]);
    return result;
  }
  if (candidates.empty()) return "none: there are none";
  if (candidates.size() == 1) return fmt::format("'{}', the only one known", candidates.front());
  std::vector<std::string> listed(candidates.begin(), candidates.begin() + std::min(candidates.size(), kMaxListed));
  std::string result = fmt::format("one of {}", fmt::join(listed, ", "));
  if (listed.size() < candidates.size()) result += fmt::format(", ... ({} in all)", candidates.size());
  return result;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 80;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (result.size() >= kMaxShown && (c & 0xC0) != 0x80) return result + "...";
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c < 0x20 || c == 0x7F)
      result += fmt::format("\\x{:02x}", c);
    else
      result += text[i];
  }
  return result;
}

} // namespace tangram
