#include "config/key_ring.h"

#include "group_scene.h"

/* A key named by a letter. */
static sc_ring_key key_of(int64_t generation, uint64_t timestamp_ms, int letter) {
  sc_ring_key key = {.generation = generation, .timestamp_ms = timestamp_ms};
  memset(key.key, letter, sizeof key.key);
  return key;
}

SC_NODISCARD static sc_status add(sc_ring_news *news, sc_key_ring *ring, const sc_env *env,
                                  int64_t generation, uint64_t timestamp_ms, int letter) {
  const sc_ring_key key = key_of(generation, timestamp_ms, letter);
  sc_status status = sc_key_ring_reserve(ring, env, 1);
  if (status == SC_OK)
    *news = sc_key_ring_add(ring, &key, UINT64_MAX);
  return status;
}

#define ADDS(expected, generation, timestamp_ms, letter)                                                     \
  do {                                                                                                       \
    OK(add(&news, &ring, t->env, (generation), (timestamp_ms), (letter)));                                   \
    CHECK(news == (expected));                                                                               \
  } while (0)

/* True if these are the letters of the keys, in order. */
static bool spells(const sc_key_ring *ring, const char *letters) {
  if (ring->count != strlen(letters))
    return false;
  for (size_t i = 0; i < ring->count; i++)
    if (ring->keys[i].key[0] != letters[i])
      return false;
  return true;
}

static void keys_are_ordered_by_generation_time_and_bytes(sc_test *t) {
  sc_key_ring ring = {0};
  sc_ring_news news;
  ADDS(SC_RING_ADDED, 2, 10, 'e');
  ADDS(SC_RING_ADDED, 1, 20, 'd');
  ADDS(SC_RING_ADDED, 1, 10, 'c');
  ADDS(SC_RING_ADDED, 1, 10, 'b');
  ADDS(SC_RING_ADDED, 0, 90, 'a');
  ADDS(SC_RING_ADDED, 3, 5, 'f');
  CHECK(spells(&ring, "abcdef"));
  CHECK(sc_key_ring_oldest(&ring)->key[0] == 'a' && sc_key_ring_newest(&ring)->key[0] == 'f');
done:
  sc_key_ring_free(&ring, t->env);
}

static void a_known_key_keeps_its_time(sc_test *t) {
  sc_key_ring ring = {0};
  sc_ring_news news;
  ADDS(SC_RING_ADDED, 1, 10, 'a');
  ADDS(SC_RING_KNOWN, 1, 5, 'a');
  ADDS(SC_RING_KNOWN, 1, 15, 'a');
  CHECK(ring.count == 1 && ring.keys[0].timestamp_ms == 10);
  ADDS(SC_RING_ADDED, 2, 5, 'a'); /* an equal key in another generation is a different key */
  CHECK(ring.count == 2);
done:
  sc_key_ring_free(&ring, t->env);
}

/* A key expires by its successor's age, not its own. */
static void a_generation_expires_sixty_days_after_the_next_began(sc_test *t) {
  const uint64_t start = 1000;
  sc_key_ring ring = {0};
  sc_ring_news news;
  ADDS(SC_RING_ADDED, 0, start, 'a');
  ADDS(SC_RING_ADDED, 1, start + DAY_MS, 'b');
  ADDS(SC_RING_ADDED, 2, start + 61 * DAY_MS, 'c');
  CHECK(spells(&ring, "abc"));
  ADDS(SC_RING_ADDED, 3, start + 61 * DAY_MS + 1, 'd');
  CHECK(spells(&ring, "bcd"));
  ADDS(SC_RING_ADDED, 4, start + 500 * DAY_MS, 'e');
  CHECK(spells(&ring, "de"));
done:
  sc_key_ring_free(&ring, t->env);
}

/* Only the first key of the next generation matters, and nothing after an unexpired one. */
static void generations_expire_whole_and_in_order(sc_test *t) {
  sc_key_ring ring = {0};
  sc_ring_news news;
  ADDS(SC_RING_ADDED, 0, 0, 'a');
  ADDS(SC_RING_ADDED, 0, 1, 'b');
  ADDS(SC_RING_ADDED, 1, 90 * DAY_MS, 'c');
  ADDS(SC_RING_ADDED, 2, 10 * DAY_MS, 'd');
  CHECK(spells(&ring, "abcd"));
  ADDS(SC_RING_ADDED, 3, 149 * DAY_MS, 'e');
  CHECK(spells(&ring, "abcde"));
  ADDS(SC_RING_ADDED, 1, 2, 'f'); /* now the first of its generation, and expired */
  CHECK(spells(&ring, "de"));
done:
  sc_key_ring_free(&ring, t->env);
}

static void an_expired_key_is_ignored(sc_test *t) {
  sc_key_ring ring = {0};
  sc_ring_news news;
  ADDS(SC_RING_ADDED, 5, 10, 'e');
  ADDS(SC_RING_ADDED, 4, 0, 'd'); /* one key does not expire its predecessors */
  ADDS(SC_RING_ADDED, 6, 60 * DAY_MS, 'f');
  ADDS(SC_RING_ADDED, 3, 0, 'c'); /* exactly sixty days is not enough */
  CHECK(spells(&ring, "cdef"));
  ADDS(SC_RING_ADDED, 6, 60 * DAY_MS + 11, 'g');
  CHECK(spells(&ring, "efg"));
  ADDS(SC_RING_TOO_OLD, 2, 0, 'b');
  ADDS(SC_RING_TOO_OLD, 4, 100 * DAY_MS, 'd');
  ADDS(SC_RING_ADDED, 5, 1, 'h'); /* of a generation still in the ring */
  CHECK(spells(&ring, "hefg"));
done:
  sc_key_ring_free(&ring, t->env);
}

