#include "network/paths/suspicions.h"

#include "support/test.h"

enum { limit = 3 };

static const uint8_t suspect[SC_KEY_BYTES] = {1}, other[SC_KEY_BYTES] = {2};

static sc_companions with(uint8_t first, uint8_t second) {
  sc_companions out = {0};
  sc_companions_add(&out, (const uint8_t[SC_KEY_BYTES]){first});
  sc_companions_add(&out, (const uint8_t[SC_KEY_BYTES]){second});
  return out;
}

/* One suspicion, and a reply after it. True when the node is set aside. */
static bool add(sc_suspicions *suspicions, const uint8_t *key, uint8_t first, uint8_t second) {
  uint8_t out[SC_KEY_BYTES];
  const sc_companions companions = with(first, second);
  sc_suspicions_add(suspicions, key, &companions);
  return sc_suspicions_settle(out, suspicions, limit) && memcmp(out, key, SC_KEY_BYTES) == 0;
}

static void three_with_other_companions_are_enough(sc_test *t) {
  static sc_suspicions s;
  s = (sc_suspicions){0};
  CHECK(!add(&s, suspect, 10, 11) && !add(&s, suspect, 20, 21) && add(&s, suspect, 30, 31));
  CHECK(!add(&s, suspect, 40, 41));
done:;
}

static void a_companion_in_common_adds_nothing(sc_test *t) {
  static sc_suspicions s;
  s = (sc_suspicions){0};
  CHECK(!add(&s, suspect, 10, 11) && !add(&s, suspect, 20, 21));
  for (uint8_t i = 0; i < 10; i++)
    CHECK(!add(&s, suspect, (uint8_t)(30 + i), i % 2 == 0 ? 11 : 20));
  CHECK(add(&s, suspect, 50, 51));
done:;
}

static void a_reply_clears_them(sc_test *t) {
  static sc_suspicions s;
  s = (sc_suspicions){0};
  CHECK(!add(&s, suspect, 10, 11) && !add(&s, suspect, 20, 21));
  sc_suspicions_clear(&s, suspect);
  CHECK(!add(&s, suspect, 30, 31) && !add(&s, suspect, 40, 41) && add(&s, suspect, 50, 51));
done:;
}

static void those_of_other_nodes_do_not_count(sc_test *t) {
  static sc_suspicions s;
  s = (sc_suspicions){0};
  CHECK(!add(&s, suspect, 10, 11) && !add(&s, other, 20, 21) && !add(&s, suspect, 30, 31));
done:;
}

static void nothing_counts_without_a_reply(sc_test *t) {
  static sc_suspicions s;
  uint8_t out[SC_KEY_BYTES];
  s = (sc_suspicions){0};
  for (uint8_t i = 0; i < 2 * limit; i++) {
    const sc_companions companions = with((uint8_t)(10 + i), (uint8_t)(100 + i));
    sc_suspicions_add(&s, suspect, &companions);
  }
  sc_suspicions_undo(&s);
  CHECK(!sc_suspicions_settle(out, &s, limit));
done:;
}

static void a_reply_clears_the_suspicions_of_its_node(sc_test *t) {
  static sc_suspicions s;
  uint8_t out[SC_KEY_BYTES];
  s = (sc_suspicions){0};
  for (uint8_t i = 0; i < limit; i++) {
    const sc_companions companions = with((uint8_t)(10 + i), (uint8_t)(100 + i));
    sc_suspicions_add(&s, suspect, &companions);
    sc_suspicions_add(&s, other, &companions);
  }
  sc_suspicions_clear(&s, suspect);
  CHECK(sc_suspicions_settle(out, &s, limit) && memcmp(out, other, SC_KEY_BYTES) == 0);
  CHECK(!sc_suspicions_settle(out, &s, limit));
done:;
}

static void the_oldest_suspect_is_forgotten(sc_test *t) {
  static sc_suspicions s;
  s = (sc_suspicions){0};
  CHECK(!add(&s, suspect, 10, 11) && !add(&s, suspect, 20, 21));
  for (uint8_t i = 0; i < sc_suspects_max; i++)
    CHECK(!add(&s, (const uint8_t[SC_KEY_BYTES]){100, i}, 10, 11));
  CHECK(s.count == sc_suspects_max && !add(&s, suspect, 30, 31));
done:;
}

static void few_may_wait(sc_test *t) {
  static sc_suspicions s;
  s = (sc_suspicions){0};
  const sc_companions companions = with(10, 11);
  for (size_t i = 0; i < 2 * sc_suspicions_waiting; i++)
    sc_suspicions_add(&s, suspect, &companions);
  CHECK(s.waiting_count == sc_suspicions_waiting);
done:;
}

SUITE(network_paths_suspicions, "network/paths/suspicions",
      {"three with other companions are enough", three_with_other_companions_are_enough},
      {"a companion in common adds nothing", a_companion_in_common_adds_nothing},
      {"a reply clears them", a_reply_clears_them},
      {"those of other nodes do not count", those_of_other_nodes_do_not_count},
      {"nothing counts without a reply", nothing_counts_without_a_reply},
      {"a reply clears the suspicions of its node", a_reply_clears_the_suspicions_of_its_node},
      {"the oldest suspect is forgotten", the_oldest_suspect_is_forgotten}, {"few may wait", few_may_wait});
