/* sc-constant-time: proves that our code neither branches on secrets nor uses them as indices.
 *
 * The method: secrets are marked as uninitialised memory and the program runs under valgrind, whose memcheck
 * reports every branch and every address that depends on uninitialised memory, however far it was copied or
 * computed with. Outputs and verdicts that are public by contract are marked as initialised again, here or
 * with sc_declassify in the library, which is compiled for this purpose.
 *
 * Code inside libsodium and nettle is not covered: declassified.supp lists their suppressed reports and the
 * reasons. Recovery phrases are excluded: a phrase is a table of words indexed by the secret, and no other
 * encoding is known.
 *
 * `sc-constant-time --self-test` proves that the method works: it branches on a secret and indexes with one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

#include "crypto/cipher.h"
#include "crypto/hash.h"
#include "crypto/multi_seal.h"
#include "session-core/session-core.h"

enum { exit_failed = 1, exit_skipped = 77 };

static void hide(const void *ptr, size_t len) {
  (void)VALGRIND_MAKE_MEM_UNDEFINED(ptr, len);
}

static void reveal(const void *ptr, size_t len) {
  (void)VALGRIND_MAKE_MEM_DEFINED(ptr, len);
}

/* Ends the program: a proof would be worthless. */
static void require(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "sc-constant-time: %s\n", what);
  exit(2);
}

/* A status is public. */
static void succeeds(sc_status status) {
  reveal(&status, sizeof status);
  require(status == SC_OK, sc_status_text(status));
}

static void fails(sc_status expected, sc_status status) {
  reveal(&status, sizeof status);
  require(status == expected, "a call that must fail did otherwise");
}

static void fill(uint8_t *out, size_t len, uint8_t first) {
  for (size_t i = 0; i < len; i++)
    out[i] = (uint8_t)(first + 37 * i);
}

static void random_secret(void *user, uint8_t *out, size_t len) {
  (void)user;
  static uint8_t next = 1;
  fill(out, len, next++);
  hide(out, len);
}

