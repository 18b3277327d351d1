/* A   list of lists: generation, hashes of the messages that hold keys of it
 * L   list of the keys, each g generation, k key, t time
 * P   the pending key, if there is one: c its message, g generation, k key
 * R   the content of messages, by hash; only on request, after the keys that other clients read */
#include "group_keys.h"
#include "hashes.h"
#include "session-core/base/bt.h"

static void write_key(sc_bt_writer *writer, const char *key) {
  sc_bt_write_key(writer, sc_bytes_text(key));
}

static void write_marks(sc_bt_writer *writer, const sc_key_messages *messages) {
  sc_bt_begin_list(writer);
  for (size_t i = 0; i < messages->mark_count; i++) {
    const sc_key_mark *mark = &messages->marks[i];
    if (i == 0 || messages->marks[i - 1].generation != mark->generation) {
      if (i > 0)
        sc_bt_end(writer);
      sc_bt_begin_list(writer);
      sc_bt_write_i64(writer, mark->generation);
    }
    sc_bt_write_string(writer, sc_key_message_hash(mark->message));
  }
  if (messages->mark_count > 0)
    sc_bt_end(writer);
  sc_bt_end(writer);
}

static void write_pending(sc_bt_writer *writer, const sc_pending_key *pending) {
  sc_bt_begin_dict(writer);
  write_key(writer, "c");
  sc_bt_write_string(writer, sc_buffer_bytes(&pending->message));
  write_key(writer, "g");
  sc_bt_write_i64(writer, pending->generation);
  write_key(writer, "k");
  sc_bt_write_string(writer, SC_BYTES(pending->key));
  sc_bt_end(writer);
}

static void write_contents(sc_bt_writer *writer, const sc_key_messages *messages) {
  sc_bt_begin_dict(writer);
  for (size_t i = 0; i < messages->message_count; i++) {
    const sc_key_message *message = messages->messages[i];
    if (message->content == NULL)
      continue;
    sc_bt_write_key(writer, sc_key_message_hash(message));
    sc_bt_write_string(writer, sc_key_message_content(message));
  }
  sc_bt_end(writer);
}

sc_status sc_group_keys_dump(sc_buffer *out, sc_group_keys *keys, sc_group_dump_form form) {
  sc_buffer_clear(out);
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  write_key(&writer, "A");
  write_marks(&writer, &keys->messages);
  write_key(&writer, "L");
  sc_key_ring_write(&keys->ring, &writer);
  if (keys->pending.there) {
    write_key(&writer, "P");
    write_pending(&writer, &keys->pending);
  }
  if (form == SC_GROUP_DUMP_MESSAGES && keys->messages.kept_bytes > 0) {
    write_key(&writer, "R");
    write_contents(&writer, &keys->messages);
  }
  sc_bt_end(&writer);
  sc_status status = sc_bt_writer_finish(&writer);
  if (status == SC_OK)
    keys->needs_dump = false;
  return status;
}

static sc_status find(sc_bt_reader *reader, const char *key) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(key));
  return status == SC_ERR_NOT_FOUND ? SC_ERR_CONFIG_DUMP : status;
}

/* Marks a message for a generation, or, when that is NULL, lends it its content while it has marks. */
static sc_status hold(sc_key_messages *messages, const int64_t *generation, sc_bytes hash, sc_bytes content) {
  if (!sc_config_is_hash(hash))
    return SC_ERR_CONFIG_DUMP;
  bool changed = false;
  sc_key_message *message;
  sc_status status = sc_key_messages_reserve(messages, 1);
  if (status == SC_OK)
    status = sc_key_messages_hold(&message, &changed, messages, hash, content);
  if (status != SC_OK)
    return status;
  if (generation != NULL)
    (void)sc_key_messages_mark(messages, *generation, message);
  sc_key_messages_give_back(messages, message);
  return SC_OK;
}

