#include "cast.h"
#include "support/test.h"

static void hashes_have_the_known_values(sc_test *t) {
  static const char *const known[] = {CAST_HASH_0, CAST_HASH_2, CAST_HASH_11};
  static const int16_t numbers[] = {0, 2, -11};
  sc_storage_request request = cast_request(SC_STORAGE_STORE);
  char hash[SC_STORAGE_HASH_CHARS + 1];
  for (size_t i = 0; i < 3; i++) {
    sc_storage_message_hash(hash, request.account, numbers[i], sc_bytes_text("hello world"));
    SAME(sc_bytes_text(known[i]), sc_bytes_text(hash));
  }
done:;
}

typedef struct known_access {
  int16_t number;
  sc_storage_access access;
  unsigned days;
} known_access;

static void namespaces_have_the_known_classes(sc_test *t) {
  static const known_access known[] = {
      {0, SC_STORAGE_ACCESS_INBOX, 14},          {10, SC_STORAGE_ACCESS_INBOX, 14},
      {-20, SC_STORAGE_ACCESS_INBOX, 14},        {-32760, SC_STORAGE_ACCESS_INBOX, 14},
      {-10, SC_STORAGE_ACCESS_LEGACY_GROUP, 14}, {-1, SC_STORAGE_ACCESS_OUTBOX, 30},
      {-21, SC_STORAGE_ACCESS_OUTBOX, 30},       {-41, SC_STORAGE_ACCESS_OUTBOX, 30},
      {-11, SC_STORAGE_ACCESS_UNREVOCABLE, 30},  {-111, SC_STORAGE_ACCESS_UNREVOCABLE, 30},
      {1, SC_STORAGE_ACCESS_PRIVATE, 30},        {11, SC_STORAGE_ACCESS_PRIVATE, 30},
      {21, SC_STORAGE_ACCESS_PRIVATE, 30},       {-31, SC_STORAGE_ACCESS_PRIVATE, 30},
      {32767, SC_STORAGE_ACCESS_PRIVATE, 30},    {-32768, SC_STORAGE_ACCESS_PRIVATE, 30},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    CHECK(sc_storage_namespace_access(known[i].number) == known[i].access);
    CHECK(sc_storage_namespace_max_ttl(known[i].number) == known[i].days * cast_day);
  }
done:;
}

typedef struct known_budget {
  uint64_t count;
  int64_t size;
  uint64_t bytes;
} known_budget;

static void a_retrieve_has_a_size_budget(sc_test *t) {
  static const known_budget known[] = {
      {0, 0, 1560000},         {5, 0, 7800000},   {0, -1, 7800000},      {0, -5, 1560000},
      {5, -2, 3900000},        {0, 100, 100},     {0, 7800000, 7800000}, {0, 7800001, 7800000},
      {0, INT64_MAX, 7800000}, {0, INT64_MIN, 0}, {0, -7800001, 0},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const sc_storage_retrieve retrieve = {.max_count = known[i].count, .max_size = known[i].size};
    CHECK(sc_storage_retrieve_budget(&retrieve) == known[i].bytes);
  }
  CHECK(sc_storage_message_cost(43, 76800) == 100 + 43 + 102400);
  CHECK(sc_storage_message_cost(43, 1) == 144);
done:;
}

SUITE(network_storage_namespace, "network/storage/namespace",
      {"hashes have the known values", hashes_have_the_known_values},
      {"namespaces have the known classes", namespaces_have_the_known_classes},
      {"a retrieve has a size budget", a_retrieve_has_a_size_budget});
