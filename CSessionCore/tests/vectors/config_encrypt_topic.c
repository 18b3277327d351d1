/* Only the compression under the config messages. */
#include "topics.h"

static sc_status zstd_compress(known_case *c) {
  sc_buffer *compressed = known_buffer(c);
  sc_status status = sc_zstd_compress(compressed, known_hex(c, "prefix"), known_hex(c, "data"),
                                      (int)known_integer(c, "level"));
  if (status == SC_OK)
    known_same(c, "compressed", sc_buffer_bytes(compressed));
  return status;
}

static sc_status zstd_decompress(known_case *c) {
  uint64_t recorded_limit = known_unsigned(c, "max_size");
  size_t limit = recorded_limit == 0 ? SIZE_MAX : (size_t)recorded_limit;
  sc_buffer *data = known_buffer(c);
  sc_status status = sc_zstd_decompress(data, known_hex(c, "compressed"), limit);
  if (status == SC_OK)
    known_same(c, "data", sc_buffer_bytes(data));
  return status;
}

TOPIC(config_encrypt, {"zstd_compress", zstd_compress}, {"zstd_decompress", zstd_decompress});
