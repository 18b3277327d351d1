#include "header.h"

#include <stdbool.h>

#include "../base/big.h"
#include "slots.h"

enum { major_version = 1, minor_version = 0, length_at = 12, extension_head = 4 };

static const uint8_t magic[sc_archive_magic_bytes] = {'S', 'E', 'S', 'S', 'A', 'R', 'C', 0};

void sc_archive_header_begin(uint8_t out[static sc_archive_slots_at], const uint8_t *id,
                             const uint8_t *nonce_prefix, unsigned chunk_log2, size_t slot_count) {
  memcpy(out, magic, sizeof magic);
  out[8] = major_version;
  out[9] = minor_version;
  out[10] = (uint8_t)chunk_log2;
  out[11] = (uint8_t)slot_count;
  sc_store_big(out + length_at, sc_archive_header_len(slot_count), 4);
  memcpy(out + sc_archive_id_at, id, SC_ARCHIVE_ID_BYTES);
  memcpy(out + sc_archive_prefix_at, nonce_prefix, sc_archive_prefix_bytes);
}

static sc_status read_fixed(sc_archive_header *out, sc_bytes start) {
  if (start.len < sizeof magic || memcmp(start.ptr, magic, sizeof magic) != 0)
    return SC_ERR_ARCHIVE_MAGIC;
  if (start.len > sizeof magic && start.ptr[sizeof magic] != major_version)
    return SC_ERR_ARCHIVE_VERSION;
  if (start.len < sc_archive_slots_at)
    return SC_ERR_ARCHIVE_TRUNCATED;
  out->minor_version = start.ptr[9];
  out->chunk_log2 = start.ptr[10];
  out->slot_count = start.ptr[11];
  out->len = (size_t)sc_load_big(start.ptr + length_at, 4);
  memcpy(out->id, start.ptr + sc_archive_id_at, sizeof out->id);
  bool valid = out->chunk_log2 >= SC_ARCHIVE_MIN_CHUNK_LOG2 && out->chunk_log2 <= SC_ARCHIVE_MAX_CHUNK_LOG2 &&
               out->slot_count >= 1 && out->slot_count <= SC_ARCHIVE_MAX_SLOTS;
  if (!valid || out->len > SC_ARCHIVE_MAX_HEADER || out->len < sc_archive_header_len(out->slot_count))
    return SC_ERR_ARCHIVE_HEADER;
  return start.len < out->len ? SC_ERR_ARCHIVE_TRUNCATED : SC_OK;
}

static sc_status read_slots(sc_archive_header *out, const uint8_t *slots) {
  bool seen[SC_ARCHIVE_SLOT_KEY_FILE + 1] = {false};
  for (size_t i = 0; i < out->slot_count; i++) {
    sc_status status = sc_archive_slot_read(&out->slots[i], slots + i * sc_archive_slot_bytes);
    if (status != SC_OK || seen[out->slots[i].kind])
      return SC_ERR_ARCHIVE_HEADER;
    seen[out->slots[i].kind] = true;
  }
  return SC_OK;
}

static sc_status pass_extensions(sc_bytes rest) {
  while (rest.len > 0) {
    if (rest.len < extension_head)
      return SC_ERR_ARCHIVE_HEADER;
    uint64_t kind = sc_load_big(rest.ptr, 2);
    size_t whole = extension_head + (size_t)sc_load_big(rest.ptr + 2, 2);
    if (whole > rest.len)
      return SC_ERR_ARCHIVE_HEADER;
    if (kind % 2 == 1)
      return SC_ERR_ARCHIVE_VERSION;
    rest = sc_bytes_make(rest.ptr + whole, rest.len - whole);
  }
  return SC_OK;
}

sc_status sc_archive_header_read(sc_archive_header *out, sc_bytes start) {
  memset(out, 0, sizeof *out);
  sc_status status = read_fixed(out, start);
  if (status == SC_OK)
    status = read_slots(out, start.ptr + sc_archive_slots_at);
  if (status != SC_OK)
    return status;
  size_t fixed = sc_archive_header_len(out->slot_count);
  return pass_extensions(sc_bytes_make(start.ptr + fixed - sc_archive_mac_bytes, out->len - fixed));
}
