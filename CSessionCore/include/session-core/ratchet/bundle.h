/* Bundles: published by a device so that others can start sessions with it, and signed by the device and its
 * account.
 *
 * An opened bundle borrows from its message. The program decides which devices of an account get messages: it
 * stores the highest sequence of each device and compares rosters. */
#ifndef SC_RATCHET_BUNDLE_H
#define SC_RATCHET_BUNDLE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "device.h"

SC_API_BEGIN

#define SC_RATCHET_MAX_ROSTER 8
#define SC_RATCHET_MAX_REMOVED 16
/* Capabilities: the device receives these messages; the user confirmed that all devices of the account do. */
#define SC_RATCHET_RECEIVES ((uint64_t)1)
#define SC_RATCHET_CLOSED_ROSTER ((uint64_t)2)

typedef struct sc_ratchet_bundle {
  bool is_withdrawal;  /* the device no longer wants messages; the fields from `generation` on are empty */
  uint64_t sequence;   /* increases with each bundle of the device */
  uint64_t signed_s;   /* unix seconds */
  sc_bytes account;    /* Ed25519 key; sc_ratchet_bundle_write fills it in */
  sc_bytes device;     /* likewise */
  uint32_t generation; /* of the prekeys */
  uint64_t capabilities;
  sc_bytes signed_prekey;
  sc_bytes kem_key;
  sc_bytes one_time; /* 32-byte keys, concatenated */
  sc_bytes roster;   /* ids of devices that this one endorses, sorted, itself included */
  sc_bytes removed;  /* ids of devices that it declares removed; its own id is ignored */
} sc_ratchet_bundle;

/* Reads and verifies a bundle of a device of `account` at `now_s`. SC_ERR_RATCHET_BUNDLE if its form, a key
 * or a signature is wrong or it belongs to another account, SC_ERR_RATCHET_BUNDLE_TIME if it is older than 31
 * days or from more than an hour ahead. */
SC_API SC_NODISCARD sc_status sc_ratchet_bundle_open(sc_ratchet_bundle *out, const sc_env *env,
                                                     sc_bytes message, const sc_id *account, uint64_t now_s);

/* Writes and signs a bundle of a device. SC_ERR_ARGUMENT for a bundle that sc_ratchet_bundle_open would
 * refuse. */
SC_API SC_NODISCARD sc_status sc_ratchet_bundle_write(sc_buffer *out, const sc_ratchet_bundle *bundle,
                                                      const sc_ratchet_device *device,
                                                      const sc_account *account);

/* True if the id of a device is in the list, a roster or the removed devices. */
SC_API bool sc_ratchet_lists_device(sc_bytes devices, const uint8_t device[SC_AT_LEAST(32)]);

/* Draws the place of a one-time prekey of the bundle; SC_RATCHET_NO_ONE_TIME if it has none. */
SC_API uint16_t sc_ratchet_bundle_pick(const sc_ratchet_bundle *bundle, const sc_env *env);

SC_API_END

#endif
