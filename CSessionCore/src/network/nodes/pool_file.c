#include "pool_file.h"

#include "../../base/text.h"
#include "node_text.h"

enum { usual_line = 110 }; /* bytes */

sc_status sc_pool_file_read(sc_node_list *out, bool private_addresses, sc_bytes file) {
  sc_bytes line;
  if (file.len > SC_POOL_FILE_MOST)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_key_table_reserve(&out->table, file.len / usual_line);
  while (status == SC_OK && sc_node_list_count(out) < SC_STORAGE_MAX_NODES &&
         sc_text_next_line(&line, &file) == SC_TEXT_LINE) {
    sc_node node;
    if (sc_node_parse(&node, line) == SC_OK)
      status = sc_node_list_add(out, &node, private_addresses);
    else
      out->skipped++;
  }
  return status;
}

sc_status sc_pool_file_write(sc_buffer *out, const sc_node *nodes, size_t count) {
  sc_buffer_clear(out);
  sc_status status = sc_buffer_reserve(out, count * SC_NODE_TEXT_BYTES);
  for (size_t i = 0; status == SC_OK && i < count; i++) {
    char text[SC_NODE_TEXT_BYTES];
    size_t len = sc_node_format(text, &nodes[i]);
    text[len] = '\n';
    status = sc_buffer_append(out, sc_bytes_make(text, len + 1));
  }
  return status;
}
