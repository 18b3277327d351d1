/* A cursor over borrowed bytes with one level for each open container. Levels above the reader's own are free
 * space: passing over a value uses them as its stack, so that nothing here recurses and a failure part of the
 * way through leaves the reader as it was. */
#include "bt_reader.h"

enum { OUTSIDE, IN_LIST, IN_DICT };

/* A longer length could not be the length of anything. */
enum { max_length_digits = 10 };

void sc_bt_reader_init(sc_bt_reader *reader, sc_bytes input) {
  reader->begin = input.ptr;
  reader->at = input.ptr;
  reader->end = input.len == 0 ? input.ptr : input.ptr + input.len;
  reader->depth = 0;
  reader->levels[0] = (sc_bt_level){.kind = OUTSIDE, .value_due = true};
}

static inline bool is_digit(uint8_t byte) {
  return (uint8_t)(byte - '0') <= 9;
}

static inline bool next_is(const uint8_t *at, const uint8_t *end, uint8_t byte) {
  return at != end && *at == byte;
}

/* True if the level's container may end before the byte at hand. */
static inline bool may_end(const sc_bt_level *level) {
  return level->kind == IN_LIST || (level->kind == IN_DICT && !level->value_due);
}

static sc_bt_type type_of(uint8_t byte) {
  switch (byte) {
  case 'i':
    return SC_BT_INTEGER;
  case 'l':
    return SC_BT_LIST;
  case 'd':
    return SC_BT_DICT;
  case 'e':
    return SC_BT_END;
  default:
    return is_digit(byte) ? SC_BT_STRING : SC_BT_INVALID;
  }
}

sc_bt_type sc_bt_peek(const sc_bt_reader *reader) {
  const sc_bt_level *level = &reader->levels[reader->depth];
  bool all_read = level->kind == OUTSIDE && !level->value_due;
  if (all_read || reader->at == reader->end)
    return SC_BT_END;
  sc_bt_type type = type_of(*reader->at);
  if (type == SC_BT_END)
    return may_end(level) ? SC_BT_END : SC_BT_INVALID;
  return level->value_due || type == SC_BT_STRING ? type : SC_BT_INVALID;
}

/* Returns why the requested value cannot be read here. */
static sc_status refusal(const sc_bt_reader *reader) {
  if (!reader->levels[reader->depth].value_due)
    return SC_ERR_STATE;
  if (reader->at == reader->end)
    return SC_ERR_TRUNCATED;
  return sc_bt_peek(reader) == SC_BT_INVALID ? SC_ERR_BT_SYNTAX : SC_ERR_BT_TYPE;
}

static inline bool value_begins_with(const sc_bt_reader *reader, uint8_t byte) {
  return reader->levels[reader->depth].value_due && next_is(reader->at, reader->end, byte);
}

static inline void value_passed(sc_bt_level *level) {
  level->value_due = level->kind == IN_LIST;
}

static inline void move_past_value(sc_bt_reader *reader, const uint8_t *at) {
  reader->at = at;
  value_passed(&reader->levels[reader->depth]);
}

/* The scanners below read what begins at `*at` and move it; on failure it stays. */

/* Expects a digit at `*at`. */
static inline sc_status scan_string(sc_bytes *out, const uint8_t **at, const uint8_t *end) {
  const uint8_t *digits = *at;
  const uint8_t *p = digits + 1;
  uint64_t len = (uint64_t)(*digits - '0');
  for (; p != end && is_digit(*p); p++) {
    if (p - digits >= max_length_digits || *digits == '0')
      return SC_ERR_BT_SYNTAX;
    len = len * 10 + (uint64_t)(*p - '0');
  }
  if (p == end)
    return SC_ERR_TRUNCATED;
  if (*p++ != ':')
    return SC_ERR_BT_SYNTAX;
  if (len > (uint64_t)(end - p))
    return SC_ERR_TRUNCATED;
  *out = sc_bytes_make(p, (size_t)len);
  *at = p + len;
  return SC_OK;
}

typedef struct integer {
  uint64_t magnitude;
  bool negative;
} integer;

