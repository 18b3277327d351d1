/* Loading messages with keys. The first byte of the input chooses: a message as it comes from a swarm; one
 * that the group has signed, whatever is in it; a supplement with this plaintext for the member; or a life:
 * admins make keys for some of the people and give others what there is, messages arrive in any order, some
 * of them twice or damaged, time passes, and now and then everything is saved and loaded. */
#include "crypto/multi_seal.h"
#include "group_keys.h"

enum { longest_input = 4096, most_messages = 8 };

static sc_status load(sc_group_keys *keys, const char *hash, sc_bytes message, uint64_t timestamp_ms) {
  bool found = true;
  size_t active = sc_group_keys_active_count(keys);
  uint64_t version = sc_group_keys_version(keys);
  sc_status status = sc_group_keys_load(&found, keys, sc_bytes_text(hash), message, timestamp_ms, UINT64_MAX);
  if (status != SC_OK)
    REQUIRE(!found && sc_group_keys_active_count(keys) == active && sc_group_keys_version(keys) == version);
  REQUIRE(status != SC_ERR_NO_MEMORY);
  fuzz_check_keys(keys);
  return status;
}

/* Each of the people loads it once, and it makes no difference when they load it again. */
static void all_load(sc_bytes message, bool may_succeed) {
  for (int person = 0; person < fuzz_people; person++) {
    sc_group_keys *keys;
    REQUIRE(fuzz_join(&keys, person, sc_bytes_make(NULL, 0)) == SC_OK);
    sc_status status = load(keys, "hash", message, 1);
    REQUIRE(may_succeed || status != SC_OK);
    keys = fuzz_save_and_load(keys, person);
    size_t count = sc_group_keys_list(keys).count;
    REQUIRE(load(keys, "hash", message, 2) == status && sc_group_keys_list(keys).count == count);
    sc_group_keys_free(keys);
  }
}

/* The input is what stands between the beginning and the signature. */
static void signed_message(sc_bytes content) {
  const fuzz_group *group = fuzz_the_group();
  sc_buffer message;
  uint8_t signature[SC_SIGNATURE_BYTES];
  sc_buffer_init(&message, fuzz_env());
  REQUIRE(sc_buffer_append(&message, sc_bytes_text("d")) == SC_OK);
  REQUIRE(sc_buffer_append(&message, content) == SC_OK);
  sc_ed25519_sign(signature, &group->keys.ed, sc_buffer_bytes(&message));
  REQUIRE(sc_buffer_append(&message, sc_bytes_text("1:~64:")) == SC_OK);
  REQUIRE(sc_buffer_append(&message, SC_BYTES(signature)) == SC_OK);
  REQUIRE(sc_buffer_append(&message, sc_bytes_text("e")) == SC_OK);
  all_load(sc_buffer_bytes(&message), true);
  sc_buffer_free(&message);
}

static void supplement_of(sc_bytes plaintext) {
  static const uint8_t nonce[SC_XCHACHA_NONCE_BYTES] = {7};
  const fuzz_group *group = fuzz_the_group();
  sc_buffer entry, content;
  sc_bt_writer writer;
  sc_buffer_init(&entry, fuzz_env());
  sc_buffer_init(&content, fuzz_env());
  REQUIRE(sc_multi_seal_entry(&entry, &group->keys.x, sc_id_key(&group->people_ids[fuzz_member]),
                              SC_BYTES(nonce), sc_bytes_text("SessionGroupKeyMemberKey"),
                              plaintext) == SC_OK);
  sc_bt_writer_init(&writer, &content);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("#"));
  sc_bt_write_string(&writer, SC_BYTES(nonce));
  sc_bt_write_key(&writer, sc_bytes_text("+"));
  sc_bt_begin_list(&writer);
  sc_bt_write_string(&writer, sc_buffer_bytes(&entry));
  sc_bt_end(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("G"));
  sc_bt_write_i64(&writer, 0);
  sc_bt_end(&writer);
  REQUIRE(sc_bt_writer_finish(&writer) == SC_OK);
  signed_message(sc_bytes_make(content.ptr + 1, content.len - 2));
  sc_buffer_free(&entry);
  sc_buffer_free(&content);
}

typedef struct stored {
  sc_buffer message;
  char hash[2];
  uint64_t timestamp_ms;
} stored;

typedef struct life {
  sc_group_keys *keys[fuzz_people];
  stored stored[most_messages];
  size_t stored_count;
  uint64_t now_ms;
} life;

