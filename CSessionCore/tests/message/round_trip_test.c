/* Random content of every shape the schema allows survives a round trip.
 *
 * Content is filled in from the schema's own descriptors, so new fields are covered without a change here.
 * Most content only passes through writing and parsing; some goes through every destination, which takes
 * longer. */
#include "base/arena.h"
#include "cast.h"
#include "message/fields.h"
#include "support/test.h"

enum {
  longest_text = 40,
  most_repeated = 3,
  whole_way = 100, /* one in this many goes through every destination */
};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#ifdef SANITIZED
enum { contents = 4000 };
#else
enum { contents = 100000 };
#endif

/* A stream of choices that follows from a seed. */
typedef struct dice {
  uint64_t state;
  sc_arena *arena;
} dice;

static uint64_t roll(dice *d) {
  d->state += 0x9e3779b97f4a7c15;
  uint64_t mixed = d->state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

/* Numbers of every length. */
static uint64_t roll_number(dice *d) {
  uint64_t value = roll(d);
  return value >> (roll(d) % 64);
}

static bool fill_message(ProtobufCMessage *message, const ProtobufCMessageDescriptor *type, dice *d);

static size_t size_of(const ProtobufCFieldDescriptor *field) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_BOOL:
    return sizeof(protobuf_c_boolean);
  case PROTOBUF_C_TYPE_ENUM:
    return sizeof(int);
  case PROTOBUF_C_TYPE_UINT32:
    return sizeof(uint32_t);
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_MESSAGE:
    return sizeof(void *);
  case PROTOBUF_C_TYPE_BYTES:
    return sizeof(ProtobufCBinaryData);
  default:
    return sizeof(uint64_t);
  }
}

static bool fill_text(char **out, dice *d) {
  size_t len = roll(d) % (longest_text + 1);
  *out = sc_arena_take(d->arena, len + 1);
  if (*out == NULL)
    return false;
  for (size_t i = 0; i < len; i++)
    (*out)[i] = (char)(1 + roll(d) % 127);
  (*out)[len] = 0;
  return true;
}

static bool fill_bytes(ProtobufCBinaryData *out, dice *d) {
  out->len = roll(d) % (longest_text + 1);
  out->data = out->len == 0 ? NULL : sc_arena_take(d->arena, out->len);
  for (size_t i = 0; out->data != NULL && i < out->len; i++)
    out->data[i] = (uint8_t)roll(d);
  return out->len == 0 || out->data != NULL;
}

static bool fill_submessage(ProtobufCMessage **out, const ProtobufCMessageDescriptor *type, dice *d) {
  *out = sc_arena_take(d->arena, type->sizeof_message);
  if (*out == NULL)
    return false;
  protobuf_c_message_init(type, *out);
  return fill_message(*out, type, d);
}

static bool fill_value(void *out, const ProtobufCFieldDescriptor *field, dice *d) {
  const ProtobufCEnumDescriptor *numbers = field->descriptor;
  switch (field->type) {
  case PROTOBUF_C_TYPE_BOOL:
    *(protobuf_c_boolean *)out = roll(d) % 2 != 0;
    return true;
  case PROTOBUF_C_TYPE_ENUM:
    *(int *)out = numbers->values[roll(d) % numbers->n_values].value;
    return true;
  case PROTOBUF_C_TYPE_UINT32:
    *(uint32_t *)out = (uint32_t)roll_number(d);
    return true;
  case PROTOBUF_C_TYPE_STRING:
    return fill_text(out, d);
  case PROTOBUF_C_TYPE_BYTES:
    return fill_bytes(out, d);
  case PROTOBUF_C_TYPE_MESSAGE:
    return fill_submessage(out, field->descriptor, d);
  default:
    *(uint64_t *)out = roll_number(d);
    return true;
  }
}

static bool fill_repeated(uint8_t *message, const ProtobufCFieldDescriptor *field, dice *d) {
  size_t count = roll(d) % (most_repeated + 1);
  if (count == 0)
    return true;
  uint8_t *values = sc_arena_take(d->arena, count * size_of(field));
  bool filled = values != NULL;
  for (size_t i = 0; filled && i < count; i++)
    filled = fill_value(values + i * size_of(field), field, d);
  memcpy(message + field->quantifier_offset, &count, sizeof count);
  memcpy(message + field->offset, &values, sizeof values);
  return filled;
}

static bool fill_message(ProtobufCMessage *message, const ProtobufCMessageDescriptor *type, dice *d) {
  uint8_t *at = (uint8_t *)message;
  bool filled = true;
  for (unsigned i = 0; filled && i < type->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &type->fields[i];
    protobuf_c_boolean present = field->label == PROTOBUF_C_LABEL_REQUIRED || roll(d) % 3 == 0;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
      filled = fill_repeated(at, field, d);
    } else if (present) {
      filled = fill_value(at + field->offset, field, d);
      bool has_flag = field->label == PROTOBUF_C_LABEL_OPTIONAL && field->type != PROTOBUF_C_TYPE_STRING &&
                      field->type != PROTOBUF_C_TYPE_MESSAGE;
      if (has_flag)
        memcpy(at + field->quantifier_offset, &present, sizeof present);
    }
  }
  return filled;
}

