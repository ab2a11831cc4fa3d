// Order books from a feed: quantities added up by book, side and price, then the best bid, the best ask and the imbalance.
// sizes: feed=67108864 depth=4096x2x1024 top=4096
// least: bytes 67108864*12+4096*2*1024*4+4096*12; operations 67108864*2; launches 1
#include <tangram/tangram.h>

struct Order {
  unsigned book;
  unsigned short tick;
  unsigned char sell, action;
  int quantity;
};
struct Top {
  int bid, ask;
  float imbalance;
};

__spectrum void orderbook(const Array<1, Order> feed, Array<3, int> depth, Array<1, Top> top)
    __requires(depth.size(1) == 2 && top.size() == depth.size(0));

__codelet void orderbook(const Array<1, Order> feed, Array<3, int> depth, Array<1, Top> top) {
  unsigned books = depth.size(0);
  int ticks = depth.size(2);
  for (size_t i = 0; i < feed.size(); i++) {
    Order o = feed[i];
    if (o.book >= books || o.tick >= ticks) continue;
    int change = 0;
    switch (o.action) {
    case 0: // add
      change = o.quantity;
      break;
    case 1: // cancel
    case 2: // execute
      change = -o.quantity;
      break;
    default: // a trade report, a halt
      continue;
    }
    depth[o.book][o.sell != 0][o.tick] += change;
  }
  for (unsigned b = 0; b < books; b++) {
    int bid = ticks - 1, ask = 0;
    while (bid >= 0 && depth[b][0][bid] <= 0) bid--;
    while (ask < ticks && depth[b][1][ask] <= 0) ask++;
    top[b].bid = bid;
    top[b].ask = ask;
    if (bid >= 0 && ask < ticks) {
      float buy = depth[b][0][bid], sell = depth[b][1][ask];
      top[b].imbalance = (buy - sell) / (buy + sell);
    } else
      top[b].imbalance = 0;
  }
}
