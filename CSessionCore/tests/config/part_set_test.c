#include "config/part_set.h"

#include "support/test.h"

static const uint8_t name[SC_CONFIG_SET_BYTES] = {1, 2, 3};

static void a_set_holds_copies_of_its_parts(sc_test *t) {
  uint8_t hash[] = {'h'}, chunk[] = {'c', 'h'};
  sc_part_set *set = NULL;
  OK(sc_part_set_new(&set, t->env, name, 3));
  SAME(SC_BYTES(name), SC_BYTES(set->name));
  CHECK(!sc_part_set_is_done(set) && set->parts[1] == NULL);
  OK(sc_part_set_hold(set, t->env, 1, SC_BYTES(hash), SC_BYTES(chunk)));
  hash[0] = chunk[0] = 'x';
  CHECK(set->held == 1 && set->chunk_bytes == 2);
  CHECK(set->parts[0] == NULL && set->parts[2] == NULL);
  SAME(sc_bytes_text("h"), sc_held_hash(set->parts[1]));
  SAME(sc_bytes_text("ch"), sc_held_chunk(set->parts[1]));
done:
  sc_part_set_free(t->env, set);
}

static void a_completed_set_holds_nothing(sc_test *t) {
  sc_part_set *set = NULL;
  OK(sc_part_set_new(&set, t->env, name, 2));
  OK(sc_part_set_hold(set, t->env, 0, sc_bytes_text("h"), sc_bytes_text("ch")));
  sc_part_set_finish(t->env, set);
  CHECK(sc_part_set_is_done(set) && set->held == 0 && set->chunk_bytes == 0);
  sc_part_set_finish(t->env, set);
  SAME(SC_BYTES(name), SC_BYTES(set->name));
done:
  sc_part_set_free(t->env, set);
}

static void a_set_has_room_for_one_message(sc_test *t) {
  static const uint8_t bytes[SC_CONFIG_MAX_PADDED_BYTES + 1] = {0};
  const sc_bytes hash = sc_bytes_text("h");
  sc_part_set *set = NULL;
  OK(sc_part_set_new(&set, t->env, name, 3));
  FAILS(SC_ERR_TOO_LARGE, sc_part_set_hold(set, t->env, 0, hash, SC_BYTES(bytes)));
  OK(sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("ch")));
  FAILS(SC_ERR_TOO_LARGE,
        sc_part_set_hold(set, t->env, 1, hash, sc_bytes_make(bytes, SC_CONFIG_MAX_PADDED_BYTES - 1)));
  OK(sc_part_set_hold(set, t->env, 1, hash, sc_bytes_make(bytes, SC_CONFIG_MAX_PADDED_BYTES - 2)));
  sc_part_set_let_go(set, t->env, 0);
  OK(sc_part_set_hold(set, t->env, 2, hash, sc_bytes_text("ch")));
  CHECK(set->held == 2 && set->parts[0] == NULL);
done:
  sc_part_set_free(t->env, set);
}

/* Every part with every other part of the other index. */
static void every_combination_of_parts_is_tried(sc_test *t) {
  static const char *const ways[] = {"ac", "bc", "xc", "ad", "bd", "xd"};
  const sc_bytes hash = sc_bytes_text("h");
  const sc_held_part *chosen[SC_CONFIG_MAX_PARTS];
  sc_part_set *set = NULL;
  OK(sc_part_set_new(&set, t->env, name, 2));
  OK(sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("a")));
  OK(sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("b")));
  CHECK(!sc_part_set_is_full(set));
  OK(sc_part_set_hold(set, t->env, 1, hash, sc_bytes_text("c")));
  OK(sc_part_set_hold(set, t->env, 1, hash, sc_bytes_text("d")));
  OK(sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("x")));
  CHECK(sc_part_set_is_full(set) && set->rival_count == 3);
  CHECK(sc_part_set_has(set, 0, sc_bytes_text("x")) && !sc_part_set_has(set, 1, sc_bytes_text("x")));
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    CHECK(sc_part_set_choose(chosen, set, i));
    CHECK(sc_held_chunk(chosen[0]).ptr[0] == (uint8_t)ways[i][0]);
    CHECK(sc_held_chunk(chosen[1]).ptr[0] == (uint8_t)ways[i][1]);
  }
  CHECK(!sc_part_set_choose(chosen, set, sizeof ways / sizeof ways[0]));
  sc_part_set_let_go(set, t->env, 0);
  CHECK(set->rival_count == 2 && !sc_part_set_has(set, 0, sc_bytes_text("x")));
  OK(sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("x")));
  OK(sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("y")));
  FAILS(SC_ERR_CONFIG_PART, sc_part_set_hold(set, t->env, 0, hash, sc_bytes_text("z")));
done:
  sc_part_set_free(t->env, set);
}

SUITE(config_part_set, "config/part_set",
      {"a set holds copies of its parts", a_set_holds_copies_of_its_parts},
      {"a completed set holds nothing", a_completed_set_holds_nothing},
      {"a set has room for one message", a_set_has_room_for_one_message},
      {"every combination of parts is tried", every_combination_of_parts_is_tried});