static void a_new_key_replaces_the_oldest_when_full(sc_test *t) {
  sc_key_ring ring = {0};
  sc_ring_news news;
  OK(sc_key_ring_reserve(&ring, t->env, 2 * SC_GROUP_MAX_KEYS));
  for (int64_t i = 1; i <= SC_GROUP_MAX_KEYS; i++)
    ADDS(SC_RING_ADDED, i, 0, 'a');
  ADDS(SC_RING_TOO_OLD, 0, 0, 'a');
  CHECK(ring.count == SC_GROUP_MAX_KEYS && sc_key_ring_oldest(&ring)->generation == 1);
  ADDS(SC_RING_ADDED, SC_GROUP_MAX_KEYS + 1, 0, 'a');
  CHECK(ring.count == SC_GROUP_MAX_KEYS && sc_key_ring_oldest(&ring)->generation == 2);
  ADDS(SC_RING_ADDED, 7, 0, 'b');
  CHECK(ring.count == SC_GROUP_MAX_KEYS && sc_key_ring_oldest(&ring)->generation == 3);
  for (size_t i = 1; i < ring.count; i++)
    CHECK(sc_ring_key_before(&ring.keys[i - 1], &ring.keys[i]));
done:
  sc_key_ring_free(&ring, t->env);
}

static void a_ring_survives_a_round_trip(sc_test *t) {
  sc_key_ring ring = {0};
  sc_ring_news news;
  sc_buffer written;
  sc_bt_writer writer;
  sc_bt_reader reader;
  sc_ring_key key;
  sc_buffer_init(&written, t->env);
  ADDS(SC_RING_ADDED, -1, 0, 'a');
  ADDS(SC_RING_ADDED, SC_GROUP_MAX_GENERATION, SC_GROUP_TIME_END_MS - 1, 'b');
  ring.count = 2; /* the first has expired but is still in the ring */
  ring.keys[1] = ring.keys[0];
  ring.keys[0] = key_of(-1, 0, 'a');
  sc_bt_writer_init(&writer, &written);
  sc_key_ring_write(&ring, &writer);
  OK(sc_bt_writer_finish(&writer));
  sc_bt_reader_init(&reader, sc_buffer_bytes(&written));
  OK(sc_bt_enter_list(&reader));
  for (size_t i = 0; i < 2; i++) {
    OK(sc_ring_key_read(&key, &reader));
    CHECK(key.generation == ring.keys[i].generation && key.timestamp_ms == ring.keys[i].timestamp_ms);
    SAME(SC_BYTES(ring.keys[i].key), SC_BYTES(key.key));
  }
done:
  sc_key_ring_free(&ring, t->env);
  sc_buffer_free(&written);
}

#define KEY "1:k32:abcdefghijklmnopqrstuvwxyzABCDEF"

static void an_invalid_key_is_not_read(sc_test *t) {
  static const struct {
    const char *text;
    sc_status status;
  } cases[] = {
      {"d1:gi1e" KEY "1:ti5ee", SC_OK},
      {"d1:ai0e1:gi1e1:h0:" KEY "1:ti5e1:uleee", SC_ERR_BT_SYNTAX},
      {"d1:ai0e1:gi1e1:h0:" KEY "1:ti5e1:ulee", SC_OK},
      {"d" KEY "1:ti5ee", SC_ERR_FORMAT},
      {"d1:gi1e1:ti5ee", SC_ERR_FORMAT},
      {"d1:gi1e" KEY "e", SC_ERR_FORMAT},
      {"d1:gi1e1:k31:abcdefghijklmnopqrstuvwxyzABCDE1:ti5ee", SC_ERR_FORMAT},
      {"d1:gi1e1:k33:abcdefghijklmnopqrstuvwxyzABCDEFG1:ti5ee", SC_ERR_FORMAT},
      {"d1:gi4611686018427387904e" KEY "1:ti5ee", SC_OK},
      {"d1:gi4611686018427387905e" KEY "1:ti5ee", SC_ERR_FORMAT},
      {"d1:gi-1e" KEY "1:ti5ee", SC_OK},
      {"d1:gi1e" KEY "1:ti-1ee", SC_ERR_BT_RANGE},
      {"d1:gi1e" KEY "1:ti9223372036854775807ee", SC_OK},
      {"d1:gi1e" KEY "1:ti9223372036854775808ee", SC_ERR_FORMAT},
      {"d1:g1:1" KEY "1:ti5ee", SC_ERR_BT_TYPE},
      {"le", SC_ERR_BT_TYPE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_bt_reader reader;
    sc_ring_key key;
    sc_bt_reader_init(&reader, sc_bytes_text(cases[i].text));
    sc_status status = sc_ring_key_read(&key, &reader);
    if (status == SC_OK)
      status = sc_bt_finish(&reader) == SC_OK ? SC_OK : SC_ERR_BT_SYNTAX;
    FAILS(cases[i].status, status);
  }
done:;
}

SUITE(config_key_ring, "config/key_ring",
      {"keys are ordered by generation, time and bytes", keys_are_ordered_by_generation_time_and_bytes},
      {"a known key keeps its time", a_known_key_keeps_its_time},
      {"a generation expires sixty days after the next began",
       a_generation_expires_sixty_days_after_the_next_began},
      {"generations expire whole and in order", generations_expire_whole_and_in_order},
      {"an expired key is ignored", an_expired_key_is_ignored},
      {"a new key replaces the oldest when full", a_new_key_replaces_the_oldest_when_full},
      {"a ring survives a round trip", a_ring_survives_a_round_trip},
      {"an invalid key is not read", an_invalid_key_is_not_read});
