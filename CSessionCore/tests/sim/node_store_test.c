#include "node_store.h"

#include "support/test.h"

static const uint8_t alice[SC_STORAGE_ACCOUNT_BYTES] = {5, 1}, bob[SC_STORAGE_ACCOUNT_BYTES] = {5, 2};

static const stored *put(bool *already, node_store *store, const uint8_t *account, const char *text,
                         uint64_t expiry) {
  stored message = {.number = 2, .expiry = expiry, .data = blob_make(sc_bytes_text(text))};
  memcpy(message.account, account, sizeof message.account);
  const stored *kept = node_store_put(already, store, &message);
  blob_drop(message.data);
  return kept;
}

static void the_same_is_kept_once_for_the_longer_time(sc_test *t) {
  node_store store = {0};
  bool already;
  CHECK(put(&already, &store, alice, "a", 50)->expiry == 50 && !already);
  CHECK(put(&already, &store, alice, "a", 70)->expiry == 70 && already);
  CHECK(put(&already, &store, alice, "a", 60)->expiry == 70 && already);
  CHECK(store.count == 1);
  (void)put(&already, &store, bob, "a", 60);
  CHECK(!already && store.count == 2);
done:
  node_store_free(&store);
}

static void only_the_owner_deletes(sc_test *t) {
  node_store store = {0};
  bool already;
  char hash[SC_STORAGE_HASH_CHARS + 1];
  (void)put(&already, &store, alice, "a", 50);
  (void)put(&already, &store, alice, "b", 50);
  sc_storage_message_hash(hash, alice, 2, sc_bytes_text("a"));
  CHECK(!node_store_remove(&store, bob, sc_bytes_text(hash)));
  CHECK(node_store_remove(&store, alice, sc_bytes_text(hash)));
  CHECK(!node_store_remove(&store, alice, sc_bytes_text(hash)));
  CHECK(node_store_find(&store, sc_bytes_text(hash)) == NULL && store.count == 1);
done:
  node_store_free(&store);
}

static void what_expires_goes(sc_test *t) {
  node_store store = {0};
  bool already;
  (void)put(&already, &store, alice, "a", 50);
  (void)put(&already, &store, alice, "b", 60);
  (void)put(&already, &store, alice, "c", 70);
  node_store_sweep(&store, 60);
  CHECK(store.count == 1 && store.list[0].expiry == 70);
done:
  node_store_free(&store);
}

SUITE(sim_node_store, "sim/node_store",
      {"the same is kept once for the longer time", the_same_is_kept_once_for_the_longer_time},
      {"only the owner deletes", only_the_owner_deletes}, {"what expires goes", what_expires_goes});
