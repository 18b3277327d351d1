/* The key messages of a group that the swarm must keep: for each generation, the messages with its keys. */
#ifndef SC_CONFIG_KEY_MESSAGES_H
#define SC_CONFIG_KEY_MESSAGES_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

typedef struct sc_key_message {
  size_t marks;     /* references: generations, and callers that hold it */
  uint8_t *content; /* NULL if unknown */
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

/* States that a message contains a key of a generation. */
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

/* Finds or adds the message with this hash, and adds its content if that was unknown; sets `*changed` if
 * anything was added. The message stays until it is released and has no marks. */
SC_NODISCARD sc_status sc_key_messages_hold(sc_key_message **out, bool *changed, sc_key_messages *messages,
                                            sc_bytes hash, sc_bytes content);
/* NULL is allowed. */
void sc_key_messages_give_back(sc_key_messages *messages, sc_key_message *message);

/* Reserves memory for `extra` more marks, up to the limit. */
SC_NODISCARD sc_status sc_key_messages_reserve(sc_key_messages *messages, size_t extra);

/* Adds a mark, for which there must be room. True if it is new. */
bool sc_key_messages_mark(sc_key_messages *messages, int64_t generation, sc_key_message *message);

/* Drops the marks of generations below this one. True if there were any. */
bool sc_key_messages_drop_below(sc_key_messages *messages, int64_t generation);

/* Drops all marks. True if there were any. */
bool sc_key_messages_drop_all(sc_key_messages *messages);

#endif
