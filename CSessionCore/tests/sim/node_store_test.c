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

static void a_duplicate_is_kept_once_with_the_longer_lifetime(sc_test *t) {
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

static void expired_messages_are_removed(sc_test *t) {
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

static stored message_of(const uint8_t *account, const char *text, int16_t number) {
  stored message = {.number = number, .timestamp = 1, .expiry = 50, .data = blob_make(sc_bytes_text(text))};
  memcpy(message.account, account, sizeof message.account);
  return message;
}

/* Only a new store does. */
static void replication_does_not_restore_deleted_messages(sc_test *t) {
  node_store store = {0};
  bool already;
  char hash[SC_STORAGE_HASH_CHARS + 1];
  const stored message = message_of(alice, "a", 2);
  sc_storage_message_hash(hash, alice, 2, sc_bytes_text("a"));
  CHECK(!node_store_remove(&store, alice, sc_bytes_text(hash)));
  node_store_take_over(&store, &message);
  CHECK(store.count == 0);
  (void)node_store_put(&already, &store, &message);
  CHECK(!already && store.count == 1);
  node_store_take_over(&store, &message);
  CHECK(store.count == 1);
done:
  blob_drop(message.data);
  node_store_free(&store);
}

static void an_outbox_holds_one_message(sc_test *t) {
  node_store store = {0};
  bool already;
  const stored old = message_of(alice, "a", -1), new = message_of(alice, "b", -1);
  const stored other = message_of(bob, "c", -1);
  (void)node_store_put(&already, &store, &old);
  (void)node_store_put(&already, &store, &other);
  const stored *kept = node_store_put(&already, &store, &new);
  CHECK(store.count == 2 && !already);
  SAME(sc_bytes_text("b"), blob_bytes(kept->data));
done:
  blob_drop(old.data);
  blob_drop(new.data);
  blob_drop(other.data);
  node_store_free(&store);
}

static void the_newest_revocations_are_kept(sc_test *t) {
  node_store store = {0};
  stored_revocation of_bob = {.token = {9}}, first = {.token = {0}};
  memcpy(of_bob.account, bob, sizeof of_bob.account);
  memcpy(first.account, alice, sizeof first.account);
  node_store_revoke(&store, &of_bob);
  for (uint8_t i = 0; i < node_store_most_tokens + 1; i++) {
    stored_revocation revocation = first;
    revocation.token[0] = i;
    node_store_revoke(&store, &revocation);
    CHECK(node_store_is_revoked(&store, &revocation));
  }
  CHECK(!node_store_is_revoked(&store, &first) && node_store_is_revoked(&store, &of_bob));
  CHECK(store.revoked_count == node_store_most_tokens + 1);
  CHECK(node_store_unrevoke(&store, &of_bob) && !node_store_unrevoke(&store, &of_bob));
  CHECK(!node_store_is_revoked(&store, &of_bob));
done:
  node_store_free(&store);
}

SUITE(sim_node_store, "sim/node_store",
      {"a duplicate is kept once with the longer lifetime",
       a_duplicate_is_kept_once_with_the_longer_lifetime},
      {"only the owner deletes", only_the_owner_deletes},
      {"expired messages are removed", expired_messages_are_removed},
      {"replication does not restore deleted messages", replication_does_not_restore_deleted_messages},
      {"an outbox holds one message", an_outbox_holds_one_message},
      {"the newest revocations are kept", the_newest_revocations_are_kept});
