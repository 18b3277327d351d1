#include "pool_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../base/text.h"
#include "node_text.h"

enum { usual_line = 110 /* bytes */, day_chars = 11 /* with the bar */ };

static bool take_day(sc_day *out, sc_bytes *rest, sc_day today) {
  sc_bytes part;
  uint64_t day;
  if (!sc_text_part(&part, rest, '|') || !sc_text_number(&day, part, UINT32_MAX))
    return false;
  *out = day < today ? (sc_day)day : today;
  return true;
}

/* The day may be missing. */
static bool read_node(sc_node *out, sc_bytes line, sc_day today) {
  return sc_node_text_take(out, &line) == SC_OK &&
         (line.ptr == NULL || (take_day(&out->first_day, &line, today) && line.ptr == NULL));
}

static bool read_changes(sc_day_changes *out, sc_bytes line, sc_day today) {
  sc_bytes part;
  sc_day day;
  uint64_t count;
  bool good = sc_text_part(&part, &line, '|') && take_day(&day, &line, today) &&
              sc_text_part(&part, &line, '|') && sc_text_number(&count, part, UINT32_MAX) && line.ptr == NULL;
  if (good)
    *out = (sc_day_changes){day, (uint32_t)count};
  return good;
}

sc_status sc_pool_file_read(sc_node_list *out, sc_day_changes *changes, sc_day today, bool private_addresses,
                            sc_bytes file) {
  sc_bytes line;
  if (file.len > SC_POOL_FILE_MOST)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_key_table_reserve(&out->table, file.len / usual_line);
  while (status == SC_OK && sc_node_list_count(out) < SC_STORAGE_MAX_NODES &&
         sc_text_next_line(&line, &file) == SC_TEXT_LINE) {
    sc_node node;
    if (sc_text_starts_with(line, "changes|"))
      out->skipped += !read_changes(changes, line, today);
    else if (read_node(&node, line, today))
      status = sc_node_list_add(out, &node, private_addresses);
    else
      out->skipped++;
  }
  return status;
}

static sc_status put_changes(sc_buffer *out, const sc_day_changes *changes) {
  char line[sc_text_line_most];
  if (changes->count == 0)
    return SC_OK;
  snprintf(line, sizeof line, "changes|%" PRIu32 "|%" PRIu32 "\n", changes->day, changes->count);
  return sc_buffer_append(out, sc_bytes_text(line));
}

static sc_status put_node(sc_buffer *out, const sc_node *node) {
  char text[SC_NODE_TEXT_BYTES + day_chars];
  size_t len = sc_node_format(text, node);
  if (node->first_day != 0)
    len += (size_t)snprintf(text + len, sizeof text - len, "|%" PRIu32, node->first_day);
  text[len] = '\n';
  return sc_buffer_append(out, sc_bytes_make(text, len + 1));
}

sc_status sc_pool_file_write(sc_buffer *out, const sc_node *nodes, size_t count,
                             const sc_day_changes *changes) {
  sc_buffer_clear(out);
  sc_status status = sc_buffer_reserve(out, count * (SC_NODE_TEXT_BYTES + day_chars));
  if (status == SC_OK)
    status = put_changes(out, changes);
  for (size_t i = 0; status == SC_OK && i < count; i++)
    status = put_node(out, &nodes[i]);
  return status;
}
