#include "key_messages.h"

#include "../base/bt_reader.h"
#include "session-core/config/group_keys.h"

enum { at_once = 16 };

static void release_message(const sc_env *env, sc_key_message *message) {
  sc_release(env, message->content);
  sc_release(env, message);
}

void sc_key_messages_free(sc_key_messages *messages) {
  for (size_t i = 0; i < messages->message_count; i++)
    release_message(messages->env, messages->messages[i]);
  sc_release(messages->env, messages->messages);
  sc_release(messages->env, messages->marks);
  *messages = (sc_key_messages){.env = messages->env};
}

/* A larger array in place of this one, with room for one more at least. */
static void *grown(const sc_env *env, void *array, size_t count, size_t capacity, size_t size) {
  void *larger = sc_allocate(env, capacity * size);
  if (larger == NULL)
    return NULL;
  if (count > 0)
    memcpy(larger, array, count * size);
  sc_release(env, array);
  return larger;
}

static sc_status reserve_message(sc_key_messages *m) {
  if (m->message_count < m->message_capacity)
    return SC_OK;
  size_t capacity = 2 * m->message_capacity + at_once;
  void *larger = grown(m->env, m->messages, m->message_count, capacity, sizeof(sc_key_message *));
  if (larger == NULL)
    return SC_ERR_NO_MEMORY;
  m->messages = (sc_key_message **)larger;
  m->message_capacity = capacity;
  return SC_OK;
}

sc_status sc_key_messages_reserve(sc_key_messages *m, size_t extra) {
  enum { most = SC_GROUP_MAX_ACTIVE };
  size_t needed = extra < most - m->mark_count ? m->mark_count + extra : most;
  if (needed <= m->mark_capacity)
    return SC_OK;
  needed += at_once;
  void *larger = grown(m->env, m->marks, m->mark_count, needed, sizeof(sc_key_mark));
  if (larger == NULL)
    return SC_ERR_NO_MEMORY;
  m->marks = (sc_key_mark *)larger;
  m->mark_capacity = needed;
  return SC_OK;
}

/* Returns the index of the message with this hash, or the index at which to insert it. */
static size_t place_of(const sc_key_messages *m, sc_bytes hash) {
  size_t at = 0;
  while (at < m->message_count && sc_bt_compare_keys(sc_key_message_hash(m->messages[at]), hash) < 0)
    at++;
  return at;
}

static bool is_at(const sc_key_messages *m, size_t at, sc_bytes hash) {
  return at < m->message_count && sc_bytes_same(sc_key_message_hash(m->messages[at]), hash);
}

static sc_status take_in(sc_key_messages *m, size_t at, sc_bytes hash) {
  sc_status status = reserve_message(m);
  if (status != SC_OK)
    return status;
  sc_key_message *message = sc_allocate(m->env, sizeof *message + hash.len);
  if (message == NULL)
    return SC_ERR_NO_MEMORY;
  *message = (sc_key_message){.hash_len = hash.len};
  memcpy(message->hash, hash.ptr, hash.len);
  memmove(&m->messages[at + 1], &m->messages[at], (m->message_count - at) * sizeof(sc_key_message *));
  m->messages[at] = message;
  m->message_count++;
  return SC_OK;
}

/* Content beyond the limit is dropped. */
static sc_status keep_content(sc_key_messages *m, sc_key_message *message, sc_bytes content) {
  if (content.len == 0 || message->content != NULL || content.len > SC_GROUP_MAX_KEPT_BYTES - m->kept_bytes)
    return SC_OK;
  message->content = sc_allocate(m->env, content.len);
  if (message->content == NULL)
    return SC_ERR_NO_MEMORY;
  memcpy(message->content, content.ptr, content.len);
  message->content_len = content.len;
  m->kept_bytes += content.len;
  return SC_OK;
}

sc_status sc_key_messages_hold(sc_key_message **out, bool *changed, sc_key_messages *m, sc_bytes hash,
                               sc_bytes content) {
  size_t at = place_of(m, hash);
  bool is_new = !is_at(m, at, hash);
  sc_status status = is_new ? take_in(m, at, hash) : SC_OK;
  if (status != SC_OK)
    return status;
  sc_key_message *message = m->messages[at];
  bool was_known = message->content != NULL;
  message->marks++;
  status = keep_content(m, message, content);
  if (status != SC_OK) {
    sc_key_messages_give_back(m, message);
    return status;
  }
  *changed = *changed || is_new || was_known != (message->content != NULL);
  *out = message;
  return SC_OK;
}

void sc_key_messages_give_back(sc_key_messages *m, sc_key_message *message) {
  if (message == NULL || --message->marks > 0)
    return;
  size_t at = place_of(m, sc_key_message_hash(message));
  m->kept_bytes -= message->content_len;
  m->message_count--;
  memmove(&m->messages[at], &m->messages[at + 1], (m->message_count - at) * sizeof(sc_key_message *));
  release_message(m->env, message);
}

static void drop_first(sc_key_messages *m, size_t count) {
  for (size_t i = 0; i < count; i++)
    sc_key_messages_give_back(m, m->marks[i].message);
  m->mark_count -= count;
  memmove(m->marks, m->marks + count, m->mark_count * sizeof *m->marks);
}

/* Negative, 0 or positive, as memcmp. */
static int order_of(const sc_key_mark *mark, int64_t generation, const sc_key_message *message) {
  if (mark->generation != generation)
    return mark->generation < generation ? -1 : 1;
  return sc_bt_compare_keys(sc_key_message_hash(mark->message), sc_key_message_hash(message));
}

bool sc_key_messages_mark(sc_key_messages *m, int64_t generation, sc_key_message *message) {
  size_t at = 0;
  while (at < m->mark_count && order_of(&m->marks[at], generation, message) < 0)
    at++;
  if (at < m->mark_count && order_of(&m->marks[at], generation, message) == 0)
    return false;
  if (m->mark_count == SC_GROUP_MAX_ACTIVE) {
    if (at == 0)
      return false;
    drop_first(m, 1);
    at--;
  }
  memmove(&m->marks[at + 1], &m->marks[at], (m->mark_count - at) * sizeof *m->marks);
  m->marks[at] = (sc_key_mark){generation, message};
  m->mark_count++;
  message->marks++;
  return true;
}

bool sc_key_messages_drop_below(sc_key_messages *m, int64_t generation) {
  size_t count = 0;
  while (count < m->mark_count && m->marks[count].generation < generation)
    count++;
  if (count > 0)
    drop_first(m, count);
  return count > 0;
}

bool sc_key_messages_drop_all(sc_key_messages *m) {
  bool any = m->mark_count > 0;
  if (any)
    drop_first(m, m->mark_count);
  return any;
}
