/* Freeing a message wipes the plaintext: neither its text nor its sender remains in memory. */
#include <stdalign.h>

#include "cast.h"
#include "message/fields.h"
#include "support/test.h"

/* Memory that stays readable after its release. */
typedef struct memory {
  alignas(max_align_t) uint8_t bytes[1024 * 1024];
  size_t used;
  size_t limit; /* the end of the memory that may be handed out */
} memory;

static void memory_reset(memory *out, size_t limit) {
  memset(out->bytes, 0, out->used);
  out->used = 0;
  out->limit = limit;
}

static void *take(void *user, size_t size) {
  memory *from = user;
  size_t aligned = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
  if (aligned > from->limit - from->used)
    return NULL;
  void *taken = from->bytes + from->used;
  from->used += aligned;
  return taken;
}

static void leave(void *user, void *ptr) {
  (void)user, (void)ptr;
}

static bool holds(const memory *where, sc_bytes what) {
  for (size_t at = 0; at + what.len <= where->used; at++)
    if (where->bytes[at] == what.ptr[0] && memcmp(where->bytes + at, what.ptr, what.len) == 0)
      return true;
  return false;
}

typedef enum place { swarm, group, inbox, place_count } place;

static sc_status encode(sc_buffer *out, const cast *who, place to, sc_bytes content) {
  switch (to) {
  case swarm:
    return sc_encode_for_contact(out, out->env, &who->alice, &who->bob_id, content, CAST_SENT_MS,
                                 &who->rotating);
  case group:
    return sc_encode_for_group(out, out->env, &who->alice, &who->group, SC_BYTES(who->group_key), content,
                               CAST_SENT_MS, &who->rotating);
  default:
    return sc_encode_for_inbox(out, out->env, &who->alice, who->server, &who->bob_blinded, content,
                               &who->rotating);
  }
}

static sc_status decode(sc_message **out, const sc_env *env, const cast *who, place from, sc_bytes stored) {
  const uint8_t *backend = who->backend.public_key;
  sc_bytes key = SC_BYTES(who->group_key);
  switch (from) {
  case swarm:
    return sc_decode_from_contact(out, env, &who->bob.x, 1, backend, stored);
  case group:
    return sc_decode_from_group(out, env, &who->group, &key, 1, backend, stored);
  default:
    return sc_decode_from_inbox(out, env, &who->bob, who->server, &who->alice_blinded, &who->bob_blinded,
                                backend, CAST_SENT_MS / 1000, stored);
  }
}

static void a_freed_message_leaves_no_plaintext_behind(sc_test *t) {
  static memory where;
  const sc_env env = {.user = &where, .allocate = take, .release = leave};
  cast who;
  letter letter;
  sc_buffer content, stored;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&stored, t->env);
  OK(cast_init(&who));
  letter_init(&letter, "a text in confidence");
  letter_add_pro(&letter, &who, SC_PRO_GENERATION_B, INT64_MAX);
  OK(sc_content_write(&content, &letter.content));
  const sc_bytes traces[] = {sc_bytes_text(letter.body), SC_BYTES(who.alice.ed.public_key),
                             SC_BYTES(who.alice.x.public_key), SC_BYTES(letter.issued.tag)};
  for (int from = 0; from < place_count; from++) {
    sc_message *message;
    OK(encode(&stored, &who, (place)from, sc_buffer_bytes(&content)));
    memory_reset(&where, sizeof where.bytes);
    OK(decode(&message, &env, &who, (place)from, sc_buffer_bytes(&stored)));
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
      CHECK(holds(&where, traces[i]));
    sc_message_free(message);
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
      CHECK(!holds(&where, traces[i]));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&stored);
}

static void a_failed_message_leaves_no_plaintext_behind(sc_test *t) {
  static memory where;
  const sc_env env = {.user = &where, .allocate = take, .release = leave};
  cast who;
  letter letter;
  sc_buffer content, stored;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&stored, t->env);
  OK(cast_init(&who));
  letter_init(&letter, "a text in confidence");
  OK(sc_content_write(&content, &letter.content));
  OK(encode(&stored, &who, swarm, sc_buffer_bytes(&content)));
  sc_message *message = NULL;
  memory_reset(&where, sizeof where.bytes);
  OK(decode(&message, &env, &who, swarm, sc_buffer_bytes(&stored)));
  sc_message_free(message);
  size_t needed = where.used;
  for (size_t limit = 0; limit < needed; limit += alignof(max_align_t)) {
    memory_reset(&where, limit);
    FAILS(SC_ERR_NO_MEMORY, decode(&message, &env, &who, swarm, sc_buffer_bytes(&stored)));
    CHECK(!holds(&where, sc_bytes_text(letter.body)));
    CHECK(!holds(&where, SC_BYTES(who.alice.ed.public_key)));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&stored);
}

SUITE(message_memory, "message/memory",
      {"a freed message leaves no plaintext behind", a_freed_message_leaves_no_plaintext_behind},
      {"a failed message leaves no plaintext behind", a_failed_message_leaves_no_plaintext_behind});
