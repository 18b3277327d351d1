/* Taking wrappings off configs. The first byte of the input chooses: raw bytes, a genuine wrapping changed on
 * its way, an envelope in a genuine wrapping, or a content in a genuine seal. */
#include "config/legacy_wrap.h"
#include "sealed.h"

static const sc_legacy_config_kind kind = SC_LEGACY_CONFIG_CONTACTS;

static const sc_keypair *the_account(void) {
  static sc_keypair account;
  static bool ready;
  if (!ready) {
    REQUIRE(sc_init() == SC_OK);
    fuzz_pair(&account, 1);
    ready = true;
  }
  return &account;
}

/* Unwraps, and checks that stripping leaves bytes without a wrapping as they are. */
static sc_status unwrap(sc_buffer *out, sc_bytes wrapped) {
  sc_buffer stripped, again;
  sc_buffer_init(&stripped, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  REQUIRE(sc_buffer_append(out, sc_bytes_text("left over")) == SC_OK);
  sc_status status = sc_config_unwrap(out, the_account(), kind, wrapped);
  REQUIRE(status == SC_OK || out->len == 0);
  REQUIRE(sc_config_strip(&stripped, the_account(), kind, wrapped) == SC_OK);
  sc_bytes once = status == SC_OK ? sc_buffer_bytes(out) : wrapped;
  if (sc_config_unwrap(&again, the_account(), kind, once) == SC_OK)
    once = sc_buffer_bytes(&again);
  REQUIRE(sc_bytes_same(once, sc_buffer_bytes(&stripped)));
  sc_buffer_free(&stripped);
  sc_buffer_free(&again);
  return status;
}

static void raw(sc_bytes input) {
  sc_buffer unwrapped;
  sc_buffer_init(&unwrapped, fuzz_env());
  REQUIRE(unwrap(&unwrapped, input) != SC_OK);
  sc_buffer_free(&unwrapped);
}

static void changed_on_its_way(sc_bytes input) {
  sc_buffer wrapped, unwrapped;
  sc_buffer_init(&wrapped, fuzz_env());
  sc_buffer_init(&unwrapped, fuzz_env());
  int64_t seqno = fuzz_take_byte(&input) - 100;
  sc_bytes config = fuzz_take_message(&input);
  REQUIRE(sc_config_wrap(&wrapped, the_account(), kind, seqno, config) == SC_OK);
  bool changed = fuzz_change(&wrapped, input);
  sc_status status = unwrap(&unwrapped, sc_buffer_bytes(&wrapped));
  REQUIRE(changed || status == SC_OK);
  if (status == SC_OK)
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&unwrapped), config));
  sc_buffer_free(&wrapped);
  sc_buffer_free(&unwrapped);
}

/* Appends field `number` with these bytes. */
static void append_field(sc_buffer *out, uint8_t number, sc_bytes bytes) {
  REQUIRE(sc_buffer_append_byte(out, (uint8_t)(number << 3 | 2)) == SC_OK);
  size_t len = bytes.len;
  for (; len >= 0x80; len >>= 7)
    REQUIRE(sc_buffer_append_byte(out, (uint8_t)(len | 0x80)) == SC_OK);
  REQUIRE(sc_buffer_append_byte(out, (uint8_t)len) == SC_OK);
  REQUIRE(sc_buffer_append(out, bytes) == SC_OK);
}

/* A request, of which the body is given. */
static void wrap(sc_buffer *out, sc_bytes envelope) {
  static const uint8_t type[] = {0x08, 0x01};
  sc_buffer request;
  sc_buffer_init(&request, fuzz_env());
  append_field(&request, 3, envelope);
  REQUIRE(sc_buffer_append(out, SC_BYTES(type)) == SC_OK);
  append_field(out, 2, sc_buffer_bytes(&request));
  sc_buffer_free(&request);
}

static void wrapped_envelope(sc_bytes input) {
  sc_buffer wrapped, unwrapped;
  sc_buffer_init(&wrapped, fuzz_env());
  sc_buffer_init(&unwrapped, fuzz_env());
  wrap(&wrapped, input);
  sc_status status = unwrap(&unwrapped, sc_buffer_bytes(&wrapped));
  REQUIRE(status != SC_OK && status != SC_ERR_WRAPPING && status != SC_ERR_WRAPPING_EMPTY);
  sc_buffer_free(&wrapped);
  sc_buffer_free(&unwrapped);
}

static void sealed_content(sc_bytes input) {
  static const uint8_t type_and_time[] = {0x08, 0x06, 0x28, 0x01};
  sc_buffer sealed, envelope, wrapped, unwrapped;
  sc_keypair other;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&envelope, fuzz_env());
  sc_buffer_init(&wrapped, fuzz_env());
  sc_buffer_init(&unwrapped, fuzz_env());
  fuzz_pair(&other, 2);
  bool own = fuzz_take_byte(&input) % 8 != 0;
  const sc_keypair *from = own ? the_account() : &other;
  REQUIRE(sc_seal_deterministic(&sealed, from, SC_BYTES(the_account()->x.public_key), input) == SC_OK);
  REQUIRE(sc_buffer_append(&envelope, SC_BYTES(type_and_time)) == SC_OK);
  append_field(&envelope, 8, sc_buffer_bytes(&sealed));
  wrap(&wrapped, sc_buffer_bytes(&envelope));
  sc_status status = unwrap(&unwrapped, sc_buffer_bytes(&wrapped));
  REQUIRE(own == (status != SC_ERR_CONFIG_AUTHOR));
  if (status == SC_OK) {
    sc_buffer_clear(&sealed);
    REQUIRE(sc_config_wrap(&wrapped, the_account(), kind, 1, sc_buffer_bytes(&unwrapped)) == SC_OK);
    REQUIRE(unwrap(&sealed, sc_buffer_bytes(&wrapped)) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&sealed), sc_buffer_bytes(&unwrapped)));
  }
  sc_buffer_free(&sealed);
  sc_buffer_free(&envelope);
  sc_buffer_free(&wrapped);
  sc_buffer_free(&unwrapped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const ways[])(sc_bytes input) = {raw, changed_on_its_way, wrapped_envelope, sealed_content};
  sc_bytes input = sc_bytes_make(data, size);
  ways[fuzz_take_byte(&input) % 4](input);
  return 0;
}
