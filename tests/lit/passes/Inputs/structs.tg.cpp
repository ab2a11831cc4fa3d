#include <tangram/tangram.h>

struct Item {
  unsigned char kind;
  unsigned link;
};

__spectrum Item turned(Item item);
__codelet Item turned(Item item) {
  item = {static_cast<unsigned char>(item.link), item.kind};
  return item;
}

__spectrum Item chase(Array<2, Item> items, unsigned from);
__codelet Item chase(Array<2, Item> items, unsigned from) {
  Array<1, Item> once = map(turned, items[0]);
  items[1][items[1][0].link] = once[from];
  return from > 1 ? once[from] : Item{1, 2};
}