static inline bool add_digit(uint64_t *value, uint8_t digit) {
  return !__builtin_mul_overflow(*value, 10U, value) &&
         !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

/* Without spare zeros or a zero that is negative. */
static inline bool is_canonical(const uint8_t *digits, size_t count, bool negative) {
  return count > 0 && (*digits != '0' || (count == 1 && !negative));
}

static inline bool fits_on_the_wire(const integer *value) {
  return !value->negative || value->magnitude <= (uint64_t)INT64_MAX + 1;
}

/* Expects `i` at `*at`. */
static inline sc_status scan_integer(integer *out, const uint8_t **at, const uint8_t *end) {
  const uint8_t *p = *at + 1;
  integer value = {.negative = next_is(p, end, '-')};
  if (value.negative)
    p++;
  const uint8_t *digits = p;
  bool fits = true;
  for (; p != end && is_digit(*p); p++)
    fits = fits && add_digit(&value.magnitude, *p);
  if (p == end)
    return SC_ERR_TRUNCATED;
  if (*p != 'e' || !is_canonical(digits, (size_t)(p - digits), value.negative))
    return SC_ERR_BT_SYNTAX;
  if (!fits || !fits_on_the_wire(&value))
    return SC_ERR_BT_RANGE;
  *out = value;
  *at = p + 1;
  return SC_OK;
}

static inline sc_bytes last_key(const sc_bt_level *level) {
  return sc_bytes_make(level->key, level->key_len);
}

/* A key of the dict that `level` is in, which then waits for its value. Inlined everywhere, since a key that
 * goes through memory is waited for. */
__attribute__((always_inline)) static inline sc_status scan_key(sc_bytes *out, sc_bt_level *level,
                                                                const uint8_t **at, const uint8_t *end) {
  if (*at == end)
    return SC_ERR_TRUNCATED;
  if (!is_digit(**at))
    return SC_ERR_BT_SYNTAX;
  const uint8_t *p = *at;
  sc_status status = scan_string(out, &p, end);
  if (status != SC_OK)
    return status;
  if (level->key != NULL && sc_bt_compare_keys(*out, last_key(level)) <= 0)
    return SC_ERR_BT_ORDER;
  level->key = out->ptr;
  level->key_len = out->len;
  level->value_due = true;
  *at = p;
  return SC_OK;
}

static inline sc_status scan_scalar(const uint8_t **at, const uint8_t *end) {
  integer number;
  sc_bytes string;
  if (**at == 'i')
    return scan_integer(&number, at, end);
  return is_digit(**at) ? scan_string(&string, at, end) : SC_ERR_BT_SYNTAX;
}

static inline void open_level(sc_bt_level *level, uint8_t bracket) {
  *level = (sc_bt_level){.kind = bracket == 'l' ? IN_LIST : IN_DICT, .value_due = bracket == 'l'};
}

/* Walks on from `*at`, checking everything, until a value ends that stands at `depth`. The reader's position
 * stays; of its levels only the current one and free ones change. */
static sc_status pass_until(sc_bt_reader *reader, const uint8_t **at, unsigned depth) {
  const uint8_t *p = *at;
  const uint8_t *end = reader->end;
  sc_bt_level *level = &reader->levels[reader->depth];
  for (;;) {
    if (p == end)
      return SC_ERR_TRUNCATED;
    sc_bytes key;
    sc_status status = SC_OK;
    bool value_ended = false;
    if (*p == 'e' && may_end(level)) {
      p++;
      level--;
      value_ended = true;
    } else if (!level->value_due) {
      status = scan_key(&key, level, &p, end);
    } else if (*p == 'l' || *p == 'd') {
      if (level == &reader->levels[SC_BT_MAX_DEPTH])
        return SC_ERR_BT_DEPTH;
      open_level(++level, *p++);
    } else {
      status = scan_scalar(&p, end);
      value_ended = true;
    }
    if (status != SC_OK)
      return status;
    if (!value_ended)
      continue;
    value_passed(level);
    if (level == &reader->levels[depth])
      break;
  }
  *at = p;
  return SC_OK;
}

static sc_status read_integer(integer *out, const uint8_t **at, const sc_bt_reader *reader) {
  if (!value_begins_with(reader, 'i'))
    return refusal(reader);
  *at = reader->at;
  return scan_integer(out, at, reader->end);
}

sc_status sc_bt_read_i64(int64_t *out, sc_bt_reader *reader) {
  integer value;
  const uint8_t *at;
  sc_status status = read_integer(&value, &at, reader);
  if (status != SC_OK)
    return status;
  if (!value.negative && value.magnitude > INT64_MAX)
    return SC_ERR_BT_RANGE;
  *out = value.negative ? -(int64_t)(value.magnitude - 1) - 1 : (int64_t)value.magnitude;
  move_past_value(reader, at);
  return SC_OK;
}

sc_status sc_bt_read_u64(uint64_t *out, sc_bt_reader *reader) {
  integer value;
  const uint8_t *at;
  sc_status status = read_integer(&value, &at, reader);
  if (status != SC_OK)
    return status;
  if (value.negative)
    return SC_ERR_BT_RANGE;
  *out = value.magnitude;
  move_past_value(reader, at);
  return SC_OK;
}

sc_status sc_bt_read_string(sc_bytes *out, sc_bt_reader *reader) {
  const uint8_t *at = reader->at;
  if (!reader->levels[reader->depth].value_due || at == reader->end || !is_digit(*at))
    return refusal(reader);
  sc_status status = scan_string(out, &at, reader->end);
  if (status == SC_OK)
    move_past_value(reader, at);
  return status;
}

static sc_status enter(sc_bt_reader *reader, uint8_t bracket) {
  if (!value_begins_with(reader, bracket))
    return refusal(reader);
  if (reader->depth == SC_BT_MAX_DEPTH)
    return SC_ERR_BT_DEPTH;
  reader->at++;
  open_level(&reader->levels[++reader->depth], bracket);
  return SC_OK;
}

sc_status sc_bt_enter_list(sc_bt_reader *reader) {
  return enter(reader, 'l');
}

sc_status sc_bt_enter_dict(sc_bt_reader *reader) {
  return enter(reader, 'd');
}

sc_status sc_bt_leave(sc_bt_reader *reader) {
  sc_bt_level *level = &reader->levels[reader->depth];
  if (level->kind == OUTSIDE)
    return SC_ERR_STATE;
  sc_bt_level before = *level;
  sc_status status = pass_until(reader, &reader->at, reader->depth - 1);
  if (status == SC_OK)
    reader->depth--;
  else
    *level = before;
  return status;
}

static inline sc_status pass_due_value(sc_bt_reader *reader, const uint8_t **at) {
  return reader->levels[reader->depth].value_due ? pass_until(reader, at, reader->depth) : SC_OK;
}

sc_status sc_bt_next_key(sc_bytes *out, sc_bt_reader *reader) {
  sc_bt_level *level = &reader->levels[reader->depth];
  if (level->kind != IN_DICT)
    return SC_ERR_STATE;
  sc_bytes before = last_key(level);
  bool value_was_due = level->value_due;
  const uint8_t *at = reader->at;
  sc_bytes key;
  sc_status status = pass_due_value(reader, &at);
  if (status == SC_OK)
    status = next_is(at, reader->end, 'e') ? SC_ERR_NOT_FOUND : scan_key(&key, level, &at, reader->end);
  if (status != SC_OK) {
    level->key = before.ptr;
    level->key_len = before.len;
    level->value_due = value_was_due;
    return status;
  }
  reader->at = at;
  *out = key;
  return SC_OK;
}

/* Moves `*at` to the value of `key`, or before the first greater key or the end of the dict. */
static sc_status walk_to_key(sc_bt_reader *reader, const uint8_t **at, sc_bytes key) {
  sc_bt_level *level = &reader->levels[reader->depth];
  for (;;) {
    sc_status status = pass_due_value(reader, at);
    if (status != SC_OK)
      return status;
    if (next_is(*at, reader->end, 'e'))
      return SC_ERR_NOT_FOUND;
    sc_bt_level before = *level;
    const uint8_t *key_start = *at;
    sc_bytes found;
    status = scan_key(&found, level, at, reader->end);
    if (status != SC_OK)
      return status;
    int order = sc_bt_compare_keys(found, key);
    if (order == 0)
      return SC_OK;
    if (order > 0) {
      *level = before;
      *at = key_start;
      return SC_ERR_NOT_FOUND;
    }
  }
}

sc_status sc_bt_find_key(sc_bt_reader *reader, sc_bytes key) {
  sc_bt_level *level = &reader->levels[reader->depth];
  if (level->kind != IN_DICT)
    return SC_ERR_STATE;
  sc_bt_level before = *level;
  const uint8_t *at = reader->at;
  sc_status status = walk_to_key(reader, &at, key);
  if (status == SC_OK || status == SC_ERR_NOT_FOUND)
    reader->at = at;
  else
    *level = before;
  return status;
}

sc_status sc_bt_read_raw(sc_bytes *out, sc_bt_reader *reader) {
  const uint8_t *start = reader->at;
  if (!reader->levels[reader->depth].value_due || next_is(start, reader->end, 'e'))
    return refusal(reader);
  const uint8_t *at = start;
  sc_status status = pass_until(reader, &at, reader->depth);
  if (status != SC_OK)
    return status;
  *out = sc_bytes_make(start, (size_t)(at - start));
  reader->at = at;
  return SC_OK;
}

sc_status sc_bt_skip(sc_bt_reader *reader) {
  sc_bytes passed;
  return sc_bt_read_raw(&passed, reader);
}

size_t sc_bt_position(const sc_bt_reader *reader) {
  return reader->at == reader->begin ? 0 : (size_t)(reader->at - reader->begin);
}

sc_status sc_bt_finish(const sc_bt_reader *reader) {
  const sc_bt_level *level = &reader->levels[reader->depth];
  bool one_value_read = level->kind == OUTSIDE && !level->value_due;
  return one_value_read && reader->at == reader->end ? SC_OK : SC_ERR_TRAILING;
}

sc_status sc_bt_validate_within(sc_bytes input, unsigned depth) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, input);
  reader.levels[depth] = reader.levels[0];
  reader.depth = depth;
  sc_status status = sc_bt_skip(&reader);
  return status == SC_OK ? sc_bt_finish(&reader) : status;
}

sc_status sc_bt_validate(sc_bytes input) {
  return sc_bt_validate_within(input, 0);
}
