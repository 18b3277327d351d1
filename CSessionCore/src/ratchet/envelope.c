#include "session-core/ratchet/envelope.h"

#include "wire.h"

enum {
  kind_at = 2,
  count_at = 3,
  short_slots = 1,
  long_slots = 2,
  slots_step = 4,
};

void sc_ratchet_digest(uint8_t out[static 32], sc_bytes head, sc_bytes payload) {
  const sc_bytes pieces[] = {sc_bytes_text("SwarmRatchet1 PH"), head, payload};
  sc_ratchet_hash(out, pieces, sizeof pieces / sizeof pieces[0]);
}

static bool has_right_head(const uint8_t *message) {
  uint8_t kind = message[kind_at], count = message[count_at];
  return message[0] == 0x00 && message[1] == 0xd1 && (kind == short_slots || kind == long_slots) &&
         count > 0 && count <= SC_RATCHET_MAX_SLOTS && count % slots_step == 0;
}

sc_status sc_ratchet_envelope_parse(sc_ratchet_envelope *out, sc_bytes message) {
  *out = (sc_ratchet_envelope){0};
  if (message.len < SC_RATCHET_MIN_MESSAGE_BYTES || message.len > SC_RATCHET_MAX_MESSAGE_BYTES ||
      !has_right_head(message.ptr))
    return SC_ERR_RATCHET_FORMAT;
  const bool has_starts = message.ptr[kind_at] == long_slots;
  const size_t count = message.ptr[count_at];
  const size_t least = sc_ratchet_head_bytes + count * sc_ratchet_slot_size(has_starts) + SC_AEAD_TAG_BYTES;
  if (message.len < least)
    return SC_ERR_RATCHET_FORMAT;
  *out = (sc_ratchet_envelope){.message = message, .has_starts = has_starts, .slot_count = count};
  sc_ratchet_digest(out->digest, sc_bytes_make(message.ptr, sc_ratchet_head_bytes),
                    sc_ratchet_payload_of(out));
  return SC_OK;
}

bool sc_ratchet_envelope_has_tag(const sc_ratchet_envelope *envelope, const uint8_t tag_key[static 16]) {
  uint8_t tag[sc_ratchet_tag_bytes];
  sc_ratchet_tag(tag, tag_key, sc_ratchet_ephemeral(envelope));
  for (size_t i = 0; i < envelope->slot_count; i++)
    if (memcmp(tag, sc_ratchet_slot(envelope, i), sizeof tag) == 0)
      return true;
  return false;
}
