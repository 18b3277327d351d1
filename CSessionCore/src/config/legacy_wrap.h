/* The wrapping of an account's configs: an encrypted config inside a message to oneself. Old clients read
 * nothing else; all read both forms. Configs of groups are never wrapped. */
#ifndef SC_SRC_CONFIG_LEGACY_WRAP_H
#define SC_SRC_CONFIG_LEGACY_WRAP_H

#include "session-core/base/api.h"
#include "session-core/base/bytes.h"
#include "session-core/crypto/keys.h"
#include "session-core/message/encode.h"
#include "session-core/message/kinds.h"

/* Replaces `out` with the wrapping of `encrypted`; the same input always gives the same bytes.
 * SC_ERR_ARGUMENT for an unknown kind, SC_ERR_TOO_LARGE if the result is longer than SC_STORED_MAX_BYTES. */
SC_NODISCARD sc_status sc_config_wrap(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                      int64_t seqno, sc_bytes encrypted);

/* Removes one wrapping. In this order: SC_ERR_TOO_LARGE, SC_ERR_WRAPPING, SC_ERR_WRAPPING_EMPTY,
 * SC_ERR_ENVELOPE, SC_ERR_ENVELOPE_EMPTY, the statuses of sc_seal_open, SC_ERR_CONFIG_AUTHOR unless
 * `account` made it, SC_ERR_FORMAT for wrong padding, the statuses of sc_content_parse, SC_ERR_FORMAT
 * without a config inside, SC_ERR_CONFIG_KIND for another kind of config. */
SC_NODISCARD sc_status sc_config_unwrap(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                        sc_bytes wrapped);

/* Replaces `out` with the content of all wrappings; some old clients add two. Data that sc_config_unwrap
 * refuses counts as not wrapped. Fails only without memory. */
SC_NODISCARD sc_status sc_config_strip(sc_buffer *out, const sc_keypair *account, sc_legacy_config_kind kind,
                                       sc_bytes stored);

#endif
