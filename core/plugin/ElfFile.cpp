#include "ElfFile.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <link.h>

namespace tangram {

std::string notALibrary(const std::filesystem::path &path) {
  std::error_code error;
  std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return error.message();
  std::ifstream in(path, std::ios::binary);
  if (!in) return "it cannot be read";

  ElfW(Ehdr) header{};
  if (!in.read(reinterpret_cast<char *>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is not a shared library (no ELF header)";
  if (header.e_type != ET_DYN) return "it is an ELF file, but not a shared library";
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return "it was built for another kind of machine";

  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!in.read(reinterpret_cast<char *>(&segment), sizeof segment)) return "the file is cut short";
    if (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz)
      return fmt::format("the file is cut short: it has {} bytes, but a part of it ends at byte {}", size,
                         segment.p_offset + segment.p_filesz);
  }
  return "";
}

} // namespace tangram
