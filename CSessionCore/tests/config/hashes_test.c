#include "config/hashes.h"

#include "device.h"

static sc_status add_all(sc_config_hashes *hashes, const char *letters) {
  sc_status status = SC_OK;
  for (; *letters != 0 && status == SC_OK; letters++)
    status = sc_config_hashes_add(hashes, sc_bytes_make(letters, 1));
  return status;
}

static bool holds(const sc_config_hashes *hashes, const char *letters) {
  for (size_t i = 0; i < hashes->count && i < strlen(letters); i++)
    if (hashes->items[i].len != 1 || hashes->items[i].ptr[0] != (uint8_t)letters[i])
      return false;
  return hashes->count == strlen(letters);
}

static void hashes_are_copied_and_sorted(sc_test *t) {
  sc_config_hashes hashes;
  char text[] = "m";
  sc_config_hashes_init(&hashes, t->env);
  CHECK(!sc_config_hashes_contain(&hashes, sc_bytes_text("m")));
  OK(sc_config_hashes_add(&hashes, sc_bytes_text(text)));
  text[0] = 'x';
  OK(add_all(&hashes, "zambab"));
  CHECK(holds(&hashes, "abmz"));
  CHECK(sc_config_hashes_contain(&hashes, sc_bytes_text("m")));
  CHECK(!sc_config_hashes_contain(&hashes, sc_bytes_text("x")));
  sc_config_hashes_clear(&hashes);
  CHECK(hashes.count == 0);
  OK(add_all(&hashes, "a"));
done:
  sc_config_hashes_free(&hashes);
}

static void hashes_have_a_length_limit(sc_test *t) {
  static const uint8_t hash[SC_CONFIG_MAX_HASH_BYTES + 1] = {1};
  sc_config_hashes hashes;
  sc_config_hashes_init(&hashes, t->env);
  FAILS(SC_ERR_ARGUMENT, sc_config_hashes_add(&hashes, sc_bytes_text("")));
  FAILS(SC_ERR_ARGUMENT, sc_config_hashes_add(&hashes, SC_BYTES(hash)));
  OK(sc_config_hashes_add(&hashes, sc_bytes_make(hash, SC_CONFIG_MAX_HASH_BYTES)));
done:
  sc_config_hashes_free(&hashes);
}

static void sets_are_moved_copied_and_compared(sc_test *t) {
  sc_config_hashes a, b;
  sc_config_hashes_init(&a, t->env);
  sc_config_hashes_init(&b, t->env);
  OK(add_all(&a, "ace"));
  OK(add_all(&b, "bcd"));
  CHECK(!sc_config_hashes_same(&a, &b));
  OK(sc_config_hashes_reserve(&a, b.count));
  sc_config_hashes_move(&a, &b);
  CHECK(holds(&a, "abcde") && b.count == 0);
  OK(add_all(&b, "x"));
  OK(sc_config_hashes_copy(&b, &a));
  CHECK(holds(&b, "abcde") && sc_config_hashes_same(&a, &b));
  sc_config_hashes_remove(&b, sc_bytes_text("c"));
  sc_config_hashes_remove(&b, sc_bytes_text("x"));
  CHECK(holds(&b, "abde") && !sc_config_hashes_same(&a, &b));
  sc_config_hashes_subtract(&a, &b);
  CHECK(holds(&a, "c"));
done:
  sc_config_hashes_free(&a);
  sc_config_hashes_free(&b);
}

static void the_number_of_hashes_is_limited(sc_test *t) {
  sc_config_hashes full, more;
  sc_config_hashes_init(&full, t->env);
  sc_config_hashes_init(&more, t->env);
  if (t->torture)
    SKIP("it takes many hashes");
  for (uint32_t i = 0; i < SC_CONFIG_MAX_HASHES; i++)
    OK(sc_config_hashes_add(&full, sc_bytes_make(&i, sizeof i)));
  FAILS(SC_ERR_TOO_LARGE, sc_config_hashes_add(&full, sc_bytes_text("one more")));
  OK(sc_config_hashes_add(&more, sc_bytes_text("one more")));
  OK(sc_config_hashes_reserve(&full, 1));
  sc_config_hashes_move(&full, &more);
  CHECK(full.count == SC_CONFIG_MAX_HASHES && more.count == 0);
done:
  sc_config_hashes_free(&full);
  sc_config_hashes_free(&more);
}

SUITE(config_hashes, "config/hashes", {"hashes are copied and sorted", hashes_are_copied_and_sorted},
      {"hashes have a length limit", hashes_have_a_length_limit},
      {"sets are moved, copied and compared", sets_are_moved_copied_and_compared},
      {"the number of hashes is limited", the_number_of_hashes_is_limited});
