/* Messages between storage nodes: transfers of stored messages and revocations, and their parts. All of it
 * is bt.
 *
 * Parsed values borrow the parsed bytes. A reader lives on the stack and returns one value after another;
 * discard earlier values if a later one fails. One thread at a time. */
#ifndef SC_NODE_TRANSFER_H
#define SC_NODE_TRANSFER_H

#include "../base/bt.h"
#include "../network/storage_answer.h"

SC_API_BEGIN

#define SC_STORAGE_MAX_PARTS 8 /* parts of one message between nodes */

/* A stored message. */
typedef struct sc_storage_kept {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  int16_t number; /* of its namespace */
  sc_bytes hash;
  uint64_t timestamp;
  uint64_t expiry;
  sc_bytes data;
} sc_storage_kept;

/* Replaces `out` with a transfer of these messages. SC_ERR_ARGUMENT for a hash of the wrong length. */
SC_API SC_NODISCARD sc_status sc_storage_transfer_write(sc_buffer *out, const sc_storage_kept *list,
                                                        size_t count);

typedef struct sc_storage_transfer_reader {
  sc_bt_reader bt;
} sc_storage_transfer_reader;

/* Starts reading a transfer. SC_ERR_VERSION for another version, and the bt statuses. */
SC_API SC_NODISCARD sc_status sc_storage_transfer_begin(sc_storage_transfer_reader *out, sc_bytes transfer);

/* Reads the next message that matches its hash; skips others. SC_ERR_NOT_FOUND at the end; the bt statuses.
 * Very old nodes omit the namespace: then it is the one that matches the hash. */
SC_API SC_NODISCARD sc_status sc_storage_transfer_next(sc_storage_kept *out,
                                                       sc_storage_transfer_reader *reader);

/* A right that the owner of an account revoked. */
typedef struct sc_storage_revocation {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  uint8_t token[SC_STORAGE_TOKEN_BYTES];
} sc_storage_revocation;

/* The same for revocations. SC_ERR_BT_RANGE for an account or token of the wrong length. */
SC_API SC_NODISCARD sc_status sc_storage_revocations_write(sc_buffer *out, const sc_storage_revocation *list,
                                                           size_t count);
SC_API SC_NODISCARD sc_status sc_storage_revocations_begin(sc_storage_transfer_reader *out,
                                                           sc_bytes revocations);
SC_API SC_NODISCARD sc_status sc_storage_revocations_next(sc_storage_revocation *out,
                                                          sc_storage_transfer_reader *reader);

/* Replaces `out` with parts in this order. SC_ERR_ARGUMENT for more than SC_STORAGE_MAX_PARTS. */
SC_API SC_NODISCARD sc_status sc_storage_parts_write(sc_buffer *out, const sc_bytes *parts, size_t count);

/* Splits such a list. The bt statuses; SC_ERR_TOO_LARGE for more parts. */
SC_API SC_NODISCARD sc_status sc_storage_parts_parse(sc_bytes parts[SC_AT_LEAST(SC_STORAGE_MAX_PARTS)],
                                                     size_t *count, sc_bytes bytes);

/* Replaces `out` with a reply from one node to another. SC_ERR_ARGUMENT for a code outside 100 to 599. */
SC_API SC_NODISCARD sc_status sc_storage_peer_answer_write(sc_buffer *out, const sc_storage_answer *answer);

/* Parses such a reply. SC_ERR_STORAGE_REPLY. */
SC_API SC_NODISCARD sc_status sc_storage_peer_answer_parse(sc_storage_answer *out, sc_bytes bytes);

SC_API_END

#endif
