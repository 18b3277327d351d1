/* Values are appended as they come. A dict notices when its keys stop ascending; when it ends it is then cut
 * into its entries, which are merged into order and copied back over it. */
#include "bt_reader.h"
#include "sort.h"

enum { longest_decimal = 20 };

void sc_bt_writer_init(sc_bt_writer *writer, sc_buffer *out) {
  writer->out = out;
  writer->start = out->len;
  writer->status = SC_OK;
  writer->depth = 0;
  writer->levels[0] = (sc_bt_writer_level){.value_due = true};
}

static sc_bt_writer_level *current(sc_bt_writer *writer) {
  return &writer->levels[writer->depth];
}

/* Keeps the first failure. True if there is none so far. */
static bool keep(sc_bt_writer *writer, sc_status status) {
  if (writer->status == SC_OK)
    writer->status = status;
  return writer->status == SC_OK;
}

static bool require(sc_bt_writer *writer, bool in_order) {
  return keep(writer, in_order ? SC_OK : SC_ERR_STATE);
}

static bool value_may_stand_here(sc_bt_writer *writer) {
  return require(writer, current(writer)->value_due);
}

/* In a list there is always room for another value; elsewhere for one. */
static void value_written(sc_bt_writer *writer) {
  bool in_list = writer->depth > 0 && !current(writer)->dict;
  current(writer)->value_due = in_list;
}

static uint8_t *put_decimal(uint8_t *at, uint64_t value) {
  uint8_t digits[longest_decimal];
  size_t count = 0;
  do {
    digits[count++] = (uint8_t)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (count > 0)
    *at++ = digits[--count];
  return at;
}

/* Room for `most` bytes at the end of the buffer, or NULL; end_at says how many were used. */
static uint8_t *room_for(sc_bt_writer *writer, size_t most) {
  return keep(writer, sc_buffer_reserve(writer->out, most)) ? writer->out->ptr + writer->out->len : NULL;
}

static void end_at(sc_bt_writer *writer, const uint8_t *end) {
  writer->out->len = (size_t)(end - writer->out->ptr);
}

static void write_integer(sc_bt_writer *writer, bool negative, uint64_t magnitude) {
  if (!value_may_stand_here(writer))
    return;
  uint8_t *at = room_for(writer, longest_decimal + 3);
  if (at == NULL)
    return;
  *at++ = 'i';
  if (negative)
    *at++ = '-';
  at = put_decimal(at, magnitude);
  *at++ = 'e';
  end_at(writer, at);
  value_written(writer);
}

void sc_bt_write_i64(sc_bt_writer *writer, int64_t value) {
  write_integer(writer, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void sc_bt_write_u64(sc_bt_writer *writer, uint64_t value) {
  write_integer(writer, false, value);
}

static bool put_string(sc_bt_writer *writer, sc_bytes string) {
  if (!keep(writer, string.len > SIZE_MAX - longest_decimal - 1 ? SC_ERR_NO_MEMORY : SC_OK))
    return false;
  uint8_t *at = room_for(writer, longest_decimal + 1 + string.len);
  if (at == NULL)
    return false;
  at = put_decimal(at, string.len);
  *at++ = ':';
  if (string.len > 0)
    memcpy(at, string.ptr, string.len);
  end_at(writer, at + string.len);
  return true;
}

void sc_bt_write_string(sc_bt_writer *writer, sc_bytes value) {
  if (value_may_stand_here(writer) && put_string(writer, value))
    value_written(writer);
}

/* The key that the buffer ends with: a later one must be greater, or the dict is sorted when it ends. */
static void note_key(sc_bt_writer *writer, size_t len) {
  sc_bt_writer_level *level = current(writer);
  const uint8_t *bytes = writer->out->ptr;
  size_t key = writer->out->len - len;
  if (level->keys > 0) {
    int order = sc_bt_compare_keys(sc_bytes_make(bytes + level->key, level->key_len),
                                   sc_bytes_make(bytes + key, len));
    keep(writer, order == 0 ? SC_ERR_BT_ORDER : SC_OK);
    level->unsorted = level->unsorted || order > 0;
  }
  level->keys++;
  level->key = key;
  level->key_len = len;
  level->value_due = true;
}

void sc_bt_write_key(sc_bt_writer *writer, sc_bytes key) {
  bool key_may_stand_here = current(writer)->dict && !current(writer)->value_due;
  if (require(writer, key_may_stand_here) && put_string(writer, key))
    note_key(writer, key.len);
}

void sc_bt_write_raw(sc_bt_writer *writer, sc_bytes value) {
  if (value_may_stand_here(writer) && keep(writer, sc_bt_validate_within(value, writer->depth)) &&
      keep(writer, sc_buffer_append(writer->out, value)))
    value_written(writer);
}

static void begin(sc_bt_writer *writer, bool dict) {
  if (!value_may_stand_here(writer) ||
      !keep(writer, writer->depth == SC_BT_MAX_DEPTH ? SC_ERR_BT_DEPTH : SC_OK))
    return;
  if (!keep(writer, sc_buffer_append_byte(writer->out, dict ? 'd' : 'l')))
    return;
  writer->levels[++writer->depth] =
      (sc_bt_writer_level){.body = writer->out->len, .dict = dict, .value_due = !dict};
}

void sc_bt_begin_list(sc_bt_writer *writer) {
  begin(writer, false);
}

void sc_bt_begin_dict(sc_bt_writer *writer) {
  begin(writer, true);
}

typedef struct entry {
  sc_bytes key;
  sc_bytes encoding; /* of key and value */
} entry;

/* Takes one entry, which is whole, off the front of the dict's body. */
static sc_status take_entry(entry *out, sc_bytes *body) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, *body);
  sc_status status = sc_bt_read_string(&out->key, &reader);
  size_t value_at = sc_bt_position(&reader);
  sc_bt_reader_init(&reader, sc_bytes_make(body->ptr + value_at, body->len - value_at));
  if (status == SC_OK)
    status = sc_bt_skip(&reader);
  size_t len = value_at + sc_bt_position(&reader);
  out->encoding = sc_bytes_make(body->ptr, len);
  *body = sc_bytes_make(body->ptr + len, body->len - len);
  return status;
}

static int order_entries(const void *left, const void *right) {
  const entry *a = left, *b = right;
  return sc_bt_compare_keys(a->key, b->key);
}

/* Appends the entries to `out`. SC_ERR_BT_ORDER when two keys are the same. */
static sc_status join(sc_buffer *out, const entry *entries, size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    if (i > 0 && sc_bytes_same(entries[i - 1].key, entries[i].key))
      status = SC_ERR_BT_ORDER;
    else
      status = sc_buffer_append(out, entries[i].encoding);
  }
  return status;
}

