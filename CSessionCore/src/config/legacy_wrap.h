/* The wrapping of a user's configs: an encrypted config, written to oneself as if it were a message.
 *
 * Old clients read nothing else; all read both forms. Configs of groups are never wrapped. */
#ifndef SC_SRC_CONFIG_LEGACY_WRAP_H
#define SC_SRC_CONFIG_LEGACY_WRAP_H

#include "session-core/base/api.h"
#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"
#include "session-core/message/encode.h"
#include "session-core/message/kinds.h"

/* Replaces `out` with the wrapping of `encrypted`; the same input always gives the same bytes.
 * SC_ERR_ARGUMENT for an unknown kind, SC_ERR_TOO_LARGE when it is then longer than SC_STORED_MAX_BYTES. */
SC_NODISCARD sc_status sc_config_wrap(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                      int64_t seqno, sc_bytes encrypted);

/* Takes one wrapping off. In this order: SC_ERR_TOO_LARGE, SC_ERR_WRAPPING, SC_ERR_WRAPPING_EMPTY,
 * SC_ERR_ENVELOPE, SC_ERR_ENVELOPE_EMPTY, what sc_seal_open says, SC_ERR_CONFIG_AUTHOR unless it was made by
 * `account`, SC_ERR_FORMAT for wrong padding, what sc_content_parse says, SC_ERR_FORMAT when there is no
 * config inside, SC_ERR_CONFIG_KIND when there is one of another kind. */
SC_NODISCARD sc_status sc_config_unwrap(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                        sc_bytes wrapped);

/* Replaces `out` with what is inside of all wrappings: what sc_config_unwrap cannot take off is no wrapping,
 * and some old clients put two on. Fails for want of memory alone. */
SC_NODISCARD sc_status sc_config_strip(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                       sc_bytes stored);

#endif
