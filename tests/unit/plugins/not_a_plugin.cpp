// A library with another purpose.
extern "C" int answer() { return 42; }
