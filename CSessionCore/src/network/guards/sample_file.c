#include "sample_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../base/text.h"
#include "session-core/base/encoding.h"

static const char first_line[] = "session-guards|1";

/* A guard may end long after today, but not for ever. */
enum { longest_future = 120, longest_middle = 12 /* days */ };

static bool take_number(uint64_t *out, sc_bytes *line, uint64_t largest) {
  sc_bytes part;
  return sc_text_part(&part, line, '|') && sc_text_number(out, part, largest);
}

/* A day in the past; one to come is today. */
static bool take_day(sc_day *out, sc_bytes *line, sc_day today) {
  uint64_t day;
  if (!take_number(&day, line, UINT32_MAX))
    return false;
  *out = day < today ? (sc_day)day : today;
  return true;
}

static bool take_future(sc_day *out, sc_bytes *line, sc_day today) {
  return take_day(out, line, today + longest_future);
}

static bool has_number(const sc_sample *sample, uint32_t number) {
  for (size_t i = 0; i < sample->count; i++)
    if (sample->guards[i].number == number)
      return true;
  return false;
}

static void read_guard(sc_sample *out, sc_bytes line, sc_day today) {
  sc_guard guard = {0};
  sc_bytes key;
  uint64_t number;
  bool good = sc_text_part(&key, &line, '|') && sc_hex_decode(guard.key, sizeof guard.key, key) == SC_OK &&
              take_day(&guard.sampled, &line, today) && take_future(&guard.ends, &line, today) &&
              take_day(&guard.confirmed, &line, today) && take_number(&number, &line, UINT32_MAX - 1) &&
              take_day(&guard.unlisted, &line, today) && take_future(&guard.back_until, &line, today) &&
              line.ptr == NULL;
  if (!good || out->count == sc_sample_most || sc_sample_has(out, guard.key) ||
      sc_sample_has_middle(out, guard.key))
    return;
  guard.number = (uint32_t)number;
  bool is_confirmed = guard.confirmed != 0;
  if (is_confirmed != (guard.number != 0) || (is_confirmed && has_number(out, guard.number)))
    return;
  out->guards[out->count++] = guard;
}

static void read_middle(sc_sample *out, sc_bytes line, sc_day today) {
  sc_middle middle;
  sc_bytes key;
  bool good = sc_text_part(&key, &line, '|') && sc_hex_decode(middle.key, sizeof middle.key, key) == SC_OK &&
              take_day(&middle.ends, &line, today + longest_middle) && line.ptr == NULL;
  if (good && out->middle_count < sc_sample_most_middles && !sc_sample_has(out, middle.key) &&
      !sc_sample_has_middle(out, middle.key))
    out->middles[out->middle_count++] = middle;
}

static void read_growth(sc_sample *out, sc_bytes line, sc_day today) {
  sc_day day;
  if (!take_day(&day, &line, today) || line.ptr != NULL || day < out->growths[0])
    return;
  memmove(&out->growths[1], &out->growths[0], sizeof out->growths - sizeof out->growths[0]);
  out->growths[0] = day;
}

static void read_line(sc_sample *out, sc_bytes line, sc_day today) {
  const uint64_t most_seconds = UINT32_MAX;
  sc_bytes word;
  uint64_t seconds;
  sc_day day;
  if (!sc_text_part(&word, &line, '|'))
    return;
  if (sc_bytes_same(word, sc_bytes_text("guard")))
    read_guard(out, line, today);
  else if (sc_bytes_same(word, sc_bytes_text("middle")))
    read_middle(out, line, today);
  else if (sc_bytes_same(word, sc_bytes_text("growth")))
    read_growth(out, line, today);
  else if (sc_bytes_same(word, sc_bytes_text("walked")) && take_number(&seconds, &line, most_seconds))
    out->walked = seconds;
  else if (sc_bytes_same(word, sc_bytes_text("setback")) && take_day(&day, &line, today))
    out->setback = day;
}

sc_status sc_sample_read(sc_sample *out, sc_day today, sc_bytes file) {
  sc_bytes line;
  *out = (sc_sample){0};
  if (file.len > SC_SAMPLE_FILE_MOST)
    return SC_ERR_TOO_LARGE;
  if (sc_text_next_line(&line, &file) != SC_TEXT_LINE || !sc_bytes_same(line, sc_bytes_text(first_line)))
    return SC_ERR_NODE_FILE;
  while (sc_text_next_line(&line, &file) == SC_TEXT_LINE)
    read_line(out, line, today);
  if (out->count > 0)
    return SC_OK;
  *out = (sc_sample){0};
  return SC_ERR_NODE_FILE;
}

/* ---- writing ---- */

static sc_status put(sc_buffer *out, const char *text) {
  return sc_buffer_append(out, sc_bytes_text(text));
}

static sc_status put_guard(sc_buffer *out, const sc_guard *guard) {
  char key[SC_HEX_CHARS(SC_KEY_BYTES) + 1], line[sc_text_line_most];
  sc_hex_encode(key, SC_BYTES(guard->key));
  snprintf(line, sizeof line,
           "guard|%s|%" PRIu32 "|%" PRIu32 "|%" PRIu32 "|%" PRIu32 "|%" PRIu32 "|%" PRIu32 "\n", key,
           guard->sampled, guard->ends, guard->confirmed, guard->number, guard->unlisted, guard->back_until);
  return put(out, line);
}

static sc_status put_middle(sc_buffer *out, const sc_middle *middle) {
  char key[SC_HEX_CHARS(SC_KEY_BYTES) + 1], line[sc_text_line_most];
  sc_hex_encode(key, SC_BYTES(middle->key));
  snprintf(line, sizeof line, "middle|%s|%" PRIu32 "\n", key, middle->ends);
  return put(out, line);
}

static sc_status put_number(sc_buffer *out, const char *word, uint64_t number) {
  char line[sc_text_line_most];
  if (number == 0)
    return SC_OK;
  snprintf(line, sizeof line, "%s|%" PRIu64 "\n", word, number);
  return put(out, line);
}

sc_status sc_sample_write(sc_buffer *out, const sc_sample *sample) {
  sc_buffer_clear(out);
  sc_status status = put(out, first_line);
  if (status == SC_OK)
    status = put(out, "\n");
  for (size_t i = 0; status == SC_OK && i < sample->count; i++)
    status = put_guard(out, &sample->guards[i]);
  for (size_t i = 0; status == SC_OK && i < sample->middle_count; i++)
    status = put_middle(out, &sample->middles[i]);
  if (status == SC_OK)
    status = put_number(out, "walked", sample->walked);
  for (size_t i = sc_sample_growths; status == SC_OK && i-- > 0;)
    status = put_number(out, "growth", sample->growths[i]);
  if (status == SC_OK)
    status = put_number(out, "setback", sample->setback);
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
