#include "state.h"

#include "../base/declassify.h"
#include "../base/little.h"
#include "session-core/base/secret.h"

enum {
  magic_bytes = 4,
  version = 1,
  most_flags = 127,
  header_bytes = 8,
};

static const uint8_t magic[magic_bytes] = {'S', 'R', '1', 'S'};

/* A field in order: where it is in the struct, how long it is, and the flag without which it is zero. */
typedef struct field {
  size_t offset;
  size_t len;
  unsigned flag;
  bool is_number;
} field;

#define KEY(member, flag)                                                                                    \
  { offsetof(sc_ratchet_state, member), sizeof((sc_ratchet_state){0}.member), flag, false }
#define NUMBER(member)                                                                                       \
  { offsetof(sc_ratchet_state, member), sizeof((sc_ratchet_state){0}.member), 0, true }

static const field fields[] = {
    KEY(peer, 0),
    KEY(device, 0),
    KEY(transcript, 0),
    KEY(root, 0),
    KEY(own_secret, 0),
    KEY(peer_key, sc_ratchet_has_peer_key),
    KEY(chain_s, sc_ratchet_has_chain_s),
    KEY(chain_r, sc_ratchet_has_chain_r),
    KEY(header_s, sc_ratchet_has_header_s),
    KEY(header_r, sc_ratchet_has_header_r),
    KEY(next_header_s, 0),
    KEY(next_header_r, 0),
    NUMBER(sent),
    NUMBER(received),
    NUMBER(previous),
    NUMBER(started_s),
    NUMBER(heard_ms),
    KEY(start_key, 0),
};

static const field pending_fields[] = {
    NUMBER(generation),
    NUMBER(one_time),
    KEY(ciphertext, 0),
    KEY(identity, 0),
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Numbers of all widths, in the byte order of the machine. */
static uint64_t load_number(const void *member, size_t len) {
  uint16_t narrow = 0;
  uint32_t middle = 0;
  uint64_t wide = 0;
  if (len == sizeof narrow)
    memcpy(&narrow, member, sizeof narrow);
  else if (len == sizeof middle)
    memcpy(&middle, member, sizeof middle);
  else
    memcpy(&wide, member, sizeof wide);
  return narrow | middle | wide;
}

static void store_number(void *member, size_t len, uint64_t value) {
  const uint16_t narrow = (uint16_t)value;
  const uint32_t middle = (uint32_t)value;
  if (len == sizeof narrow)
    memcpy(member, &narrow, sizeof narrow);
  else if (len == sizeof middle)
    memcpy(member, &middle, sizeof middle);
  else
    memcpy(member, &value, sizeof value);
}

static uint8_t *write_fields(uint8_t *at, const sc_ratchet_state *state, const field *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t *member = (const uint8_t *)state + list[i].offset;
    if (list[i].is_number)
      sc_store_little(at, load_number(member, list[i].len), list[i].len);
    else
      memcpy(at, member, list[i].len);
    at += list[i].len;
  }
  return at;
}

static const uint8_t *read_fields(sc_ratchet_state *state, const uint8_t *at, const field *list,
                                  size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint8_t *member = (uint8_t *)state + list[i].offset;
    if (list[i].is_number)
      store_number(member, list[i].len, sc_load_little(at, list[i].len));
    else
      memcpy(member, at, list[i].len);
    at += list[i].len;
  }
  return at;
}

size_t sc_ratchet_state_size(const sc_ratchet_state *state) {
  return sc_ratchet_state_has(state, sc_ratchet_pending) ? SC_RATCHET_PENDING_STATE_BYTES
                                                         : SC_RATCHET_STATE_BYTES;
}

void sc_ratchet_state_write(uint8_t *out, const sc_ratchet_state *state) {
  memcpy(out, magic, magic_bytes);
  out[4] = version;
  out[5] = state->flags;
  out[6] = out[7] = 0;
  uint8_t *at = write_fields(out + header_bytes, state, fields, COUNT(fields));
  if (sc_ratchet_state_has(state, sc_ratchet_pending))
    write_fields(at, state, pending_fields, COUNT(pending_fields));
}

/* True if the keys that the flags say are absent are. */
static bool absent_keys_are_zero(const sc_ratchet_state *state) {
  uint8_t all = 0;
  for (size_t i = 0; i < COUNT(fields); i++) {
    const uint8_t *member = (const uint8_t *)state + fields[i].offset;
    if (fields[i].flag != 0 && !sc_ratchet_state_has(state, fields[i].flag))
      for (size_t j = 0; j < fields[i].len; j++)
        all |= member[j];
  }
  sc_declassify(&all, sizeof all);
  return all == 0;
}

static bool has_right_head(sc_bytes bytes) {
  if (bytes.len != SC_RATCHET_STATE_BYTES && bytes.len != SC_RATCHET_PENDING_STATE_BYTES)
    return false;
  bool long_form = bytes.len == SC_RATCHET_PENDING_STATE_BYTES;
  unsigned flags = bytes.ptr[5];
  return memcmp(bytes.ptr, magic, magic_bytes) == 0 && bytes.ptr[4] == version && flags <= most_flags &&
         bytes.ptr[6] == 0 && bytes.ptr[7] == 0 && ((flags & sc_ratchet_pending) != 0) == long_form;
}

sc_status sc_ratchet_state_read(sc_ratchet_state *out, sc_bytes bytes) {
  memset(out, 0, sizeof *out);
  if (!has_right_head(bytes))
    return SC_ERR_RATCHET_STATE;
  out->flags = bytes.ptr[5];
  const uint8_t *at = read_fields(out, bytes.ptr + header_bytes, fields, COUNT(fields));
  if (sc_ratchet_state_has(out, sc_ratchet_pending))
    read_fields(out, at, pending_fields, COUNT(pending_fields));
  bool pending_by_other =
      sc_ratchet_state_has(out, sc_ratchet_pending) && !sc_ratchet_state_has(out, sc_ratchet_initiator);
  if (absent_keys_are_zero(out) && out->peer.bytes[0] == SC_ID_STANDARD && !pending_by_other)
    return SC_OK;
  sc_wipe(out, sizeof *out);
  return SC_ERR_RATCHET_STATE;
}