/* Random content, encoded. */
static sc_status write_random(sc_buffer *out, uint64_t seed, bool in_swarm) {
  sc_arena arena;
  sc_arena_init(&arena, out->env, 4096);
  dice d = {.state = seed, .arena = &arena};
  Sc__Content content = SC__CONTENT__INIT;
  sc_status status = fill_message(&content.base, content.base.descriptor, &d) ? SC_OK : SC_ERR_NO_MEMORY;
  if (in_swarm) {
    /* The fields that destinations have rules for. */
    content.pro_message = NULL;
    content.has_pro_sig_for_community_message_only = false;
    content.has_sig_timestamp = true;
    content.sig_timestamp = CAST_SENT_MS;
  }
  if (status == SC_OK)
    status = sc_content_write(out, &content);
  sc_arena_free(&arena);
  return status;
}

static void all_content_survives_writing_and_reading(sc_test *t) {
  sc_content *content = NULL;
  sc_buffer written, again;
  sc_buffer_init(&written, t->env);
  sc_buffer_init(&again, t->env);
  for (uint64_t seed = 0; seed < (t->torture ? 3 : contents); seed++) {
    OK(write_random(&written, seed, false));
    OK(sc_content_parse(&content, t->env, sc_buffer_bytes(&written)));
    OK(sc_content_write(&again, sc_content_fields(content)));
    SAME(sc_buffer_bytes(&written), sc_buffer_bytes(&again));
    sc_content_free(content);
    content = NULL;
  }
done:
  sc_content_free(content);
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

typedef struct delivery {
  cast who;
  sc_buffer content;
  sc_buffer sent;
} delivery;

static sc_status send(delivery *d, int destination) {
  const cast *who = &d->who;
  sc_bytes content = sc_buffer_bytes(&d->content);
  switch (destination) {
  case 0:
    return sc_encode_for_contact(&d->sent, d->sent.env, &who->alice, &who->bob_id, content, CAST_SENT_MS,
                                 NULL);
  case 1:
    return sc_encode_for_group(&d->sent, d->sent.env, &who->alice, &who->group, SC_BYTES(who->group_key),
                               content, CAST_SENT_MS, NULL);
  case 2:
    return sc_encode_for_community(&d->sent, d->sent.env, content, &who->rotating);
  default:
    return sc_encode_for_inbox(&d->sent, d->sent.env, &who->alice, who->server, &who->bob_blinded, content,
                               NULL);
  }
}

static sc_status receive(sc_message **out, const delivery *d, int destination) {
  const cast *who = &d->who;
  const uint8_t *backend = who->backend.public_key;
  const sc_env *env = d->sent.env;
  sc_bytes sent = sc_buffer_bytes(&d->sent);
  sc_bytes key = SC_BYTES(who->group_key);
  switch (destination) {
  case 0:
    return sc_decode_from_contact(out, env, &who->bob.x, 1, backend, sent);
  case 1:
    return sc_decode_from_group(out, env, &who->group, &key, 1, backend, sent);
  case 2:
    return sc_decode_from_community(out, env, backend, CAST_SENT_MS / 1000, sent);
  default:
    return sc_decode_from_inbox(out, env, &who->bob, who->server, &who->alice_blinded, &who->bob_blinded,
                                backend, CAST_SENT_MS / 1000, sent);
  }
}

static void all_content_survives_encoding_and_decoding(sc_test *t) {
  enum { community = 2, destinations = 4, signature_record = 3 + 64 };
  sc_message *message = NULL;
  delivery d;
  sc_buffer_init(&d.content, t->env);
  sc_buffer_init(&d.sent, t->env);
  OK(cast_init(&d.who));
  for (uint64_t seed = 0; seed < (t->torture ? 1 : contents / whole_way); seed++) {
    OK(write_random(&d.content, seed, true));
    for (int destination = 0; destination < destinations; destination++) {
      OK(send(&d, destination));
      OK(receive(&message, &d, destination));
      sc_bytes arrived = sc_message_content(message);
      if (destination == community)
        arrived.len -= signature_record;
      SAME(sc_buffer_bytes(&d.content), arrived);
      const sc_sender *sender = sc_message_sender(message);
      CHECK(destination == community
                ? sender == NULL
                : memcmp(sender->id.bytes, d.who.alice_id.bytes, sizeof sender->id.bytes) == 0);
      sc_message_free(message);
      message = NULL;
    }
  }
done:
  sc_message_free(message);
  sc_buffer_free(&d.content);
  sc_buffer_free(&d.sent);
}

SUITE(message_round_trip, "message/round_trip",
      {"all content survives writing and reading", all_content_survives_writing_and_reading},
      {"all content survives encoding and decoding", all_content_survives_encoding_and_decoding});
