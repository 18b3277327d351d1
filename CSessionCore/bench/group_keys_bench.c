/* The keys of groups: making and loading a message beside the primitives that it is made of, called with
 * everything they need at hand.
 *
 * An admin agrees on a key with each member, and remembers it as long as the member stays. So there are two
 * figures for rekeying: with strangers, where that is most of the work, and with the members of before, which
 * is what happens when somebody joins or leaves. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum {
  most_members = 100,
  pad_to = 75,
  most_entries = 150,
  wrapped_bytes = 48,
  most_bytes = 8 * 1024,
  loaded_ms = 1750000000,
};

/* An admin, two sets of members who are strangers to each other, and one of the members. */
typedef struct house {
  sc_keypair group;
  sc_id group_id;
  sc_keypair people[2][most_members];
  sc_id ids[2][most_members]; /* ascending */
  sc_group_keys *admin;
  sc_group_keys *member; /* the one in the middle of the first set */
  sc_buffer message;     /* the admin's, for the first set */
  size_t count;
  unsigned turn;
  uint8_t signature[64];
  uint8_t entries[most_entries][wrapped_bytes];
  uint8_t scratch[most_bytes];
} house;

static const uint8_t nonce[24] = {9};

/* A floor that failed would be too fast. */
static void floor_ok(int failed) {
  if (failed != 0)
    bench_stop(__FILE__, __LINE__, "a primitive", SC_ERR_STATE);
}

static void rekey_strangers(void *user) {
  house *h = user;
  BENCH_OK(sc_group_keys_rekey(h->admin, h->ids[h->turn++ % 2], h->count));
  bench_keep(sc_group_keys_pending(h->admin).ptr);
}

static void rekey_again(void *user) {
  house *h = user;
  BENCH_OK(sc_group_keys_rekey(h->admin, h->ids[0], h->count));
  bench_keep(sc_group_keys_pending(h->admin).ptr);
}

static void agree(house *h) {
  for (size_t i = 0; i < h->count; i++)
    floor_ok(crypto_scalarmult(h->scratch, h->group.x.secret, sc_id_key(&h->ids[0][i])));
}

static void seal_and_sign(house *h) {
  for (size_t i = 0; i < h->count + 1; i++)
    floor_ok(crypto_aead_xchacha20poly1305_ietf_encrypt(h->entries[i], NULL, h->scratch, SC_KEY_BYTES, NULL,
                                                        0, NULL, nonce, h->group.x.secret));
  floor_ok(crypto_sign_detached(h->signature, NULL, h->message.ptr, h->message.len, h->group.ed.secret));
  bench_keep(h->entries);
}

static void agree_seal_and_sign(void *user) {
  agree(user);
  seal_and_sign(user);
}

static void only_seal_and_sign(void *user) {
  seal_and_sign(user);
}

static void load(void *user) {
  house *h = user;
  bool found;
  BENCH_OK(sc_group_keys_load(&found, h->member, sc_bytes_text("hash"), sc_buffer_bytes(&h->message),
                              loaded_ms, UINT64_MAX));
  if (!found)
    bench_stop(__FILE__, __LINE__, "a key", SC_ERR_NO_KEY);
}

static void verify_and_try(void *user) {
  house *h = user;
  floor_ok(crypto_sign_verify_detached(h->signature, h->message.ptr, h->message.len, h->group.ed.public_key));
  for (size_t i = 0; i <= h->count / 2; i++) {
    int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
        h->scratch, NULL, NULL, h->entries[i], wrapped_bytes, NULL, 0, nonce, h->group.x.public_key);
    bench_keep(&failed);
  }
}

static int compare_people(const void *a, const void *b) {
  return memcmp(((const sc_keypair *)a)->x.public_key, ((const sc_keypair *)b)->x.public_key, SC_KEY_BYTES);
}

static void invite(house *h) {
  for (size_t set = 0; set < 2; set++) {
    for (size_t i = 0; i < most_members; i++)
      sc_keypair_generate(&h->people[set][i], NULL);
    qsort(h->people[set], h->count, sizeof h->people[set][0], compare_people);
    for (size_t i = 0; i < h->count; i++)
      sc_id_make(&h->ids[set][i], SC_ID_STANDARD, h->people[set][i].x.public_key);
  }
}

static void build(house *h, size_t count) {
  const sc_bytes none = sc_bytes_make(NULL, 0);
  *h = (house){.count = count};
  sc_keypair_generate(&h->group, NULL);
  sc_id_make(&h->group_id, SC_ID_GROUP, h->group.ed.public_key);
  invite(h);
  BENCH_OK(sc_group_keys_new(&h->admin, bench_env(), &h->people[1][0], &h->group_id, &h->group.ed, none));
  BENCH_OK(sc_group_keys_new(&h->member, bench_env(), &h->people[0][count / 2], &h->group_id, NULL, none));
  BENCH_OK(sc_group_keys_rekey(h->admin, h->ids[0], count));
  BENCH_OK(sc_buffer_append(&h->message, sc_group_keys_pending(h->admin)));
}

static void leave(house *h) {
  sc_group_keys_free(h->admin);
  sc_group_keys_free(h->member);
  sc_buffer_free(&h->message);
}

static void measure(house *h, const char *what, bench_body ours, bench_body floor, const char *floor_name,
                    double target_us) {
  char name[64];
  snprintf(name, sizeof name, "group-keys/%s-%zu", what, h->count);
  bench_run(&(bench_case){
      .name = name,
      .ours = ours,
      .floor = floor,
      .floor_name = floor_name,
      .user = h,
      .amount = 1,
      .measure = BENCH_US_PER_OP,
      .goal = target_us > 0 ? BENCH_FIGURE_AT_MOST : BENCH_TIME_RATIO_AT_MOST,
      .target = target_us > 0 ? target_us : 1.25,
      .count_allocations = true,
  });
}

static void measure_group(size_t count) {
  static house h;
  build(&h, count);
  measure(&h, "rekey-strangers", rekey_strangers, agree_seal_and_sign, "agreements, AEADs, a signature", 0);
  measure(&h, "rekey", rekey_again, only_seal_and_sign, "AEADs, a signature",
          count == most_members ? 2250 : 0);
  measure(&h, "load", load, verify_and_try, "a verification, AEADs", 100);
  leave(&h);
}

int main(int argc, char **argv) {
  bench_begin(argc, argv);
  measure_group(10);
  measure_group(50);
  measure_group(most_members);
  return 0;
}