static sc_status read_marks_of_generation(sc_group_keys *keys, sc_bt_reader *reader) {
  int64_t generation;
  sc_status status = sc_bt_enter_list(reader);
  if (status == SC_OK)
    status = sc_bt_read_i64(&generation, reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END) {
    sc_bytes hash;
    status = sc_bt_read_string(&hash, reader);
    if (status == SC_OK)
      status = hold(&keys->messages, &generation, hash, sc_bytes_make(NULL, 0));
  }
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_marks(sc_group_keys *keys, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = read_marks_of_generation(keys, reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

/* Takes keys as saved; expired ones go when the next key comes. */
static sc_status read_key(sc_group_keys *keys, sc_bt_reader *reader) {
  sc_key_ring *ring = &keys->ring;
  if (ring->count == SC_GROUP_MAX_KEYS)
    return SC_ERR_CONFIG_DUMP;
  sc_status status = sc_group_keys_reserve(keys, 1);
  if (status == SC_OK)
    status = sc_ring_key_read(&ring->keys[ring->count], reader);
  if (status == SC_ERR_FORMAT)
    status = SC_ERR_CONFIG_DUMP;
  if (status != SC_OK)
    return status;
  if (ring->count > 0 && !sc_ring_key_before(&ring->keys[ring->count - 1], &ring->keys[ring->count]))
    return SC_ERR_CONFIG_DUMP;
  ring->count++;
  return SC_OK;
}

static sc_status read_keys(sc_group_keys *keys, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = read_key(keys, reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_pending_fields(sc_pending_key *out, sc_bytes *message, sc_bytes *key,
                                     sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = find(reader, "c");
  if (status == SC_OK)
    status = sc_bt_read_string(message, reader);
  if (status == SC_OK)
    status = find(reader, "g");
  if (status == SC_OK)
    status = sc_bt_read_i64(&out->generation, reader);
  if (status == SC_OK)
    status = find(reader, "k");
  if (status == SC_OK)
    status = sc_bt_read_string(key, reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status read_pending(sc_pending_key *out, sc_bt_reader *reader) {
  sc_bytes message, key;
  sc_status status = read_pending_fields(out, &message, &key, reader);
  if (status == SC_OK && (key.len != SC_KEY_BYTES || message.len > SC_GROUP_KEYS_MAX_BYTES))
    status = SC_ERR_CONFIG_DUMP;
  if (status == SC_OK)
    status = sc_buffer_append(&out->message, message);
  if (status != SC_OK)
    return status;
  memcpy(out->key, key.ptr, sizeof out->key);
  out->there = true;
  return SC_OK;
}

static sc_status read_contents(sc_group_keys *keys, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  while (status == SC_OK) {
    sc_bytes hash, content;
    status = sc_bt_next_key(&hash, reader);
    if (status == SC_OK)
      status = sc_bt_read_string(&content, reader);
    if (status == SC_OK)
      status = hold(&keys->messages, NULL, hash, content);
  }
  return status == SC_ERR_NOT_FOUND ? sc_bt_leave(reader) : status;
}

/* Reads the value of `key`, if there is one. */
static sc_status read_optional(sc_bt_reader *reader, const char *key, sc_group_keys *keys) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text(key));
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  if (status != SC_OK)
    return status;
  return key[0] == 'P' ? read_pending(&keys->pending, reader) : read_contents(keys, reader);
}

static sc_status read_dump(sc_group_keys *keys, sc_bytes dump) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, dump);
  sc_status status = sc_bt_enter_dict(&reader);
  if (status == SC_OK)
    status = find(&reader, "A");
  if (status == SC_OK)
    status = read_marks(keys, &reader);
  if (status == SC_OK)
    status = find(&reader, "L");
  if (status == SC_OK)
    status = read_keys(keys, &reader);
  if (status == SC_OK)
    status = read_optional(&reader, "P", keys);
  if (status == SC_OK)
    status = read_optional(&reader, "R", keys);
  if (status == SC_OK)
    status = sc_bt_leave(&reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

sc_status sc_group_keys_read_dump(sc_group_keys *keys, sc_bytes dump) {
  sc_status status = read_dump(keys, dump);
  if (status == SC_OK)
    sc_group_keys_renew_list(keys);
  return status == SC_OK || status == SC_ERR_NO_MEMORY ? status : SC_ERR_CONFIG_DUMP;
}