/* Puts the `count` entries in `body` into order. */
static sc_status sort_body(uint8_t *body, size_t len, size_t count, const sc_env *env) {
  sc_buffer sorted;
  sc_buffer_init(&sorted, env);
  entry *entries = count > SIZE_MAX / sizeof *entries ? NULL : sc_allocate(env, count * sizeof *entries);
  sc_status status = entries == NULL ? SC_ERR_NO_MEMORY : sc_buffer_reserve(&sorted, len);
  sc_bytes rest = sc_bytes_make(body, len);
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = take_entry(&entries[i], &rest);
  if (status == SC_OK) {
    sc_sort(entries, count, sizeof *entries, order_entries);
    status = join(&sorted, entries, count);
  }
  if (status == SC_OK)
    memcpy(body, sorted.ptr, len);
  sc_release(env, entries);
  sc_buffer_free(&sorted);
  return status;
}

static bool container_may_end(sc_bt_writer *writer) {
  return writer->depth > 0 && current(writer)->dict != current(writer)->value_due;
}

void sc_bt_end(sc_bt_writer *writer) {
  const sc_bt_writer_level *level = current(writer);
  if (!require(writer, container_may_end(writer)))
    return;
  sc_buffer *out = writer->out;
  if (level->unsorted &&
      !keep(writer, sort_body(out->ptr + level->body, out->len - level->body, level->keys, out->env)))
    return;
  if (!keep(writer, sc_buffer_append_byte(out, 'e')))
    return;
  writer->depth--;
  value_written(writer);
}

sc_status sc_bt_writer_finish(sc_bt_writer *writer) {
  require(writer, writer->depth == 0 && !current(writer)->value_due);
  if (writer->status != SC_OK)
    sc_buffer_truncate(writer->out, writer->start);
  return writer->status;
}