static void store(life *life, sc_bytes message) {
  if (life->stored_count == most_messages || message.len == 0)
    return;
  stored *kept = &life->stored[life->stored_count];
  *kept = (stored){.hash = {(char)('a' + (int)life->stored_count), 0}, .timestamp_ms = life->now_ms};
  sc_buffer_init(&kept->message, fuzz_env());
  REQUIRE(sc_buffer_append(&kept->message, message) == SC_OK);
  life->stored_count++;
}

/* The members of a bit each. */
static size_t choose(sc_id *out, uint8_t bits) {
  size_t count = 0;
  for (int i = 0; i < fuzz_people; i++)
    if (bits >> i & 1)
      out[count++] = fuzz_the_group()->members[i];
  return count;
}

static void receive(life *life, int person, uint8_t which, uint8_t damage) {
  if (life->stored_count == 0)
    return;
  stored *from = &life->stored[which % life->stored_count];
  uint8_t *changed = &from->message.ptr[damage * from->message.len / 256];
  uint8_t mask = damage % 4 == 3 ? 1 : 0;
  *changed ^= mask;
  sc_status status =
      load(life->keys[person], from->hash, sc_buffer_bytes(&from->message), from->timestamp_ms);
  REQUIRE((status == SC_OK) == (mask == 0));
  *changed ^= mask;
}

static void do_something(life *life, sc_bytes *input) {
  uint8_t event = fuzz_take_byte(input);
  uint8_t detail = fuzz_take_byte(input);
  int person = (event >> 3) % fuzz_people;
  sc_group_keys *keys = life->keys[person];
  const sc_keypair *group = &fuzz_the_group()->keys;
  sc_id members[fuzz_people];
  sc_buffer message;
  sc_buffer_init(&message, fuzz_env());
  switch (event % 8) {
  case 0:
    if (sc_group_keys_rekey(keys, members, choose(members, detail)) == SC_OK)
      store(life, sc_group_keys_pending(keys));
    break;
  case 1:
    if (sc_group_keys_supplement(&message, keys, members, choose(members, detail)) == SC_OK)
      store(life, sc_buffer_bytes(&message));
    break;
  case 2:
    life->now_ms += (uint64_t)detail * 12 * 60 * 60 * 1000;
    break;
  case 3:
    life->keys[person] = fuzz_save_and_load(keys, person);
    break;
  case 4:
    REQUIRE(sc_group_keys_load_admin_key(keys, SC_BYTES(group->ed.secret)) == SC_OK);
    break;
  default:
    receive(life, person, detail, fuzz_take_byte(input));
  }
  sc_buffer_free(&message);
}

/* Everyone who has the newest key opens a message sealed with it. */
static void talk(const life *life) {
  sc_buffer sealed, opened;
  sc_sender sender;
  sc_buffer_init(&sealed, fuzz_env());
  sc_buffer_init(&opened, fuzz_env());
  for (int from = 0; from < fuzz_people; from++) {
    sc_group_key_list list = sc_group_keys_list(life->keys[from]);
    sc_status status = sc_group_keys_seal(&sealed, life->keys[from], sc_bytes_text("hello"), NULL);
    REQUIRE(status == (list.count == 0 ? SC_ERR_CONFIG_KEYLESS : SC_OK));
    for (int to = 0; to < fuzz_people && list.count > 0; to++) {
      sc_group_key_list theirs = sc_group_keys_list(life->keys[to]);
      bool shared = false;
      for (size_t i = 0; i < theirs.count; i++)
        shared = shared || sc_bytes_same(theirs.keys[i], list.keys[0]);
      status = sc_group_keys_open(&opened, &sender, life->keys[to], sc_buffer_bytes(&sealed));
      REQUIRE(status == (shared ? SC_OK : SC_ERR_NO_KEY));
    }
  }
  sc_buffer_free(&sealed);
  sc_buffer_free(&opened);
}

static void a_life(sc_bytes input) {
  life life = {.now_ms = 1};
  for (int person = 0; person < fuzz_people; person++)
    REQUIRE(fuzz_join(&life.keys[person], person, sc_bytes_make(NULL, 0)) == SC_OK);
  while (input.len > 0)
    do_something(&life, &input);
  talk(&life);
  for (int person = 0; person < fuzz_people; person++)
    sc_group_keys_free(life.keys[person]);
  for (size_t i = 0; i < life.stored_count; i++)
    sc_buffer_free(&life.stored[i].message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > longest_input)
    return 0;
  sc_bytes input = sc_bytes_make(data, size);
  switch (fuzz_take_byte(&input) % 4) {
  case 0:
    all_load(input, false);
    break;
  case 1:
    signed_message(input);
    break;
  case 2:
    supplement_of(input);
    break;
  default:
    a_life(input.len > 192 ? sc_bytes_make(input.ptr, 192) : input);
  }
  return 0;
}
