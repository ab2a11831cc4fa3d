// The starts of the fields of CSV text; commas and new lines in quotes do not count.
// sizes: text=268435456 start=33554432
// least: bytes 268435456+33554432*4; launches 2
#include <tangram/tangram.h>

__spectrum unsigned csvfields(const Array<1, unsigned char> text, Array<1, unsigned> start)
    __requires(start.size() >= 1);

__codelet unsigned csvfields(const Array<1, unsigned char> text, Array<1, unsigned> start) {
  bool quoted = false;
  unsigned fields = 1;
  start[0] = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i];
    if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == ',' || c == '\n')) {
      if (fields < start.size()) start[fields] = i + 1;
      ++fields;
    }
  }
  return fields;
}
