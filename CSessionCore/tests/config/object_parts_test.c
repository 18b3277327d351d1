/* Configs that are too large for one message. */
#include "config/envelope.h"
#include "config/multipart.h"
#include "config/part.h"
#include "device.h"

enum { long_text = 120000 };

/* Random, incompressible bytes in strings of moderate length. */
static sc_status grow(sc_config *config, const sc_env *env, size_t bytes) {
  enum { piece = 4000 };
  uint8_t text[piece];
  sc_config_change change;
  sc_config_change_begin(&change, config);
  for (size_t i = 0; i * piece < bytes; i++) {
    char key[] = {(char)('A' + i / 26), (char)('a' + i % 26), 0};
    sc_random(env, text, sizeof text);
    sc_config_change_set(&change, PATH2("x", key), sc_config_string(SC_BYTES(text)));
  }
  return sc_config_change_end(&change);
}

typedef struct parts {
  sc_config *a, *b;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_status understood;
  sc_config_hashes hashes;
  sc_buffer dump;
} parts;

static sc_status begin_parts(parts *out, const sc_env *env) {
  *out = (parts){0};
  sc_config_outgoing_init(&out->out, env);
  sc_config_hashes_init(&out->hashes, env);
  sc_buffer_init(&out->dump, env);
  sc_status status = device_new(&out->a, env, (sc_bytes){0});
  if (status == SC_OK)
    status = device_new(&out->b, env, (sc_bytes){0});
  if (status == SC_OK)
    status = grow(out->a, env, long_text);
  return status == SC_OK ? sc_config_push(&out->out, out->a, device_now_ms) : status;
}

static void end_parts(parts *p) {
  sc_config_outgoing_free(&p->out);
  sc_config_hashes_free(&p->hashes);
  sc_buffer_free(&p->dump);
  sc_config_free(p->a);
  sc_config_free(p->b);
}

static sc_status receive(parts *p, sc_config *config, size_t index, const char *hash) {
  return device_merge(&p->effect, &p->understood, config, hash,
                      sc_config_stored_message(&p->out.messages, index));
}

