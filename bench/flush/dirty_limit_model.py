#!/usr/bin/env python3
"""What a limit of dirty pages must cost, whoever keeps it: page reads and writes per New-Order in a model of TPC-C.

Two warehouses, data five times the pool, pages as large as in Weir. The pool replaces as Weir's does (after S3-FIFO); when more
pages are dirty than the limit allows, a batch of them is written and stays in memory. Orders of writing:

  oldest       the page whose first change is oldest (a flush list)
  lru          the page not changed for longest
  interval     the page with the longest smoothed time between changes (the policy `weir`)
  clairvoyant  the page whose next change lies farthest ahead: nobody can write less

A device that serves one request after the other does New-Orders in proportion to 1 / (reads + writes). So the last column is
the price of the limit: the throughput against that of `interval` at 58 %, where `weir` gets to when the limit is 80.

  python3 bench/flush/dirty_limit_model.py [--pool PAGES] [--orders N]      (takes about a minute)
"""
import argparse
import bisect
import collections
import heapq
import random

# Rows a page: stock, customer, item, order_line (orders), orders, new_orders.
STOCK, CUSTOMER, ITEM, LINES, ORDERS, NEW_ORDERS = 48, 27, 180, 25, 350, 800


def transactions(count, seed=1):
    """Page accesses of a New-Order with its share of the other four transactions: (page, whether it is changed)."""
    r = random.Random(seed)
    constants = {a: r.randint(0, a) for a in (255, 1023, 8191)}

    def nurand(a, low, high):
        return ((r.randint(0, a) | r.randint(low, high)) + constants[a]) % (high - low + 1) + low

    recent = collections.defaultdict(lambda: collections.deque(maxlen=20))
    first, last = [2100] * 20, [3000] * 20
    for _ in range(count):
        out = []

        def stock(district, item, change):
            out.append((("stock", (district // 10 * 100_000 + item) // STOCK), change))

        def customer(district, c, change):
            out.append((("customer", (district * 3000 + c) // CUSTOMER), change))

        def order(district, o, lines=True):
            out.append((("orders", district, o // ORDERS), True))
            if lines:
                out.append((("lines", district, o // LINES), True))

        d = r.randrange(20)
        customer(d, nurand(1023, 1, 3000) - 1, False)
        items = [nurand(8191, 1, 100_000) - 1 for _ in range(r.randint(5, 15))]
        for i in items:
            out.append((("item", i // ITEM), False))
            stock(d, i, True)
        recent[d].append(items)
        order(d, last[d])
        out.append((("new_orders", d, last[d] // NEW_ORDERS), True))
        out.append((("by_customer", d, r.randrange(5)), True))
        last[d] += 1
        d = r.randrange(20)  # Payment
        if r.random() < 0.6:
            name = nurand(255, 0, 999)
            for k in range(3):
                customer(d, (name + 1000 * k + d * 7) % 3000, k == 1)
        else:
            customer(d, nurand(1023, 1, 3000) - 1, True)
        if r.random() < 0.1:  # Order-Status
            d = r.randrange(20)
            customer(d, nurand(1023, 1, 3000) - 1, False)
            out.append((("lines", d, r.randint(0, last[d]) // LINES), False))
        if r.random() < 0.1:  # Delivery
            w = r.randrange(2)
            for d in range(10 * w, 10 * w + 10):
                out.append((("new_orders", d, first[d] // NEW_ORDERS), True))
                order(d, first[d])
                customer(d, r.randrange(3000), True)
                first[d] += 1
        if r.random() < 0.1:  # Stock-Level
            d = r.randrange(20)
            for i in {i for items in recent[d] for i in items}:
                stock(d, i, False)
        yield out


class Pool:
    """Replacement after S3-FIFO, a bound of dirty pages, and counters of reads and writes."""

    def __init__(self, frames, limit, order, changes):
        self.frames, self.limit, self.order = frames, limit, order
        self.batch = max(8, limit // 10)
        self.small, self.main, self.ghosts = collections.deque(), collections.deque(), collections.OrderedDict()
        self.uses, self.dirty = {}, {}
        self.interval, self.changed = {}, {}
        self.clock = self.reads = self.writes = 0
        self.next = changes

    def evict(self):
        for tries in range(10 * self.frames):
            queue = self.small if len(self.small) > self.frames // 10 or not self.main else self.main
            page = queue.popleft()
            used = self.uses[page]
            if used > (1 if queue is self.small else 0):
                self.uses[page] = 0 if queue is self.small else used - 1
                self.main.append(page)
                continue
            if page in self.dirty:
                if tries < 48:
                    self.main.append(page)
                    continue
                del self.dirty[page]
                self.writes += 1
            for known in (self.uses, self.interval, self.changed):
                known.pop(page, None)
            self.ghosts[page] = True
            if len(self.ghosts) > self.frames:
                self.ghosts.popitem(last=False)
            return

    def access(self, page, change):
        if page not in self.uses:
            self.reads += 1
            if len(self.uses) >= self.frames:
                self.evict()
            (self.main if self.ghosts.pop(page, False) else self.small).append(page)
            self.uses[page] = 0
        # A row is looked up and then changed: two references.
        self.uses[page] = min(3, self.uses[page] + 1 + change)
        if change:
            self.change(page)

    def change(self, page):
        self.clock += 1
        if page in self.changed:
            gap = self.clock - self.changed[page]
            known = self.interval.get(page, gap)
            self.interval[page] = known * 0.75 + gap * 0.25
        self.changed[page] = self.clock
        self.dirty.setdefault(page, self.clock)
        if len(self.dirty) > self.limit:
            for page in heapq.nlargest(self.batch, self.dirty, key=self.rest):
                del self.dirty[page]
                self.writes += 1

    def rest(self, page):
        if self.order == "oldest":
            return -self.dirty[page]
        if self.order == "lru":
            return -self.changed[page]
        if self.order == "interval":
            return max(self.interval.get(page, 1e9), self.clock - self.changed[page])
        times = self.next[page]
        at = bisect.bisect_right(times, self.clock)
        return times[at] if at < len(times) else 1e12


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pool", type=int, default=2500, help="pages")
    p.add_argument("--orders", type=int, default=2500, help="New-Orders, a fifth of which warm up")
    o = p.parse_args()
    work = list(transactions(o.orders))
    changes, clock = collections.defaultdict(list), 0
    for t in work:
        for page, change in t:
            if change:
                clock += 1
                changes[page].append(clock)
    warm = o.orders // 5

    def run(share, order):
        pool = Pool(o.pool, o.pool * share // 100, order, changes)
        for n, t in enumerate(work):
            if n == warm:
                pool.reads = pool.writes = 0
            for page, change in t:
                pool.access(page, change)
        return pool.reads / (o.orders - warm), pool.writes / (o.orders - warm)

    base = sum(run(58, "interval"))
    print(f"{'dirty':>6} {'order':12} {'reads':>6} {'writes':>7}   a New-Order    throughput")
    for share in (10, 20, 40, 58):
        for order in ("oldest", "lru", "interval", "clairvoyant"):
            reads, writes = run(share, order)
            print(f"{share:5}% {order:12} {reads:6.2f} {writes:7.2f} {base / (reads + writes):25.2f}", flush=True)


if __name__ == "__main__":
    main()
