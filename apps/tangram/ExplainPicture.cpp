// The levels of a machine as a picture, with the units that a plan keeps busy.
#include "ExplainPicture.h"

namespace tangram::driver {
namespace {

constexpr unsigned kPictureWidth = 720, kPicturePad = 14, kPictureHead = 22, kPictureCell = 16, kPictureMostCells = 32;
/// Of a level without those below, and what is below them in each box.
constexpr unsigned kPictureRow = kPictureHead + kPictureCell + kPicturePad, kPictureBottom = kPicturePad / 2;

/// Units of a level, one a box; of more than fit, each box stands for as many.
std::string cells(const LevelNote &note, unsigned x, unsigned y, unsigned width) {
  const std::uint64_t shown = std::min<std::uint64_t>(note.workers, kPictureMostCells);
  const double step = static_cast<double>(width) / static_cast<double>(kPictureMostCells);
  std::string out;
  for (std::uint64_t i = 0; i < shown; ++i) {
    // The first box is busy where any unit is.
    const bool busy = note.busy ? i * note.workers < *note.busy * shown : false;
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>",
                       !note.busy ? "unit maybe"
                       : busy     ? "unit busy"
                                  : "unit",
                       static_cast<double>(x) + static_cast<double>(i) * step, y, step - 3, kPictureCell);
  }
  return out;
}

} // namespace

std::string machinePicture(const std::vector<LevelNote> &levels, const std::string &label) {
  const unsigned n = static_cast<unsigned>(levels.size());
  const unsigned height = n * kPictureRow + n * kPictureBottom + 2;
  std::string out = fmt::format("<svg class=\"machine\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
                                kPictureWidth, height, label);
  for (unsigned i = 0; i < n; ++i) {
    const LevelNote &note = levels[i];
    const unsigned x = 1 + i * kPicturePad, y = 1 + i * kPictureRow, width = kPictureWidth - 2 * x;
    const bool idle = note.busy && *note.busy == 0;
    out += fmt::format("<rect class=\"level{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
                       idle ? " idle" : "", x, y, width, height - 1 - i * kPictureBottom - y);
    std::string text = describeBusy(note);
    if (note.workers > kPictureMostCells)
      text += fmt::format(" (a box is {}{} of them)", note.workers % kPictureMostCells ? "about " : "",
                          note.workers / kPictureMostCells);
    out += fmt::format("<text x=\"{}\" y=\"{}\"><tspan class=\"name\">{}</tspan> {}</text>", x + kPicturePad,
                       y + kPictureHead - 3, note.level, text);
    out += cells(note, x + kPicturePad, y + kPictureHead + 5, width - 2 * kPicturePad) + "\n";
  }
  return out + "</svg>\n";
}

} // namespace tangram::driver
