#include "../../base/sort.h"
#include "method.h"
#include "reply.h"

static bool read_hash(sc_bytes *out, sc_rpc_value dict) {
  sc_rpc_value hash;
  return sc_rpc_member(&hash, dict, "hash") && sc_rpc_text(out, hash) && sc_storage_is_hash(*out);
}

/* All but the hash. */
static sc_status read_content(sc_storage_message *message, sc_storage_memory *memory,
                              const sc_storage_request *request, sc_rpc_value dict) {
  char expected[SC_STORAGE_HASH_CHARS + 1];
  sc_rpc_value data, time;
  if (!sc_rpc_member(&time, dict, "timestamp") || !sc_rpc_u64(&message->timestamp, time) ||
      !sc_rpc_member(&time, dict, "expiration") || !sc_rpc_u64(&message->expiry, time) ||
      !sc_rpc_member(&data, dict, "data"))
    return SC_ERR_STORAGE_REPLY;
  sc_status status = sc_rpc_binary(&message->data, memory, data, SC_ERR_STORAGE_REPLY);
  if (status != SC_OK)
    return status;
  sc_storage_message_hash(expected, request->account, request->of.retrieve.number, message->data);
  message->dropped = !sc_bytes_same(message->hash, sc_bytes_text(expected));
  return SC_OK;
}

/* Only the hash of a malformed message is kept, as a cursor. */
static sc_status read_message(sc_storage_message *message, sc_storage_memory *memory,
                              const sc_storage_request *request, sc_rpc_value dict) {
  sc_status status = read_content(message, memory, request, dict);
  if (status != SC_ERR_STORAGE_REPLY)
    return status;
  *message = (sc_storage_message){.hash = message->hash, .dropped = true};
  return SC_OK;
}

/* Marks all but the first of those that have one hash. */
static sc_status drop_repeated(sc_storage_message *list, size_t count, sc_storage_memory *memory) {
  sc_sorted *sorted = sc_storage_take(memory, count, sizeof *sorted);
  if (sorted == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    sorted[i] = (sc_sorted){list[i].hash, i};
  sc_sort_keys(sorted, count);
  for (size_t i = 1; i < count; i++)
    if (sc_bytes_same(sorted[i - 1].key, sorted[i].key))
      list[sorted[i].index].dropped = true;
  return SC_OK;
}

sc_status sc_storage_messages_read(sc_storage_messages *out, sc_storage_memory *memory,
                                   const sc_storage_request *request, sc_rpc_value dict) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, "messages") || !sc_rpc_list_open(&list, value) ||
      list.count > SC_STORAGE_MAX_MESSAGES || !sc_rpc_member_flag(&out->more, dict, "more"))
    return SC_ERR_STORAGE_REPLY;
  sc_storage_message *messages = sc_storage_take(memory, list.count, sizeof *messages);
  if (messages == NULL)
    return SC_ERR_NO_MEMORY;
  out->list = messages;
  out->count = 0;
  sc_status status = SC_OK;
  while (status == SC_OK && sc_rpc_list_next(&element, &list))
    if (read_hash(&messages[out->count].hash, element))
      status = read_message(&messages[out->count++], memory, request, element);
  return status == SC_OK ? drop_repeated(messages, out->count, memory) : status;
}

void sc_storage_messages_put(sc_rpc_writer *w, const sc_storage_messages *messages) {
  sc_rpc_put_key(w, "messages");
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < messages->count; i++) {
    const sc_storage_message *message = &messages->list[i];
    sc_rpc_begin_dict(w);
    sc_rpc_put_key(w, "data");
    sc_rpc_put_binary(w, message->data);
    sc_rpc_put_key(w, "expiration");
    sc_rpc_put_u64(w, message->expiry);
    sc_rpc_put_key(w, "hash");
    sc_rpc_put_text(w, message->hash);
    sc_rpc_put_key(w, "timestamp");
    sc_rpc_put_u64(w, message->timestamp);
    sc_rpc_end_dict(w);
  }
  sc_rpc_end_list(w);
  sc_rpc_put_key(w, "more");
  sc_rpc_put_bool(w, messages->more);
}
