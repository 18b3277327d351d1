#include "network/quic/id_table.h"

#include "support/test.h"

enum { id_count = 500 };

static sc_bytes id_of(uint8_t room[static 8], uint64_t i) {
  memcpy(room, &i, 8);
  return sc_bytes_make(room, 1 + i % 8);
}

static void ids_lead_to_their_owners(sc_test *t) {
  sc_quic_id_table table;
  static char owners[id_count];
  uint8_t room[8];
  sc_quic_id_table_init(&table, t->env);
  for (uint64_t i = 0; i < id_count; i++) {
    memcpy(room, &i, 8);
    OK(sc_quic_id_table_add(&table, SC_QUIC_ID_CONNECTION, SC_BYTES(room), &owners[i]));
  }
  for (uint64_t i = 0; i < id_count; i += 2) {
    memcpy(room, &i, 8);
    sc_quic_id_table_remove(&table, SC_QUIC_ID_CONNECTION, SC_BYTES(room), &owners[i + 1]);
    CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, SC_BYTES(room)) == &owners[i]);
    sc_quic_id_table_remove(&table, SC_QUIC_ID_CONNECTION, SC_BYTES(room), &owners[i]);
  }
  for (uint64_t i = 0; i < id_count; i++) {
    memcpy(room, &i, 8);
    void *owner = sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, SC_BYTES(room));
    CHECK(owner == (i % 2 == 0 ? NULL : &owners[i]));
  }
  CHECK(table.entries.count == id_count / 2);
done:
  sc_quic_id_table_free(&table);
}

static void kind_and_length_belong_to_an_id(sc_test *t) {
  sc_quic_id_table table;
  char a, b;
  uint8_t room[8], longer[21] = {0};
  sc_quic_id_table_init(&table, t->env);
  sc_bytes id = id_of(room, 7);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, id) == NULL);
  OK(sc_quic_id_table_add(&table, SC_QUIC_ID_CONNECTION, id, &a));
  OK(sc_quic_id_table_add(&table, SC_QUIC_ID_CONNECTION, id, &b)); /* the first owner keeps it */
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, id) == &a);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_RESET_TOKEN, id) == NULL);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, sc_bytes_make(room, id.len - 1)) == NULL);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, SC_BYTES(longer)) == NULL);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, sc_bytes_make(room, 0)) == NULL);
done:
  sc_quic_id_table_free(&table);
}

/* The last lookup is cached by position: no other entry may be taken for it. */
static void a_cached_id_can_be_removed_and_added_again(sc_test *t) {
  sc_quic_id_table table;
  char a, b;
  uint8_t first[8], second[8];
  sc_quic_id_table_init(&table, t->env);
  sc_bytes one = id_of(first, 7);
  sc_bytes two = id_of(second, 15);
  OK(sc_quic_id_table_add(&table, SC_QUIC_ID_CONNECTION, one, &a));
  OK(sc_quic_id_table_add(&table, SC_QUIC_ID_CONNECTION, two, &b));
  for (int i = 0; i < 2; i++) {
    CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, one) == &a);
    CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_RESET_TOKEN, one) == NULL);
    CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, two) == &b);
  }
  sc_quic_id_table_remove(&table, SC_QUIC_ID_CONNECTION, two, &b);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, two) == NULL);
  OK(sc_quic_id_table_add(&table, SC_QUIC_ID_CONNECTION, two, &a));
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, two) == &a);
  sc_quic_id_table_remove(&table, SC_QUIC_ID_CONNECTION, one, &a);
  sc_quic_id_table_remove(&table, SC_QUIC_ID_CONNECTION, two, &a);
  CHECK(sc_quic_id_table_find(&table, SC_QUIC_ID_CONNECTION, two) == NULL);
done:
  sc_quic_id_table_free(&table);
}

SUITE(network_quic_id_table, "network/quic/id_table", {"ids lead to their owners", ids_lead_to_their_owners},
      {"kind and length belong to an id", kind_and_length_belong_to_an_id},
      {"a cached id can be removed and added again", a_cached_id_can_be_removed_and_added_again});
