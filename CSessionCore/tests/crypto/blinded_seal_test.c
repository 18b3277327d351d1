#include <sodium.h>

#include "support/test.h"
#include "support/test_env.h"
#include "support/unsafe_keys.h"

static const sc_id_kind kinds[] = {SC_ID_BLINDED_15, SC_ID_BLINDED_25};
enum { kind_count = sizeof kinds / sizeof kinds[0] };

/* A user of a community, with the ids of each kind in the order of `kinds`. */
typedef struct member {
  sc_keypair keys;
  sc_id account;
  sc_id ids[kind_count];
} member;

typedef struct community {
  uint8_t server[32];
  member alice;
  member bob;
  member eve;
} community;

static void own_id(sc_id *out, sc_id_kind kind, const sc_keypair *keys, const uint8_t server[32]) {
  sc_blinded_pair pair;
  sc_status status =
      kind == SC_ID_BLINDED_15 ? sc_blind15_pair(&pair, keys, server) : sc_blind25_pair(&pair, keys, server);
  *out = status == SC_OK ? pair.id : (sc_id){{0}};
}

static void join(member *out, const uint8_t server[32], const char *seed) {
  uint8_t bytes[32];
  sc_test_hex_into(bytes, sizeof bytes, seed);
  sc_keypair_from_seed(&out->keys, bytes);
  sc_id_make(&out->account, SC_ID_STANDARD, out->keys.x.public_key);
  for (size_t i = 0; i < kind_count; i++)
    own_id(&out->ids[i], kinds[i], &out->keys, server);
}

static community meet(void) {
  community these;
  sc_test_hex_into(these.server, 32, "1d7e7f92b1ed3643855c98ecac02fc7274033a3467653f047d6e433540c03f17");
  join(&these.alice, these.server, "0123456789abcdef0123456789abcdef00000000000000000000000000000000");
  join(&these.bob, these.server, "00112233445566778899aabbccddeeff00000000000000000000000000000000");
  join(&these.eve, these.server, "0000000000000000000000000000000000000000000000000000000000000000");
  return these;
}

/* Seals any inner part between two 15 ids, as a rule-breaking sender would. `negative` takes the other point
 * for the agreement, which belongs to the sender's id with its sign flipped. */
static sc_status seal_inner(sc_buffer *out, const sc_keypair *from, bool negative, const sc_id *sender,
                            const sc_id *recipient, sc_bytes inner) {
  uint8_t agreed[96], key[32], nonce[24] = {7};
  if (crypto_scalarmult_ed25519_noclamp(agreed, from->x.secret, sc_id_key(recipient)) != 0)
    return SC_ERR_KEY_INVALID;
  agreed[31] ^= negative ? 0x80 : 0;
  memcpy(agreed + 32, sc_id_key(sender), 32);
  memcpy(agreed + 64, sc_id_key(recipient), 32);
  sc_status status = sc_blake2b(key, sizeof key, sc_bytes_make(NULL, 0), SC_BYTES(agreed));
  uint8_t *room;
  if (status == SC_OK)
    status = sc_buffer_extend(&room, out, 1 + inner.len + 16 + 24);
  if (status != SC_OK)
    return status;
  room[0] = 0;
  crypto_aead_xchacha20poly1305_ietf_encrypt(room + 1, NULL, inner.ptr, inner.len, NULL, 0, NULL, nonce, key);
  memcpy(room + 1 + inner.len + 16, nonce, 24);
  return SC_OK;
}

static void sealed_messages_have_the_known_bytes(sc_test *t) {
  static const char *const known[kind_count] = {
      "000449294bb842ef395bbefdc209909ed85b3a2516f438815a302f29a6b8bd2f2453bc64968fe927262e3db59fa814972fc8cf"
      "52"
      "8f87000102030405060708090a0b0c0d0e0f1011121314151617",
      "001fc6748a5e4aef59d666c57e0c8a4e1f299f9b32dffd1fb4602a20ac32a8907c5a43fea78f116bb1714fa9c4490eeb06ed90"
      "b2"
      "3e92000102030405060708090a0b0c0d0e0f1011121314151617",
  };
  community these = meet();
  sc_buffer sealed, expected;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&expected, t->env);
  uint8_t nonce[24];
  for (uint8_t i = 0; i < sizeof nonce; i++)
    nonce[i] = i;
  for (size_t i = 0; i < kind_count; i++) {
    sc_test_env env;
    sc_test_env_init(&env, 1);
    sc_test_env_script(&env, SC_BYTES(nonce));
    sc_buffer_clear(&expected);
    OK(sc_test_hex(&expected, known[i]));
    OK(sc_blinded_seal(&sealed, &env.env, &these.alice.keys, these.server, &these.bob.ids[i],
                       sc_bytes_text("hello")));
    SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&sealed));
    CHECK(env.script.len == 0 && env.script_shortage == 0);
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&expected);
}

