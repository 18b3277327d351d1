/* Opening stored configs. The first byte of the input chooses: raw bytes, a genuine message changed on its
 * way, anything at all in a genuine encryption, or a message that is only packed and padded. */
#include "config/envelope.h"
#include "sealed.h"

static sc_keypair account;
static sc_bytes keys[2];

static void prepare(void) {
  static const uint8_t new_key[32] = {7};
  if (keys[0].len > 0)
    return;
  REQUIRE(sc_init() == SC_OK);
  fuzz_pair(&account, 1);
  keys[1] = sc_bytes_make(account.ed.secret, 32);
  keys[0] = SC_BYTES(new_key);
}

static sc_config_envelope envelope_of(bool wrapped) {
  return (sc_config_envelope){
      .domain = sc_bytes_text("UserProfile"),
      .keys = keys,
      .key_count = 2,
      .account = wrapped ? &account : NULL,
      .kind = SC_LEGACY_CONFIG_USER_PROFILE,
  };
}

static sc_status open(sc_buffer *out, sc_config_form *form, bool wrapped, sc_bytes stored) {
  const sc_config_envelope envelope = envelope_of(wrapped);
  REQUIRE(sc_buffer_append(out, sc_bytes_text("left over")) == SC_OK);
  sc_status status = sc_config_open(out, form, &envelope, stored);
  REQUIRE((status == SC_OK) == (out->len > 0));
  if (status == SC_OK)
    REQUIRE(out->ptr[0] == (*form == SC_CONFIG_PART ? 'm' : 'd'));
  return status;
}

/* A message of this content, which is no dict: nothing here looks inside. */
static void make_message(sc_buffer *out, sc_bytes content) {
  REQUIRE(sc_buffer_append_byte(out, 'd') == SC_OK);
  REQUIRE(sc_buffer_append(out, content) == SC_OK);
}

static void raw(sc_bytes input) {
  sc_buffer opened;
  sc_config_form form;
  sc_buffer_init(&opened, fuzz_env());
  REQUIRE(open(&opened, &form, true, input) != SC_OK);
  sc_buffer_free(&opened);
}

static void changed_on_its_way(sc_bytes input) {
  sc_buffer message, opened;
  sc_config_stored stored;
  sc_config_form form;
  sc_buffer_init(&message, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_config_stored_init(&stored, fuzz_env());
  bool wrapped = fuzz_take_byte(&input) % 2 != 0;
  const sc_config_envelope envelope = envelope_of(wrapped);
  make_message(&message, fuzz_take_message(&input));
  REQUIRE(sc_config_seal(&stored, &envelope, 1, sc_buffer_bytes(&message)) == SC_OK);
  REQUIRE(sc_config_stored_count(&stored) == 1);
  bool changed = fuzz_change(&stored.bytes, input);
  sc_status status = open(&opened, &form, true, sc_buffer_bytes(&stored.bytes));
  REQUIRE(changed || status == SC_OK);
  REQUIRE(wrapped || changed == (status != SC_OK));
  if (status == SC_OK)
    REQUIRE(form == SC_CONFIG_WHOLE && sc_bytes_same(sc_buffer_bytes(&opened), sc_buffer_bytes(&message)));
  sc_buffer_free(&message);
  sc_buffer_free(&opened);
  sc_config_stored_free(&stored);
}

static void encrypted(sc_bytes input) {
  sc_buffer stored, opened, decrypted;
  sc_config_form form;
  sc_buffer_init(&stored, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_buffer_init(&decrypted, fuzz_env());
  sc_bytes key = keys[fuzz_take_byte(&input) % 2];
  const sc_config_envelope envelope = envelope_of(false);
  REQUIRE(sc_config_encrypt(&stored, key, envelope.domain, input) == SC_OK);
  REQUIRE(sc_config_decrypt(&decrypted, keys, 2, envelope.domain, sc_buffer_bytes(&stored)) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&decrypted), input));
  sc_status status = open(&opened, &form, false, sc_buffer_bytes(&stored));
  REQUIRE(status != SC_ERR_NO_KEY && status != SC_ERR_TRUNCATED);
  sc_bytes bare = sc_config_unpadded(input);
  bool as_it_is = status == SC_OK && bare.ptr[0] != 'z';
  REQUIRE(!as_it_is || sc_bytes_same(bare, sc_buffer_bytes(&opened)));
  sc_buffer_free(&stored);
  sc_buffer_free(&opened);
  sc_buffer_free(&decrypted);
}

static void packed_and_padded(sc_bytes input) {
  sc_buffer message, packed, padded;
  sc_buffer_init(&message, fuzz_env());
  sc_buffer_init(&packed, fuzz_env());
  sc_buffer_init(&padded, fuzz_env());
  size_t overhead = fuzz_take_byte(&input);
  make_message(&message, input);
  REQUIRE(sc_config_pack(&packed, sc_buffer_bytes(&message)) == SC_OK);
  REQUIRE(packed.ptr[0] == 'd' ? packed.len == message.len : packed.len < message.len);
  REQUIRE(sc_config_pad(&padded, sc_buffer_bytes(&packed), overhead) == SC_OK);
  REQUIRE((padded.len + overhead) % 256 == 0);
  REQUIRE(sc_bytes_same(sc_config_unpadded(sc_buffer_bytes(&padded)), sc_buffer_bytes(&packed)));
  REQUIRE(sc_config_unpack(&packed, sc_buffer_bytes(&padded)) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&packed), sc_buffer_bytes(&message)));
  sc_buffer_free(&message);
  sc_buffer_free(&packed);
  sc_buffer_free(&padded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way, encrypted, packed_and_padded};
  prepare();
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 4](input);
  return 0;
}
