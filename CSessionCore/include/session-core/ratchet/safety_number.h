/* Safety numbers: what two people compare to be sure that no third one stands between them.
 *
 * A number covers both accounts and the devices of each that take part in the ratchet protocol, so a device
 * that only one side knows of makes the numbers differ. Both sides see the same 60 digits. A code carries the
 * same for a camera, or to be pasted. */
#ifndef SC_RATCHET_SAFETY_NUMBER_H
#define SC_RATCHET_SAFETY_NUMBER_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"

SC_API_BEGIN

#define SC_SAFETY_MAX_DEVICES 8
#define SC_SAFETY_FINGERPRINT_BYTES 32
/* 12 groups of 5, without anything between them. */
#define SC_SAFETY_DIGITS 60
#define SC_SAFETY_CODE_BYTES 132
/* The text form of a code: base64url without padding. */
#define SC_SAFETY_CODE_CHARS 176

/* What an account contributes: keep it for as long as the devices are the same, since it takes milliseconds
 * to compute. */
typedef struct sc_safety_side {
  uint8_t key[32]; /* of the account id */
  uint8_t fingerprint[SC_SAFETY_FINGERPRINT_BYTES];
} sc_safety_side;

/* Computes the side of an account with `count` devices of 32 bytes each, in any order; one that occurs twice
 * counts once. SC_ERR_ID_KIND for anything but a user's account, SC_ERR_TOO_LARGE for more than
 * SC_SAFETY_MAX_DEVICES. */
SC_API SC_NODISCARD sc_status sc_safety_side_make(sc_safety_side *out, const sc_id *account,
                                                  const uint8_t *devices, size_t count);

/* Writes the SC_SAFETY_DIGITS digits of two sides, in any order, and a NUL. */
SC_API void sc_safety_number(char out[SC_AT_LEAST(61)], const sc_safety_side *a, const sc_safety_side *b);

/* Compares what a person typed, spaces between the digits allowed, in constant time. SC_ERR_SAFETY_DIGITS for
 * anything else than SC_SAFETY_DIGITS digits, SC_ERR_SAFETY_NUMBER for other digits. */
SC_API SC_NODISCARD sc_status sc_safety_number_check(const char number[SC_AT_LEAST(61)], sc_bytes typed);

/* Writes the code that `own` shows to the person of `theirs`. */
SC_API void sc_safety_code(uint8_t out[SC_AT_LEAST(132)], const sc_safety_side *own,
                           const sc_safety_side *theirs);

typedef enum sc_safety_match {
  SC_SAFETY_EQUAL,
  SC_SAFETY_OTHER_DEVICES_THEIRS, /* the accounts are right, but their devices are others than here */
  SC_SAFETY_OTHER_DEVICES_OWN,    /* they know other devices of ours than we do */
  SC_SAFETY_OTHER_DEVICES_BOTH,
  SC_SAFETY_ACCOUNTS_EQUAL, /* an older code, which says nothing of devices: it proves too little */
  SC_SAFETY_OTHER_PERSON,
  SC_SAFETY_OWN_CODE, /* the one that we show */
} sc_safety_match;

/* Compares a scanned code, in constant time. `own` is our side, `theirs` the side of the person whose code it
 * should be. SC_ERR_SAFETY_CODE for other bytes, and for keys that are no points. */
SC_API SC_NODISCARD sc_status sc_safety_code_compare(sc_safety_match *out, sc_bytes code,
                                                     const sc_safety_side *own, const sc_safety_side *theirs);

/* The same for the text form. */
SC_API SC_NODISCARD sc_status sc_safety_code_compare_text(sc_safety_match *out, sc_bytes text,
                                                          const sc_safety_side *own,
                                                          const sc_safety_side *theirs);

SC_API_END

#endif
