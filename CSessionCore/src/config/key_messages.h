/* The messages of a group's keys that the swarm has to keep: for each generation of keys, those that hold
 * keys of it. */
#ifndef SC_CONFIG_KEY_MESSAGES_H
#define SC_CONFIG_KEY_MESSAGES_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

typedef struct sc_key_message {
  size_t marks;     /* number of generations, and of current users, that hold it */
  uint8_t *content; /* NULL when it is not known */
  size_t content_len;
  size_t hash_len;
  uint8_t hash[];
} sc_key_message;

static inline sc_bytes sc_key_message_hash(const sc_key_message *message) {
  return sc_bytes_make(message->hash, message->hash_len);
}

static inline sc_bytes sc_key_message_content(const sc_key_message *message) {
  return sc_bytes_make(message->content, message->content_len);
}

/* That a message holds a key of a generation. */
typedef struct sc_key_mark {
  int64_t generation;
  sc_key_message *message;
} sc_key_mark;

typedef struct sc_key_messages {
  const sc_env *env;
  sc_key_mark *marks; /* by generation and hash */
  size_t mark_count;
  size_t mark_capacity;
  sc_key_message **messages; /* by hash */
  size_t message_count;
  size_t message_capacity;
  size_t kept_bytes; /* of their content */
} sc_key_messages;

void sc_key_messages_free(sc_key_messages *messages);

/* Finds the message with this hash or takes it in, and its content if that was not known; sets `*changed`
 * when there was something to take in. It stays until it is given back, and while it has marks. */
SC_NODISCARD sc_status sc_key_messages_hold(sc_key_message **out, bool *changed, sc_key_messages *messages,
                                            sc_bytes hash, sc_bytes content);
/* NULL is allowed. */
void sc_key_messages_give_back(sc_key_messages *messages, sc_key_message *message);

/* Makes room for as many more marks, as far as that many are held. */
SC_NODISCARD sc_status sc_key_messages_reserve(sc_key_messages *messages, size_t extra);

/* Adds a mark for which there is room. True if it is new. */
bool sc_key_messages_mark(sc_key_messages *messages, int64_t generation, sc_key_message *message);

/* Drops the marks of generations below this one. True if there were any. */
bool sc_key_messages_drop_below(sc_key_messages *messages, int64_t generation);

/* Drops all marks. True if there were any. */
bool sc_key_messages_drop_all(sc_key_messages *messages);

#endif
