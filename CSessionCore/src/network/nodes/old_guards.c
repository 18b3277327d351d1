#include "old_guards.h"

#include <stdio.h>

#include "../../base/text.h"
#include "node_text.h"

enum { second = 1000 /* milliseconds in one */, millisecond = 1000000 /* nanoseconds in one */ };

static bool is_known(const sc_old_guards *guards, const sc_node *node) {
  for (size_t i = 0; i < guards->count; i++)
    if (sc_node_same(&guards->list[i].node, node))
      return true;
  return false;
}

/* False without a time. */
static bool take_time(uint64_t *out, sc_bytes *line, uint64_t wall) {
  sc_bytes part;
  uint64_t seconds;
  if (!sc_text_part(&part, line, '|'))
    return false;
  *out = sc_text_number(&seconds, part, UINT64_MAX / second) ? seconds * second : wall;
  return true;
}

sc_status sc_old_guards_read(sc_old_guards *out, const sc_node_options *options, uint64_t wall,
                             sc_bytes file) {
  sc_bytes line;
  out->count = 0;
  if (file.len > SC_OLD_GUARDS_FILE_MOST)
    return SC_ERR_TOO_LARGE;
  while (out->count < sc_old_guards_most && sc_text_next_line(&line, &file) == SC_TEXT_LINE) {
    sc_old_guard guard;
    if (sc_node_text_take(&guard.node, &line) != SC_OK || !take_time(&guard.since, &line, wall))
      continue;
    if (guard.since > wall)
      break;
    if (wall - guard.since < options->old_guard_expiry / millisecond && !is_known(out, &guard.node) &&
        sc_node_is_usable(&guard.node, options->private_addresses))
      out->list[out->count++] = guard;
  }
  return SC_OK;
}

sc_status sc_old_guards_write(sc_buffer *out, const sc_old_guards *guards) {
  enum { time_room = 24 };
  sc_status status = SC_OK;
  sc_buffer_clear(out);
  for (size_t i = 0; status == SC_OK && i < guards->count; i++) {
    const sc_old_guard *guard = &guards->list[i];
    char text[SC_NODE_TEXT_BYTES + time_room];
    size_t len = sc_node_format(text, &guard->node);
    len += (size_t)snprintf(text + len, time_room, "|%llu\n", (unsigned long long)(guard->since / second));
    status = sc_buffer_append(out, sc_bytes_make(text, len));
  }
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