static void sender_and_recipient_both_read_the_message_and_the_sender(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  static uint8_t text[3000];
  static const size_t lengths[] = {0, 1, 160, sizeof text};
  const sc_keypair *readers[] = {&these.bob.keys, &these.alice.keys};
  for (size_t i = 0; i < kind_count; i++) {
    for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
      sc_bytes message = sc_bytes_make(text, lengths[j]);
      OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, &these.bob.ids[i], message));
      CHECK(sealed.len == message.len + SC_BLINDED_SEAL_OVERHEAD);
      for (size_t k = 0; k < 2; k++) {
        sc_sender sender;
        OK(sc_blinded_open(&opened, &sender, readers[k], these.server, &these.alice.ids[i], &these.bob.ids[i],
                           sc_buffer_bytes(&sealed)));
        SAME(message, sc_buffer_bytes(&opened));
        SAME(SC_BYTES(these.alice.account.bytes), SC_BYTES(sender.id.bytes));
        SAME(SC_BYTES(these.alice.keys.ed.public_key), SC_BYTES(sender.ed25519_public));
      }
    }
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void sealing_and_opening_allocate_once(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  const sc_test_env *env = t->env->user;
  uint8_t message[200] = {0};
  sc_sender sender;
  size_t before = env->allocations;
  OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, &these.bob.ids[1], SC_BYTES(message)));
  CHECK(env->allocations == before + 1);
  OK(sc_blinded_open(&opened, &sender, &these.bob.keys, these.server, &these.alice.ids[1], &these.bob.ids[1],
                     sc_buffer_bytes(&sealed)));
  CHECK(env->allocations == before + 2);
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_note_to_self_opens(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  for (size_t i = 0; i < kind_count; i++) {
    const sc_id *me = &these.alice.ids[i];
    sc_sender sender;
    OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, me, sc_bytes_text("note")));
    OK(sc_blinded_open(&opened, &sender, &these.alice.keys, these.server, me, me, sc_buffer_bytes(&sealed)));
    SAME(sc_bytes_text("note"), sc_buffer_bytes(&opened));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void any_changed_byte_is_detected(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender = {0}, no_sender = {0};
  for (size_t i = 0; i < kind_count; i++) {
    OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, &these.bob.ids[i],
                       sc_bytes_text("hello")));
    for (size_t at = 0; at < sealed.len; at += t->torture ? 24 : 1) {
      sealed.ptr[at] ^= 0x20;
      OK(sc_buffer_append_byte(&opened, 'x'));
      FAILS(at == 0 ? SC_ERR_VERSION : SC_ERR_DECRYPT,
            sc_blinded_open(&opened, &sender, &these.bob.keys, these.server, &these.alice.ids[i],
                            &these.bob.ids[i], sc_buffer_bytes(&sealed)));
      CHECK(opened.len == 0 && memcmp(&sender, &no_sender, sizeof sender) == 0);
      sealed.ptr[at] ^= 0x20;
    }
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_message_of_the_wrong_length_is_refused(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  const sc_id *from = &these.alice.ids[1], *to = &these.bob.ids[1];
  OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, to, sc_bytes_text("hello")));
  for (size_t len = 0; len < sealed.len; len += t->torture ? 26 : 1) {
    sc_status expected = len < SC_BLINDED_SEAL_OVERHEAD ? SC_ERR_TRUNCATED : SC_ERR_DECRYPT;
    FAILS(expected, sc_blinded_open(&opened, &sender, &these.bob.keys, these.server, from, to,
                                    sc_bytes_make(sealed.ptr, len)));
    CHECK(opened.len == 0);
  }
  OK(sc_buffer_append_byte(&sealed, 0));
  FAILS(SC_ERR_DECRYPT,
        sc_blinded_open(&opened, &sender, &these.bob.keys, these.server, from, to, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void no_other_account_opens_the_message(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  for (size_t i = 0; i < kind_count; i++) {
    const sc_id *alice = &these.alice.ids[i], *bob = &these.bob.ids[i], *eve = &these.eve.ids[i];
    OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, bob, sc_bytes_text("hello")));
    sc_bytes bytes = sc_buffer_bytes(&sealed);
    const sc_keypair *keys = &these.eve.keys;
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, alice, bob, bytes));
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, alice, eve, bytes));
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, eve, bob, bytes));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void the_ids_are_authenticated(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  const sc_keypair *keys = &these.bob.keys;
  for (size_t i = 0; i < kind_count; i++) {
    const sc_id *alice = &these.alice.ids[i], *bob = &these.bob.ids[i], *eve = &these.eve.ids[i];
    OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, bob, sc_bytes_text("hello")));
    sc_bytes bytes = sc_buffer_bytes(&sealed);
    sc_id flipped_alice = *alice, flipped_bob = *bob;
    flipped_alice.bytes[32] ^= 0x80;
    flipped_bob.bytes[32] ^= 0x80;
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, eve, bob, bytes));
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, bob, alice, bytes));
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, &flipped_alice, bob, bytes));
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, keys, these.server, alice, &flipped_bob, bytes));
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void the_server_is_authenticated(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  for (size_t i = 0; i < kind_count; i++) {
    OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, &these.bob.ids[i],
                       sc_bytes_text("hello")));
    these.server[0] ^= 1;
    FAILS(SC_ERR_DECRYPT, sc_blinded_open(&opened, &sender, &these.bob.keys, these.server,
                                          &these.alice.ids[i], &these.bob.ids[i], sc_buffer_bytes(&sealed)));
    these.server[0] ^= 1;
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void both_ids_must_be_of_one_blinded_kind(sc_test *t) {
  static const sc_id_kind others[] = {SC_ID_UNBLINDED, SC_ID_GROUP, SC_ID_STANDARD, SC_ID_VERSION};
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  const sc_keypair *keys = &these.bob.keys;
  OK(sc_blinded_seal(&sealed, t->env, &these.alice.keys, these.server, &these.bob.ids[0],
                     sc_bytes_text("hello")));
  sc_bytes bytes = sc_buffer_bytes(&sealed);
  FAILS(SC_ERR_ID_KIND,
        sc_blinded_open(&opened, &sender, keys, these.server, &these.alice.ids[0], &these.bob.ids[1], bytes));
  FAILS(SC_ERR_ID_KIND,
        sc_blinded_open(&opened, &sender, keys, these.server, &these.alice.ids[1], &these.bob.ids[0], bytes));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    sc_id alice = these.alice.ids[0], bob = these.bob.ids[0];
    alice.bytes[0] = bob.bytes[0] = (uint8_t)others[i];
    FAILS(SC_ERR_ID_KIND, sc_blinded_open(&opened, &sender, keys, these.server, &alice, &bob, bytes));
    FAILS(SC_ERR_ID_KIND,
          sc_blinded_open(&opened, &sender, keys, these.server, &alice, &these.bob.ids[0], bytes));
    OK(sc_buffer_append_byte(&opened, 'x'));
    FAILS(SC_ERR_ID_KIND,
          sc_blinded_seal(&opened, t->env, keys, these.server, &alice, sc_bytes_text("hello")));
    CHECK(opened.len == 0);
  }
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void an_unsafe_id_is_refused(sc_test *t) {
  community these = meet();
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_sender sender;
  uint8_t sealed[SC_BLINDED_SEAL_OVERHEAD] = {0};
  for (size_t i = 0; i < unsafe_ed25519_count; i++) {
    for (size_t j = 0; j < kind_count; j++) {
      const sc_keypair *keys = &these.bob.keys;
      const sc_id *me = &these.bob.ids[j];
      uint8_t key[32];
      sc_id other;
      sc_test_hex_into(key, 32, unsafe_ed25519[i]);
      sc_id_make(&other, kinds[j], key);
      FAILS(SC_ERR_KEY_INVALID,
            sc_blinded_seal(&out, t->env, keys, these.server, &other, sc_bytes_text("hello")));
      FAILS(SC_ERR_KEY_INVALID,
            sc_blinded_open(&out, &sender, keys, these.server, &other, me, SC_BYTES(sealed)));
      FAILS(SC_ERR_KEY_INVALID,
            sc_blinded_open(&out, &sender, keys, these.server, me, &other, SC_BYTES(sealed)));
      CHECK(out.len == 0);
    }
  }
done:
  sc_buffer_free(&out);
}

