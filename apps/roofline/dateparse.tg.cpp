// Time stamps as text, lines of "YYYY-MM-DD HH:MM:SS\n", to seconds since 1970, -1 where one is malformed.
// sizes: text=335544320 seconds=16777216
// least: bytes 335544320+16777216*8; operations 16777216*80; launches 1
#include <tangram/tangram.h>

bool digit(unsigned char c) { return c >= '0' && c <= '9'; }

int two(const Array<1, unsigned char> &s, size_t at) {
  if (!digit(s[at]) || !digit(s[at + 1])) return -1000000;
  return (s[at] - '0') * 10 + (s[at + 1] - '0');
}

long long days(int y, int m, int d) { // Hinnant's days_from_civil
  y -= m <= 2;
  int era = (y >= 0 ? y : y - 399) / 400;
  unsigned yoe = y - era * 400;
  unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097LL + (long long)doe - 719468;
}

__spectrum unsigned dateparse(const Array<1, unsigned char> text, Array<1, long long> seconds)
    __requires(text.size() == 20 * seconds.size());

__codelet unsigned dateparse(const Array<1, unsigned char> text, Array<1, long long> seconds) {
  unsigned bad = 0;
  for (size_t row = 0; row < seconds.size(); row++) {
    size_t p = row * 20;
    seconds[row] = -1;
    if (text[p + 4] != '-' || text[p + 7] != '-' || text[p + 10] != ' ' || text[p + 13] != ':' || text[p + 16] != ':') {
      bad++;
      continue;
    }
    int year = two(text, p) * 100 + two(text, p + 2), month = two(text, p + 5), day = two(text, p + 8);
    int hour = two(text, p + 11), minute = two(text, p + 14), second = two(text, p + 17);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 60) {
      bad++;
      continue;
    }
    seconds[row] = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  }
  return bad;
}