static void *take(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void give_back(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

/* An environment whose random bytes are secret. */
static const sc_env *secret_env(void) {
  static const sc_env env = {.allocate = take, .release = give_back, .random = random_secret};
  return &env;
}

static sc_keypair secret_keypair(uint8_t first) {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  fill(seed, sizeof seed, first);
  hide(seed, sizeof seed);
  sc_keypair keys;
  sc_keypair_from_seed(&keys, seed);
  reveal(keys.ed.public_key, SC_KEY_BYTES);
  reveal(keys.ed.secret + SC_ED25519_SEED_BYTES, SC_KEY_BYTES);
  reveal(keys.x.public_key, SC_KEY_BYTES);
  return keys;
}

static sc_buffer secret_text(size_t len) {
  sc_buffer text = {0};
  uint8_t *space;
  succeeds(sc_buffer_extend(&space, &text, len));
  fill(space, len, 3);
  hide(space, len);
  return text;
}

static void hexadecimal(void) {
  uint8_t key[32], back[32];
  char text[SC_HEX_CHARS(32) + 1];
  fill(key, sizeof key, 1);
  hide(key, sizeof key);
  sc_hex_encode(text, SC_BYTES(key));
  succeeds(sc_hex_decode(back, sizeof back, sc_bytes_make(text, SC_HEX_CHARS(32))));
  memset(text + 20, '!', 1);
  hide(text, sizeof text);
  fails(SC_ERR_HEX, sc_hex_decode(back, sizeof back, sc_bytes_make(text, SC_HEX_CHARS(32))));
}

static void base64(void) {
  uint8_t key[32], back[32];
  char text[SC_BASE64_CHARS(32) + 1];
  fill(key, sizeof key, 1);
  hide(key, sizeof key);
  for (int i = 0; i < 2; i++) {
    sc_base64_alphabet alphabet = i == 0 ? SC_BASE64_STANDARD : SC_BASE64_URL;
    size_t len = sc_base64_encode(text, SC_BYTES(key), alphabet);
    succeeds(sc_base64_decode(back, sizeof back, sc_bytes_make(text, len), alphabet));
    text[20] = '!';
    hide(text, len);
    fails(SC_ERR_BASE64, sc_base64_decode(back, sizeof back, sc_bytes_make(text, len), alphabet));
  }
}

static void base32z(void) {
  uint8_t key[32], back[32];
  char text[SC_BASE32Z_CHARS(32) + 1];
  fill(key, sizeof key, 1);
  hide(key, sizeof key);
  sc_base32z_encode(text, SC_BYTES(key));
  succeeds(sc_base32z_decode(back, sizeof back, sc_bytes_make(text, SC_BASE32Z_CHARS(32))));
  text[20] = '!';
  hide(text, sizeof text);
  fails(SC_ERR_BASE32Z, sc_base32z_decode(back, sizeof back, sc_bytes_make(text, SC_BASE32Z_CHARS(32))));
}

static void comparison(void) {
  uint8_t a[32], b[32];
  fill(a, sizeof a, 1);
  fill(b, sizeof b, 1);
  for (uint8_t i = 0; i < 2; i++) {
    b[17] ^= i;
    hide(a, sizeof a);
    hide(b, sizeof b);
    bool equal = sc_equal(a, b, sizeof a);
    reveal(&equal, sizeof equal);
    require(equal == (i == 0), "sc_equal is wrong");
  }
}

static void key_derivation(void) {
  sc_keypair keys = secret_keypair(1), other = secret_keypair(2), same;
  succeeds(sc_keypair_from_secret(&same, SC_BYTES(keys.ed.secret)));
  uint8_t shared[32];
  succeeds(sc_x25519(shared, keys.x.secret, other.x.public_key));
  static const uint8_t zero_key[32] = {0};
  fails(SC_ERR_KEY_INVALID, sc_x25519(shared, keys.x.secret, zero_key));
  sc_account account;
  hide(keys.ed.secret, SC_SEED_BYTES);
  sc_account_from_seed(&account, keys.ed.secret);
  reveal(&account.id, sizeof account.id);
  sc_account_wipe(&account);
}

static void verify_signature(const uint8_t *key, sc_bytes message, uint8_t signature[SC_SIGNATURE_BYTES]) {
  reveal(signature, SC_SIGNATURE_BYTES);
  reveal(message.ptr, message.len);
  succeeds(sc_ed25519_verify(sc_bytes_make(key, SC_KEY_BYTES), message,
                             sc_bytes_make(signature, SC_SIGNATURE_BYTES)));
}

static void ed25519(void) {
  sc_keypair keys = secret_keypair(1);
  sc_buffer message = secret_text(50);
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_ed25519_sign(signature, &keys.ed, sc_buffer_bytes(&message));
  verify_signature(keys.ed.public_key, sc_buffer_bytes(&message), signature);
  sc_buffer_free(&message);
}

/* With keys of both signs, so that both negation results are covered. */
static void xed25519(void) {
  unsigned signs = 0;
  for (uint8_t first = 1; first <= 6; first++) {
    sc_keypair keys = secret_keypair(first);
    sc_buffer message = secret_text(50);
    uint8_t signature[SC_SIGNATURE_BYTES];
    succeeds(sc_xed25519_sign(signature, secret_env(), keys.x.secret, sc_buffer_bytes(&message)));
    reveal(signature, sizeof signature);
    reveal(message.ptr, message.len);
    succeeds(sc_xed25519_verify(SC_BYTES(keys.x.public_key), sc_buffer_bytes(&message), SC_BYTES(signature)));
    signs |= 1U << (keys.ed.public_key[31] >> 7);
    sc_buffer_free(&message);
  }
  require(signs == 3, "the keys are all of one sign");
}

static void blinding(void) {
  static const uint8_t server[32] = {7};
  unsigned signs = 0;
  for (uint8_t first = 1; first <= 6; first++) {
    sc_keypair keys = secret_keypair(first);
    /* The one bit that distinguishes an account id's two keys must not be branched on either. */
    hide(keys.ed.public_key, SC_KEY_BYTES);
    sc_blinded_pair pair[2];
    succeeds(sc_blind15_pair(&pair[0], &keys, server));
    succeeds(sc_blind25_pair(&pair[1], &keys, server));
    for (int i = 0; i < 2; i++) {
      reveal(&pair[i].id, sizeof pair[i].id);
      sc_buffer message = secret_text(50);
      uint8_t signature[SC_SIGNATURE_BYTES];
      sc_blind_sign(signature, &keys, &pair[i], sc_buffer_bytes(&message));
      verify_signature(sc_id_key(&pair[i].id), sc_buffer_bytes(&message), signature);
      sc_blinded_pair_wipe(&pair[i]);
      sc_buffer_free(&message);
    }
    reveal(keys.ed.public_key, SC_KEY_BYTES);
    signs |= 1U << (keys.ed.public_key[31] >> 7);
  }
  require(signs == 3, "the keys are all of one sign");
}

static void subaccounts(void) {
  sc_keypair group = secret_keypair(1);
  sc_id group_id;
  sc_id_make(&group_id, SC_ID_GROUP, group.ed.public_key);
  for (uint8_t first = 2; first <= 5; first++) {
    sc_keypair member = secret_keypair(first);
    sc_id id;
    sc_id_make(&id, SC_ID_STANDARD, member.x.public_key);
    uint8_t access[SC_SUBACCOUNT_ACCESS_BYTES];
    succeeds(sc_subaccount_grant(access, &group.ed, &id, SC_SUBACCOUNT_MEMBER));
    reveal(access, 4);
    reveal(access + SC_SUBACCOUNT_TOKEN_BYTES, SC_SIGNATURE_BYTES);
    succeeds(sc_subaccount_verify(&group_id, &member, SC_BYTES(access), SC_SUBACCOUNT_WRITE));
    sc_buffer request = secret_text(50);
    sc_subaccount_proof proof;
    succeeds(sc_subaccount_sign(&proof, &member, SC_BYTES(access), sc_buffer_bytes(&request)));
    verify_signature(proof.token + 4, sc_buffer_bytes(&request), proof.signature);
    sc_buffer_free(&request);
  }
}

static void version_key(void) {
  sc_keypair keys = secret_keypair(1);
  sc_ed25519_pair pair;
  sc_version_pair(&pair, &keys);
  reveal(pair.public_key, sizeof pair.public_key);
  reveal(pair.secret + SC_ED25519_SEED_BYTES, SC_KEY_BYTES);
  uint8_t signature[SC_SIGNATURE_BYTES];
  succeeds(sc_version_sign_request(signature, NULL, &pair, 1700000000, sc_bytes_text("GET"),
                                   sc_bytes_text("/"), sc_bytes_text("")));
}

static void seal(void) {
  sc_keypair from = secret_keypair(1), to = secret_keypair(2);
  sc_buffer message = secret_text(100), sealed = {0}, opened = {0};
  for (int i = 0; i < 2; i++) {
    if (i == 0)
      succeeds(sc_seal(&sealed, secret_env(), &from, SC_BYTES(to.x.public_key), sc_buffer_bytes(&message)));
    else
      succeeds(sc_seal_deterministic(&sealed, &from, SC_BYTES(to.x.public_key), sc_buffer_bytes(&message)));
    reveal(sealed.ptr, sealed.len);
    sc_sender sender;
    succeeds(sc_seal_open(&opened, &sender, &to.x, sc_buffer_bytes(&sealed)));
    sealed.ptr[40] ^= 1;
    fails(SC_ERR_DECRYPT, sc_seal_open(&opened, &sender, &to.x, sc_buffer_bytes(&sealed)));
  }
  sc_buffer_free(&message);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void blinded_seal(void) {
  static const uint8_t server[32] = {7};
  sc_keypair from = secret_keypair(1), to = secret_keypair(2);
  sc_blinded_pair mine, theirs;
  succeeds(sc_blind15_pair(&mine, &from, server));
  succeeds(sc_blind15_pair(&theirs, &to, server));
  reveal(&mine.id, sizeof mine.id);
  reveal(&theirs.id, sizeof theirs.id);
  sc_buffer message = secret_text(100), sealed = {0}, opened = {0};
  succeeds(sc_blinded_seal(&sealed, secret_env(), &from, server, &theirs.id, sc_buffer_bytes(&message)));
  reveal(sealed.ptr, sealed.len);
  sc_sender sender;
  succeeds(sc_blinded_open(&opened, &sender, &to, server, &mine.id, &theirs.id, sc_buffer_bytes(&sealed)));
  sc_buffer_free(&message);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void hop(void) {
  sc_keypair client = secret_keypair(1), node = secret_keypair(2);
  static const sc_hop_cipher ciphers[] = {SC_HOP_XCHACHA20, SC_HOP_AES_GCM};
  sc_buffer message = secret_text(100), sealed = {0}, opened = {0};
  for (size_t i = 0; i < 2; i++) {
    succeeds(sc_hop_seal(&sealed, secret_env(), ciphers[i], SC_HOP_CLIENT, &client.x, node.x.public_key,
                         sc_buffer_bytes(&message)));
    reveal(sealed.ptr, sealed.len);
    succeeds(sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &node.x, client.x.public_key,
                         sc_buffer_bytes(&sealed)));
    sealed.ptr[60] ^= 1;
    fails(SC_ERR_DECRYPT, sc_hop_open(&opened, ciphers[i], SC_HOP_SERVER, &node.x, client.x.public_key,
                                      sc_buffer_bytes(&sealed)));
  }
  sc_buffer_free(&message);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void multi(void) {
  sc_keypair from = secret_keypair(1), to = secret_keypair(2);
  static const uint8_t nonce[SC_XCHACHA_NONCE_BYTES] = {1};
  sc_bytes domain = sc_bytes_text("domain");
  uint8_t key[32];
  succeeds(sc_multi_key(key, &from.x, to.x.public_key, true, domain));
  sc_buffer message = secret_text(100), sealed = {0}, opened = {0};
  succeeds(sc_multi_seal_entry(&sealed, &from.x, to.x.public_key, SC_BYTES(nonce), domain,
                               sc_buffer_bytes(&message)));
  reveal(sealed.ptr, sealed.len);
  succeeds(sc_multi_open_entry(&opened, &to.x, from.x.public_key, SC_BYTES(nonce), domain,
                               sc_buffer_bytes(&sealed)));
  sc_buffer_free(&message);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

/* The key and the text are secret, the padding length is not; a changed last block has no padding. */
static void cbc_padding(void) {
  uint8_t key[32];
  static const uint8_t iv[SC_AES_CBC_IV_BYTES] = {1};
  fill(key, sizeof key, 1);
  for (size_t len = 0; len <= 32; len += 5) {
    hide(key, sizeof key);
    sc_buffer text = secret_text(len), encrypted = {0}, decrypted = {0};
    succeeds(sc_aes_cbc_encrypt(&encrypted, SC_BYTES(key), SC_BYTES(iv), sc_buffer_bytes(&text)));
    reveal(encrypted.ptr, encrypted.len);
    succeeds(sc_aes_cbc_decrypt(&decrypted, SC_BYTES(key), SC_BYTES(iv), sc_buffer_bytes(&encrypted)));
    require(decrypted.len == len, "the padding was not taken off");
    encrypted.ptr[encrypted.len - 1] ^= 1;
    fails(SC_ERR_DECRYPT,
          sc_aes_cbc_decrypt(&decrypted, SC_BYTES(key), SC_BYTES(iv), sc_buffer_bytes(&encrypted)));
    sc_buffer_free(&text);
    sc_buffer_free(&encrypted);
    sc_buffer_free(&decrypted);
  }
}

/* The number of trailing zeros is public, the bytes before them are not. */
static void push_payload(void) {
  uint8_t key[SC_KEY_BYTES];
  fill(key, sizeof key, 1);
  hide(key, sizeof key);
  sc_buffer text = secret_text(100), payload = {0}, opened = {0};
  succeeds(sc_push_seal(&payload, secret_env(), SC_BYTES(key), sc_buffer_bytes(&text), 256));
  reveal(payload.ptr, payload.len);
  succeeds(sc_push_open(&opened, SC_BYTES(key), sc_buffer_bytes(&payload)));
  require(opened.len == text.len, "the padding was not taken off");
  sc_buffer_free(&text);
  sc_buffer_free(&payload);
  sc_buffer_free(&opened);
}

/* The padding length is not public here, only the total size. */
static void message_padding(void) {
  for (size_t len = 0; len <= 320; len += 40) {
    sc_buffer text = secret_text(len), padded = {0};
    succeeds(sc_pad(&padded, sc_buffer_bytes(&text)));
    hide(padded.ptr, padded.len);
    sc_bytes unpadded = sc_unpadded(sc_buffer_bytes(&padded));
    reveal(&unpadded, sizeof unpadded);
    require(unpadded.len == len, "the padding was not taken off");
    sc_buffer_free(&text);
    sc_buffer_free(&padded);
  }
}

static void legacy_file(void) {
  sc_buffer content = secret_text(1000), sealed = {0}, opened = {0};
  sc_legacy_file_pointer pointer;
  succeeds(sc_legacy_file_seal(&sealed, &pointer, secret_env(), sc_buffer_bytes(&content)));
  reveal(sealed.ptr, sealed.len);
  reveal(pointer.digest, sizeof pointer.digest);
  reveal(&pointer.size, sizeof pointer.size);
  succeeds(sc_legacy_file_open(&opened, SC_BYTES(pointer.key), SC_BYTES(pointer.digest), pointer.size,
                               sc_buffer_bytes(&sealed)));
  sealed.ptr[sealed.len - 1] ^= 1;
  uint8_t digest[SC_LEGACY_FILE_DIGEST_BYTES];
  sc_sha256(digest, sc_buffer_bytes(&sealed));
  fails(SC_ERR_FILE_DAMAGED, sc_legacy_file_open(&opened, SC_BYTES(pointer.key), SC_BYTES(digest),
                                                 pointer.size, sc_buffer_bytes(&sealed)));
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void pro_keys(void) {
  sc_keypair account = secret_keypair(5);
  sc_ed25519_pair master, rotating;
  uint8_t decoy[SC_SIGNATURE_BYTES];
  sc_pro_master_pair(&master, &account);
  sc_pro_rotating_pair(&rotating, &master, 1750000000);
  sc_pro_decoy(decoy, secret_env());
}

/* Keys and ciphertexts are public; a ciphertext that was changed takes the same way as a genuine one. */
static void mlkem(void) {
  uint8_t seed[SC_MLKEM768_SEED_BYTES], public_key[SC_MLKEM768_PUBLIC_BYTES],
      secret[SC_MLKEM768_SECRET_BYTES];
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES], mine[32], theirs[32];
  succeeds(sc_mlkem768_generate(seed, public_key, secret, secret_env()));
  reveal(public_key, sizeof public_key);
  succeeds(sc_mlkem768_encapsulate(ciphertext, mine, secret_env(), SC_BYTES(public_key)));
  reveal(ciphertext, sizeof ciphertext);
  for (uint8_t i = 0; i < 2; i++) {
    ciphertext[500] ^= i;
    succeeds(sc_mlkem768_decapsulate(theirs, SC_BYTES(secret), SC_BYTES(ciphertext)));
    bool equal = sc_equal(mine, theirs, sizeof mine);
    reveal(&equal, sizeof equal);
    require(equal == (i == 0), "the secrets are equal when they must not be, or the other way round");
  }
}

/* A device of an account whose seed is public, so that its certificate is. */
static void secret_device(sc_ratchet_device *device, sc_account *account, uint8_t first) {
  uint8_t account_seed[SC_SEED_BYTES], seed[SC_KEY_BYTES];
  fill(account_seed, sizeof account_seed, first);
  sc_account_from_seed(account, account_seed);
  fill(seed, sizeof seed, first);
  hide(seed, sizeof seed);
  sc_ratchet_device_make(device, account, seed, 1);
  reveal(device->keys.ed.public_key, SC_KEY_BYTES);
  reveal(device->keys.ed.secret + SC_ED25519_SEED_BYTES, SC_KEY_BYTES);
  reveal(device->keys.x.public_key, SC_KEY_BYTES);
  reveal(device->certificate, sizeof device->certificate);
}

static void secret_bundle(sc_ratchet_bundle *out, sc_buffer *message, const sc_ratchet_prekeys *prekeys,
                          const sc_ratchet_device *device, const sc_account *account) {
  sc_ratchet_public_prekeys keys;
  sc_ratchet_prekeys_public(&keys, prekeys);
  reveal(&keys, sizeof keys);
  const sc_ratchet_bundle bundle = {.sequence = 1,
                                    .signed_s = 1,
                                    .generation = 1,
                                    .signed_prekey = SC_BYTES(keys.signed_prekey),
                                    .kem_key = SC_BYTES(keys.kem_key),
                                    .one_time = sc_bytes_make(keys.one_time, keys.one_time_bytes),
                                    .roster = SC_BYTES(device->keys.ed.public_key)};
  succeeds(sc_ratchet_bundle_write(message, &bundle, device, account));
  reveal(message->ptr, message->len);
  succeeds(sc_ratchet_bundle_open(out, NULL, sc_buffer_bytes(message), &account->id, 1));
}

/* Seals with one session and reveals the message. */
static void secret_message(sc_ratchet_envelope *out, sc_buffer *sealed, sc_ratchet_session *session) {
  static const uint8_t place = 2;
  succeeds(sc_ratchet_seal(sealed, secret_env(), &session, 1, sc_bytes_text("d1:c5:helloe"), &place));
  reveal(sealed->ptr, sealed->len);
  succeeds(sc_ratchet_envelope_parse(out, sc_buffer_bytes(sealed)));
}

/* A start, an answer, and a message that skips one and is damaged at first. Of messages and their places
 * nothing is secret, of bodies only that they are read. */
static void ratchet(void) {
  sc_account from_account, to_account;
  sc_ratchet_device from, to;
  sc_ratchet_prekeys prekeys;
  sc_ratchet_bundle bundle;
  sc_ratchet_envelope envelope;
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  sc_ratchet_certificate sender;
  sc_ratchet_session *mine, *theirs;
  sc_buffer published = {0}, sealed = {0}, opened = {0}, state = {0};
  const sc_ratchet_open_options options = {.now_s = 1};
  size_t count, index;
  secret_device(&from, &from_account, 1);
  secret_device(&to, &to_account, 2);
  sc_ratchet_prekeys_generate(&prekeys, secret_env(), 1, 1);
  secret_bundle(&bundle, &published, &prekeys, &to, &to_account);
  succeeds(sc_ratchet_session_start(&mine, secret_env(), &from, &bundle, 0, 1));
  secret_message(&envelope, &sealed, mine);
  succeeds(sc_ratchet_starts(starts, &count, &envelope, &to));
  require(count == 1, "the start was not found");
  succeeds(sc_ratchet_open_start(&opened, &theirs, &sender, secret_env(), &envelope, &starts[0], &to,
                                 &prekeys, &options));
  secret_message(&envelope, &sealed, theirs);
  succeeds(sc_ratchet_open(&opened, &index, secret_env(), &envelope, &mine, 1, &options));
  secret_message(&envelope, &sealed, mine);
  secret_message(&envelope, &sealed, mine);
  sealed.ptr[sealed.len - 1] ^= 1;
  succeeds(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(&sealed)));
  fails(SC_ERR_RATCHET_DAMAGED,
        sc_ratchet_open(&opened, &index, secret_env(), &envelope, &theirs, 1, &options));
  sealed.ptr[sealed.len - 1] ^= 1;
  succeeds(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(&sealed)));
  succeeds(sc_ratchet_open(&opened, &index, secret_env(), &envelope, &theirs, 1, &options));
  const sc_ratchet_skipped *skipped = sc_ratchet_session_skipped(theirs, &count);
  succeeds(sc_ratchet_session_save(&state, theirs));
  sc_ratchet_session *loaded;
  succeeds(sc_ratchet_session_load(&loaded, NULL, sc_buffer_bytes(&state), skipped, count));
  secret_message(&envelope, &sealed, mine);
  succeeds(sc_ratchet_open(&opened, &index, secret_env(), &envelope, &loaded, 1, &options));
  sc_ratchet_session_free(loaded);
  sc_ratchet_session_free(theirs);
  sc_ratchet_session_free(mine);
  sc_buffer_free(&published);
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
  sc_buffer_free(&state);
}

typedef struct section {
  const char *name;
  void (*run)(void);
} section;

static const section sections[] = {
    {"hexadecimal text", hexadecimal},
    {"base64 text", base64},
    {"base32z text", base32z},
    {"comparison", comparison},
    {"key derivation", key_derivation},
    {"Ed25519 signature", ed25519},
    {"XEd25519 signature", xed25519},
    {"blinded keys and signatures", blinding},
    {"subaccounts", subaccounts},
    {"version key", version_key},
    {"one-to-one seal", seal},
    {"community seal", blinded_seal},
    {"onion layer", hop},
    {"multi-recipient entry", multi},
    {"CBC padding", cbc_padding},
    {"push payload", push_payload},
    {"message padding", message_padding},
    {"legacy file", legacy_file},
    {"Pro keys", pro_keys},
    {"ML-KEM", mlkem},
    {"ratchet", ratchet},
};

/* Counts the errors of a section. */
static unsigned long errors_in(const section *section) {
  unsigned long before = VALGRIND_COUNT_ERRORS;
  section->run();
  return VALGRIND_COUNT_ERRORS - before;
}

static int run_sections(void) {
  size_t count = sizeof sections / sizeof sections[0], failed = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned long errors = errors_in(&sections[i]);
    if (errors > 0)
      printf("FAILED %s: %lu times a secret decided a branch or an address\n", sections[i].name, errors);
    failed += errors > 0;
  }
  printf("constant time: %zu passed, %zu failed, 0 skipped\n", count - failed, failed);
  return failed == 0 ? EXIT_SUCCESS : exit_failed;
}

static volatile int witness;

static void branch_on_a_secret(void) {
  volatile uint8_t secret = 5;
  hide((const void *)&secret, 1);
  if (secret > 4)
    witness = 1;
}

static void index_with_a_secret(void) {
  static volatile uint8_t table[256];
  volatile uint8_t secret = 5;
  hide((const void *)&secret, 1);
  witness = table[secret];
}

static int self_test(void) {
  static const section mistakes[] = {{"a branch on a secret", branch_on_a_secret},
                                     {"an index that is secret", index_with_a_secret}};
  size_t missed = 0;
  for (size_t i = 0; i < 2; i++) {
    bool noticed = errors_in(&mistakes[i]) > 0;
    printf("%s: %s\n", mistakes[i].name, noticed ? "noticed" : "NOT NOTICED");
    missed += !noticed;
  }
  return missed == 0 ? EXIT_SUCCESS : exit_failed;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  bool tests_itself = argc == 2 && strcmp(argv[1], "--self-test") == 0;
  if (argc > 1 && !tests_itself) {
    fputs("usage: valgrind sc-constant-time [--self-test]\n", stderr);
    return 2;
  }
  if (!RUNNING_ON_VALGRIND) {
    puts("skipped: it proves something under valgrind only");
    return exit_skipped;
  }
  succeeds(sc_init());
  return tests_itself ? self_test() : run_sections();
}