static void a_sender_cannot_name_another_account(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender = {0}, no_sender = {0};
  const sc_keypair *keys = &these.bob.keys;
  const sc_id *eve = &these.eve.ids[0], *bob = &these.bob.ids[0];
  uint8_t no_point[32] = {2};
  const uint8_t *const named[] = {these.alice.keys.ed.public_key, no_point};
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
    sc_buffer_clear(&sealed);
    OK(seal_inner(&sealed, &these.eve.keys, false, eve, bob, sc_bytes_make(named[i], 32)));
    FAILS(SC_ERR_SENDER,
          sc_blinded_open(&opened, &sender, keys, these.server, eve, bob, sc_buffer_bytes(&sealed)));
    CHECK(opened.len == 0 && memcmp(&sender, &no_sender, sizeof sender) == 0);
  }
  sc_buffer_clear(&sealed);
  OK(seal_inner(&sealed, &these.eve.keys, false, eve, bob, SC_BYTES(these.eve.keys.ed.public_key)));
  OK(sc_blinded_open(&opened, &sender, keys, these.server, eve, bob, sc_buffer_bytes(&sealed)));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_sender_with_a_15_id_may_use_either_sign(sc_test *t) {
  community these = meet();
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  sc_id turned = these.alice.ids[0];
  turned.bytes[32] ^= 0x80;
  OK(seal_inner(&sealed, &these.alice.keys, true, &turned, &these.bob.ids[0],
                SC_BYTES(these.alice.keys.ed.public_key)));
  OK(sc_blinded_open(&opened, &sender, &these.bob.keys, these.server, &turned, &these.bob.ids[0],
                     sc_buffer_bytes(&sealed)));
  SAME(SC_BYTES(these.alice.account.bytes), SC_BYTES(sender.id.bytes));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* We could compute its key, but it is not addressed to us. */
static void another_accounts_note_to_self_is_not_ours(sc_test *t) {
  community these = meet();
  sc_buffer opened;
  sc_buffer_init(&opened, t->env);
  sc_sender sender;
  const sc_id *eve = &these.eve.ids[0];
  uint8_t agreed[96], key[32], nonce[24] = {0}, note[73] = {0};
  CHECK(crypto_scalarmult_ed25519_noclamp(agreed, these.eve.keys.x.secret, sc_id_key(&these.bob.ids[0])) ==
        0);
  memcpy(agreed + 32, sc_id_key(eve), 32);
  memcpy(agreed + 64, sc_id_key(eve), 32);
  OK(sc_blake2b(key, sizeof key, sc_bytes_make(NULL, 0), SC_BYTES(agreed)));
  crypto_aead_xchacha20poly1305_ietf_encrypt(note + 1, NULL, these.eve.keys.ed.public_key, 32, NULL, 0, NULL,
                                             nonce, key);
  FAILS(SC_ERR_DECRYPT,
        sc_blinded_open(&opened, &sender, &these.bob.keys, these.server, eve, eve, SC_BYTES(note)));
done:
  sc_buffer_free(&opened);
}

SUITE(crypto_blinded_seal, "crypto/blinded_seal",
      {"sealed messages have the known bytes", sealed_messages_have_the_known_bytes},
      {"sender and recipient both read the message and the sender",
       sender_and_recipient_both_read_the_message_and_the_sender},
      {"sealing and opening allocate once", sealing_and_opening_allocate_once},
      {"a note to self opens", a_note_to_self_opens},
      {"any changed byte is detected", any_changed_byte_is_detected},
      {"a message of the wrong length is refused", a_message_of_the_wrong_length_is_refused},
      {"no other account opens the message", no_other_account_opens_the_message},
      {"the ids are authenticated", the_ids_are_authenticated},
      {"the server is authenticated", the_server_is_authenticated},
      {"both ids must be of one blinded kind", both_ids_must_be_of_one_blinded_kind},
      {"an unsafe id is refused", an_unsafe_id_is_refused},
      {"a sender cannot name another account", a_sender_cannot_name_another_account},
      {"a sender with a 15 id may use either sign", a_sender_with_a_15_id_may_use_either_sign},
      {"another account's note to self is not ours", another_accounts_note_to_self_is_not_ours});
