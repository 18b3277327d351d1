#include "edge_file.h"

#include <stdio.h>

#include "../../base/text.h"
#include "node_text.h"

enum { second = 1000 /* milliseconds in one */, millisecond = 1000000 /* nanoseconds in one */ };

static bool is_known(const sc_edges *edges, const sc_node *node) {
  for (size_t i = 0; i < edges->count; i++)
    if (sc_node_same(&edges->list[i].node, node))
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

sc_status sc_edges_read(sc_edges *out, const sc_node_options *options, uint64_t wall, sc_bytes file) {
  sc_bytes line;
  out->count = 0;
  if (file.len > SC_EDGE_FILE_MOST)
    return SC_ERR_TOO_LARGE;
  while (out->count < sc_edges_most && sc_text_next_line(&line, &file) == SC_TEXT_LINE) {
    sc_edge edge;
    if (sc_node_text_take(&edge.node, &line) != SC_OK || !take_time(&edge.since, &line, wall))
      continue;
    if (edge.since > wall)
      break;
    if (wall - edge.since < options->edge_expiry / millisecond && !is_known(out, &edge.node) &&
        sc_node_is_usable(&edge.node, options->private_addresses))
      out->list[out->count++] = edge;
  }
  return SC_OK;
}

sc_status sc_edges_write(sc_buffer *out, const sc_edges *edges) {
  enum { time_room = 24 };
  sc_status status = SC_OK;
  sc_buffer_clear(out);
  for (size_t i = 0; status == SC_OK && i < edges->count; i++) {
    const sc_edge *edge = &edges->list[i];
    char text[SC_NODE_TEXT_BYTES + time_room];
    size_t len = sc_node_format(text, &edge->node);
    len += (size_t)snprintf(text + len, time_room, "|%llu\n", (unsigned long long)(edge->since / second));
    status = sc_buffer_append(out, sc_bytes_make(text, len));
  }
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
