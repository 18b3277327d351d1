/* Bodies: the content of a message of this protocol, for people and for the device itself.
 *
 * A body that was read borrows from its bytes. Before storing it, also check that the content has a sent
 * time, and that it equals the body's if that has one. */
#ifndef SC_RATCHET_BODY_H
#define SC_RATCHET_BODY_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "safety_number.h"

SC_API_BEGIN

#define SC_RATCHET_MAX_CONTENT_BYTES 76000
#define SC_RATCHET_MAX_RESEND 20
#define SC_RATCHET_HASH_BYTES 32
#define SC_RATCHET_MAX_VERIFICATIONS 50

/* What another device of the same account knows of the verification of a person. */
typedef struct sc_ratchet_verification {
  const uint8_t *id;          /* of the person, SC_ID_BYTES */
  const uint8_t *fingerprint; /* of their side when the numbers were compared, SC_SAFETY_FINGERPRINT_BYTES */
  bool is_verified;           /* false if the comparison was forgotten */
  uint64_t at_ms;             /* when the user said so */
} sc_ratchet_verification;

typedef struct sc_ratchet_body {
  sc_bytes content;       /* a Content, as in messages of other kinds; empty if there is none */
  sc_bytes pro_signature; /* 64 bytes, or empty */
  uint64_t sent_ms;       /* 0 if absent; required without content */
  bool has_control;       /* true if it has any of the fields below, or one of a later version */
  bool is_ping;           /* only makes the keys change; nothing to show */
  bool wants_resend;      /* the sender's older sessions are broken; it requests the messages below */
  size_t resend_count;
  const uint8_t *resend[SC_RATCHET_MAX_RESEND]; /* hashes of stored messages, SC_RATCHET_HASH_BYTES each */
  sc_bytes link;                                /* the bt value of a device's linking, or empty */
  size_t verification_count;
  sc_ratchet_verification verifications[SC_RATCHET_MAX_VERIFICATIONS];
} sc_ratchet_body;

/* Reads a body. SC_ERR_RATCHET_BODY if it is not bt, has neither content nor control, no time, a content over
 * SC_RATCHET_MAX_CONTENT_BYTES, or a field of another form. Hashes beyond SC_RATCHET_MAX_RESEND and
 * verifications beyond SC_RATCHET_MAX_VERIFICATIONS are ignored, unknown fields too. */
SC_API SC_NODISCARD sc_status sc_ratchet_body_read(sc_ratchet_body *out, sc_bytes bytes);

/* Writes a body. SC_ERR_RATCHET_BODY for one that sc_ratchet_body_read would refuse. */
SC_API SC_NODISCARD sc_status sc_ratchet_body_write(sc_buffer *out, const sc_ratchet_body *body);

SC_API_END

#endif
