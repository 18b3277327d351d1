/* The first byte chooses: the rest is a sealed message; or the dict inside one; or a body, plain or
 * compressed, that a member signed; or a message that is sealed and then damaged. */
#include "sealed.h"
#include "session-core/crypto/box.h"

static sc_keypair group;
static sc_keypair author;
static const uint8_t wrong_key[SC_KEY_BYTES] = {1};
static const uint8_t group_key[SC_KEY_BYTES] = {2};

static sc_status open_sealed(sc_buffer *out, const sc_buffer *sealed) {
  const sc_bytes keys[] = {SC_BYTES(wrong_key), SC_BYTES(group_key)};
  sc_sender sender;
  size_t index;
  sc_status status =
      sc_group_open(out, &sender, &index, fuzz_env(), group.ed.public_key, keys, 2, sc_buffer_bytes(sealed));
  if (status == SC_OK) {
    REQUIRE(index == 1);
    REQUIRE(memcmp(sender.ed25519_public, author.ed.public_key, SC_KEY_BYTES) == 0);
    REQUIRE(sc_id_kind_of(&sender.id) == SC_ID_STANDARD);
    REQUIRE(memcmp(sc_id_key(&sender.id), author.x.public_key, SC_KEY_BYTES) == 0);
  } else {
    REQUIRE(out->len == 0);
  }
  return status;
}

static void check_raw(sc_buffer *sealed, sc_buffer *opened, sc_bytes input) {
  REQUIRE(sc_buffer_append(sealed, input) == SC_OK);
  REQUIRE(open_sealed(opened, sealed) != SC_OK);
}

/* The input holds no valid signature by chance. */
static void check_dict(sc_buffer *sealed, sc_buffer *opened, sc_bytes dict) {
  REQUIRE(sc_box_seal(sealed, fuzz_env(), SC_BYTES(group_key), dict) == SC_OK);
  REQUIRE(open_sealed(opened, sealed) != SC_OK);
}

static void write_dict(sc_buffer *out, sc_bytes body, bool compressed, sc_bytes signature) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text(""));
  sc_bt_write_i64(&writer, 1);
  sc_bt_write_key(&writer, sc_bytes_text("a"));
  sc_bt_write_string(&writer, SC_BYTES(author.ed.public_key));
  sc_bt_write_key(&writer, sc_bytes_text("s"));
  sc_bt_write_string(&writer, signature);
  sc_bt_write_key(&writer, sc_bytes_text(compressed ? "z" : "d"));
  sc_bt_write_string(&writer, body);
  sc_bt_end(&writer);
  REQUIRE(sc_bt_writer_finish(&writer) == SC_OK);
}

static void check_body(sc_buffer *sealed, sc_buffer *opened, sc_bytes body, bool compressed) {
  sc_buffer bytes, dict;
  sc_buffer_init(&bytes, fuzz_env());
  sc_buffer_init(&dict, fuzz_env());
  uint8_t signature[SC_SIGNATURE_BYTES];
  REQUIRE(sc_buffer_append(&bytes, body) == SC_OK);
  REQUIRE(sc_buffer_append(&bytes, SC_BYTES(group.ed.public_key)) == SC_OK);
  sc_ed25519_sign(signature, &author.ed, sc_buffer_bytes(&bytes));
  write_dict(&dict, body, compressed, SC_BYTES(signature));
  REQUIRE(sc_box_seal(sealed, fuzz_env(), SC_BYTES(group_key), sc_buffer_bytes(&dict)) == SC_OK);
  sc_status status = open_sealed(opened, sealed);
  if (body.len == 0)
    REQUIRE(status == SC_ERR_GROUP_DATA);
  else if (compressed)
    REQUIRE(status == SC_OK ? opened->len <= SC_GROUP_MESSAGE_MAX
                            : status == SC_ERR_COMPRESSION || status == SC_ERR_TOO_LARGE);
  else
    REQUIRE(status == SC_OK && sc_bytes_same(body, sc_buffer_bytes(opened)));
  sc_buffer_free(&bytes);
  sc_buffer_free(&dict);
}

static void check_genuine(sc_buffer *sealed, sc_buffer *opened, sc_bytes input) {
  const sc_group_seal_options options = {fuzz_take_byte(&input) % 2 == 0, fuzz_take_byte(&input)};
  sc_bytes changes = fuzz_take_message(&input);
  sc_status status =
      sc_group_seal(sealed, fuzz_env(), &author, group.ed.public_key, SC_BYTES(group_key), input, &options);
  REQUIRE(status == (input.len == 0 ? SC_ERR_ARGUMENT : SC_OK));
  if (status != SC_OK)
    return;
  REQUIRE(options.padding <= 1 || sealed->len % options.padding == 0);
  REQUIRE(open_sealed(opened, sealed) == SC_OK && sc_bytes_same(input, sc_buffer_bytes(opened)));
  if (fuzz_change(sealed, changes))
    (void)open_sealed(opened, sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool ready;
  if (!ready) {
    fuzz_pair(&group, 1);
    fuzz_pair(&author, 2);
    ready = true;
  }
  sc_buffer sealed, opened;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  sc_bytes input = sc_bytes_make(data, size);
  switch (fuzz_take_byte(&input) % 5) {
  case 0:
    check_raw(&sealed, &opened, input);
    break;
  case 1:
    check_dict(&sealed, &opened, input);
    break;
  case 2:
    check_body(&sealed, &opened, input, false);
    break;
  case 3:
    check_body(&sealed, &opened, input, true);
    break;
  default:
    check_genuine(&sealed, &opened, input);
  }
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
  return 0;
}