static void parts_are_assembled_into_a_message(sc_test *t) {
  parts p;
  OK(begin_parts(&p, t->env));
  CHECK(sc_config_stored_count(&p.out.messages) == 2 && p.out.seqno == 1);
  OK(receive(&p, p.b, 1, "h2"));
  CHECK(p.effect == SC_CONFIG_KEPT && p.understood == SC_OK && sc_config_needs_dump(p.b));
  OK(sc_config_active_hashes(&p.hashes, p.b, device_now_ms));
  HASHES_ARE(&p.hashes, "h2");
  OK(sc_config_dump(&p.dump, p.b, device_now_ms));
  OK(receive(&p, p.b, 1, "h2"));
  CHECK(p.understood == SC_OK && !sc_config_needs_dump(p.b));
  sc_config_free(p.b);
  p.b = NULL;
  OK(device_new(&p.b, t->env, sc_buffer_bytes(&p.dump)));
  OK(receive(&p, p.b, 0, "h1"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && sc_config_seqno(p.b) == 1 && p.understood == SC_OK);
  OK(sc_config_active_hashes(&p.hashes, p.b, device_now_ms));
  HASHES_ARE(&p.hashes, "h1", "h2");
  OK(receive(&p, p.b, 0, "h1"));
  CHECK(p.effect == SC_CONFIG_KEPT && p.understood == SC_OK);
done:
  end_parts(&p);
}

/* A dump that anyone with the key can have rewritten is small. */
static void parts_can_be_stored_outside_the_dump(sc_test *t) {
  parts p;
  sc_config *again = NULL;
  sc_config_part_cursor cursor = {0};
  sc_config_held_part part;
  OK(begin_parts(&p, t->env));
  OK(receive(&p, p.b, 1, "h2"));
  OK(sc_config_dump_without_parts(&p.dump, p.b, device_now_ms));
  CHECK(p.dump.len < 300 && !sc_config_needs_dump(p.b));
  OK(device_new(&again, t->env, sc_buffer_bytes(&p.dump)));
  CHECK(sc_config_next_part(&part, &cursor, p.b, device_now_ms));
  OK(sc_config_hold_part(again, &part));
  CHECK(!sc_config_next_part(&part, &cursor, p.b, device_now_ms) && !sc_config_needs_dump(again));
  OK(sc_config_active_hashes(&p.hashes, again, device_now_ms));
  HASHES_ARE(&p.hashes, "h2");
  OK(receive(&p, again, 0, "h1"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && sc_config_seqno(again) == 1);
  cursor = (sc_config_part_cursor){0};
  CHECK(!sc_config_next_part(&part, &cursor, again, device_now_ms));
done:
  sc_config_free(again);
  end_parts(&p);
}

static void own_parts_need_not_be_read(sc_test *t) {
  parts p;
  const sc_bytes hashes[] = {sc_bytes_text("h1"), sc_bytes_text("h2")};
  OK(begin_parts(&p, t->env));
  OK(receive(&p, p.a, 0, "h1"));
  OK(sc_config_active_hashes(&p.hashes, p.a, device_now_ms));
  CHECK(p.hashes.count == 0);
  OK(receive(&p, p.a, 1, "h2"));
  CHECK(p.effect == SC_CONFIG_KEPT && p.understood == SC_OK);
  OK(sc_config_confirm(p.a, 1, hashes, 2));
  OK(sc_config_active_hashes(&p.hashes, p.a, device_now_ms));
  HASHES_ARE(&p.hashes, "h1", "h2");
  OK(device_erase(p.a, PATH1("x")));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  CHECK(sc_config_stored_count(&p.out.messages) == 1);
  HASHES_ARE(&p.out.obsolete, "h1", "h2");
done:
  end_parts(&p);
}

/* They are not read when they are received, so otherwise no device would learn that they can be deleted. */
static void parts_of_an_earlier_revision_are_obsolete_once_they_are_stored(sc_test *t) {
  parts p;
  const sc_bytes hashes[] = {sc_bytes_text("h1"), sc_bytes_text("h2"), sc_bytes_text("h3")};
  OK(begin_parts(&p, t->env));
  OK(device_set(p.a, PATH1("n"), TEXT("x")));
  OK(sc_config_dump(&p.dump, p.a, device_now_ms));
  OK(sc_config_confirm(p.a, 1, hashes, 2));
  CHECK(sc_config_needs_dump(p.a) && sc_config_state_of(p.a) == SC_CONFIG_DIRTY);
  OK(sc_config_dump(&p.dump, p.a, device_now_ms));
  OK(sc_config_confirm(p.a, 1, hashes, 2));
  CHECK(!sc_config_needs_dump(p.a));
  OK(sc_config_push(&p.out, p.a, device_now_ms));
  HASHES_ARE(&p.out.obsolete, "h1", "h2");
  OK(sc_config_confirm(p.a, 2, hashes + 1, 2));
  OK(sc_config_confirm(p.a, 1, hashes, 2));
  sc_config_take_old_hashes(&p.hashes, p.a);
  HASHES_ARE(&p.hashes, "h1");
  OK(sc_config_active_hashes(&p.hashes, p.a, device_now_ms));
  HASHES_ARE(&p.hashes, "h2", "h3");
done:
  end_parts(&p);
}

static void expired_parts_are_dropped(sc_test *t) {
  parts p;
  const uint64_t later = device_now_ms + SC_CONFIG_INCOMPLETE_MS;
  OK(begin_parts(&p, t->env));
  OK(receive(&p, p.b, 0, "h1"));
  OK(sc_config_active_hashes(&p.hashes, p.b, later));
  CHECK(p.hashes.count == 0);
  OK(sc_config_merge(&p.effect, NULL, p.b, NULL, 0, later));
  OK(receive(&p, p.b, 1, "h2"));
  CHECK(p.effect == SC_CONFIG_KEPT);
done:
  end_parts(&p);
}

/* Every part of the message is refused with it. */
static void parts_of_an_invalid_message_are_refused(sc_test *t) {
  static uint8_t text[SC_CONFIG_CHUNK_BYTES + 100] = "d1:#i1e1:&de";
  parts p;
  sc_config_stored stored;
  sc_status statuses[3];
  sc_keypair account;
  worked_account(&account);
  sc_config_stored_init(&stored, t->env);
  OK(begin_parts(&p, t->env));
  OK(sc_config_split(&stored, worked_key(&account), sc_bytes_text("UserProfile"), SC_BYTES(text)));
  sc_config_incoming both[] = {{sc_bytes_text("1"), sc_config_stored_message(&stored, 0)},
                               {sc_bytes_text("2"), sc_config_stored_message(&stored, 1)},
                               {sc_bytes_text("3"), sc_config_stored_message(&p.out.messages, 0)}};
  FAILS(SC_ERR_CONFIG_NONE, sc_config_merge(&p.effect, statuses, p.b, both, 2, device_now_ms));
  CHECK(statuses[0] != SC_OK && statuses[0] == statuses[1]);
  CHECK(sc_config_needs_dump(p.b));
  sc_config_free(p.b);
  p.b = NULL;
  OK(device_new(&p.b, t->env, (sc_bytes){0}));
  OK(sc_config_merge(&p.effect, statuses, p.b, both, 3, device_now_ms));
  CHECK(statuses[0] != SC_OK && statuses[1] != SC_OK && statuses[2] == SC_OK);
done:
  sc_config_stored_free(&stored);
  end_parts(&p);
}

/* Stores one of two parts of a set whose name does not match its content. */
static sc_status seal_part(sc_buffer *out, const sc_keypair *account, uint8_t index) {
  static const char begins[] = "ml32:12345678901234567890123456789012";
  uint8_t numbers[] = {'1', ':', index, '1', ':', 2};
  sc_buffer part;
  sc_buffer_init(&part, out->env);
  sc_status status = sc_buffer_append(&part, sc_bytes_text(begins));
  if (status == SC_OK)
    status = sc_buffer_append(&part, SC_BYTES(numbers));
  if (status == SC_OK)
    status = sc_buffer_append(&part, sc_bytes_text("2:dee"));
  if (status == SC_OK)
    status =
        sc_config_encrypt(out, worked_key(account), sc_bytes_text("UserProfile"), sc_buffer_bytes(&part));
  sc_buffer_free(&part);
  return status;
}

/* One of them may be wrong: the others are kept, and the dump holding only those is out of date. */
static void parts_that_do_not_match_wait_for_others(sc_test *t) {
  sc_config *config = NULL;
  sc_keypair account;
  sc_config_effect effect;
  sc_status status;
  sc_buffer sealed, dump;
  worked_account(&account);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&dump, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(seal_part(&sealed, &account, 0));
  OK(device_merge(&effect, &status, config, "h1", sc_buffer_bytes(&sealed)));
  CHECK(status == SC_OK);
  OK(sc_config_dump(&dump, config, device_now_ms));
  OK(seal_part(&sealed, &account, 1));
  FAILS(SC_ERR_CONFIG_NONE, device_merge(&effect, &status, config, "h2", sc_buffer_bytes(&sealed)));
  CHECK(status == SC_ERR_CONFIG_SET && sc_config_needs_dump(config));
  OK(sc_config_dump(&dump, config, device_now_ms));
  OK(device_merge(&effect, &status, config, "h2", sc_buffer_bytes(&sealed)));
  CHECK(status == SC_OK && !sc_config_needs_dump(config));
done:
  sc_buffer_free(&sealed);
  sc_buffer_free(&dump);
  sc_config_free(config);
}

/* The part with a different last byte. */
static sc_status seal_wrong_part(sc_buffer *out, const sc_keypair *account, sc_bytes stored) {
  const sc_bytes key = worked_key(account);
  const sc_config_envelope envelope = {.domain = sc_bytes_text("UserProfile"), .keys = &key, .key_count = 1};
  sc_config_form form;
  sc_config_part part;
  sc_buffer plain, wrong;
  sc_buffer_init(&plain, out->env);
  sc_buffer_init(&wrong, out->env);
  sc_status status = sc_config_open(&plain, &form, &envelope, stored);
  if (status == SC_OK)
    status = sc_config_part_read(&part, sc_buffer_bytes(&plain));
  if (status == SC_OK) {
    plain.ptr[part.chunk.ptr + part.chunk.len - 1 - plain.ptr] ^= 1;
    status = sc_config_part_append(&wrong, &part);
  }
  if (status == SC_OK)
    status = sc_config_encrypt(out, key, envelope.domain, sc_buffer_bytes(&wrong));
  sc_buffer_free(&plain);
  sc_buffer_free(&wrong);
  return status;
}

/* Parts that do not make up a message are refused, until one completes a valid set. */
static void a_wrong_part_is_detected(sc_test *t) {
  parts p;
  sc_keypair account;
  sc_buffer wrong;
  sc_status statuses[3];
  worked_account(&account);
  sc_buffer_init(&wrong, t->env);
  OK(begin_parts(&p, t->env));
  OK(seal_wrong_part(&wrong, &account, sc_config_stored_message(&p.out.messages, 1)));
  const sc_config_incoming incoming[] = {{sc_bytes_text("h1"), sc_config_stored_message(&p.out.messages, 0)},
                                         {sc_bytes_text("wrong"), sc_buffer_bytes(&wrong)},
                                         {sc_bytes_text("h2"), sc_config_stored_message(&p.out.messages, 1)}};
  FAILS(SC_ERR_CONFIG_NONE, sc_config_merge(&p.effect, statuses, p.b, incoming, 2, device_now_ms));
  CHECK(statuses[0] == SC_ERR_CONFIG_SET && statuses[1] == SC_ERR_CONFIG_SET);
  OK(sc_config_merge(&p.effect, statuses, p.b, &incoming[2], 1, device_now_ms));
  CHECK(p.effect == SC_CONFIG_ADOPTED && statuses[0] == SC_OK);
  OK(sc_config_active_hashes(&p.hashes, p.b, device_now_ms));
  HASHES_ARE(&p.hashes, "h1", "h2");
  sc_config_free(p.b);
  p.b = NULL;
  OK(device_new(&p.b, t->env, (sc_bytes){0}));
  OK(sc_config_merge(&p.effect, statuses, p.b, incoming, 3, device_now_ms));
  CHECK(p.effect == SC_CONFIG_ADOPTED);
  CHECK(statuses[0] == SC_OK && statuses[1] == SC_ERR_CONFIG_SET && statuses[2] == SC_OK);
done:
  sc_buffer_free(&wrong);
  end_parts(&p);
}

/* If a failed merge consumed the last part, it would be lost for good. */
static void a_failed_merge_keeps_the_parts(sc_test *t) {
  parts p;
  OK(begin_parts(&p, t->env));
  OK(receive(&p, p.b, 0, "h1"));
  sc_status status = receive(&p, p.b, 1, "h2");
  if (status == SC_ERR_NO_MEMORY) {
    CHECK(receive(&p, p.b, 1, "h2") == SC_OK);
    CHECK(p.effect == SC_CONFIG_ADOPTED);
  }
  OK(status);
done:
  end_parts(&p);
}

static void a_config_too_large_for_all_parts_is_refused(sc_test *t) {
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  if (t->torture)
    SKIP("it takes many pieces");
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(grow(config, t->env, SC_CONFIG_MAX_PADDED_BYTES));
  FAILS(SC_ERR_TOO_LARGE, sc_config_push(&out, config, device_now_ms));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY && sc_config_stored_count(&out.messages) == 0);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

SUITE(config_object_parts, "config/object_parts",
      {"parts are assembled into a message", parts_are_assembled_into_a_message},
      {"parts can be stored outside the dump", parts_can_be_stored_outside_the_dump},
      {"own parts need not be read", own_parts_need_not_be_read},
      {"parts of an earlier revision are obsolete once they are stored",
       parts_of_an_earlier_revision_are_obsolete_once_they_are_stored},
      {"expired parts are dropped", expired_parts_are_dropped},
      {"parts of an invalid message are refused", parts_of_an_invalid_message_are_refused},
      {"parts that do not match wait for others", parts_that_do_not_match_wait_for_others},
      {"a wrong part is detected", a_wrong_part_is_detected},
      {"a failed merge keeps the parts", a_failed_merge_keeps_the_parts},
      {"a config too large for all parts is refused", a_config_too_large_for_all_parts_is_refused});
