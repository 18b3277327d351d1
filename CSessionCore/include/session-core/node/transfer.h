/* What storage nodes say to each other: messages and revocations that one hands to another, and the parts
 * that all else consists of. All of it is bt.
 *
 * What is read borrows the bytes it was read from. A reader lives on the stack and gives one thing after the
 * other; what it gave before a failure is worth no more than the failure. One thread at a time. */
#ifndef SC_NODE_TRANSFER_H
#define SC_NODE_TRANSFER_H

#include "../base/bt.h"
#include "../network/storage_answer.h"

SC_API_BEGIN

#define SC_STORAGE_MAX_PARTS 8 /* of what one node says to another */

/* A message as a node keeps it. */
typedef struct sc_storage_kept {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  int16_t number; /* of its namespace */
  sc_bytes hash;
  uint64_t timestamp;
  uint64_t expiry;
  sc_bytes data;
} sc_storage_kept;

/* Replaces `out` with a transfer of these. SC_ERR_ARGUMENT for a hash of another length than they have. */
SC_API SC_NODISCARD sc_status sc_storage_transfer_write(sc_buffer *out, const sc_storage_kept *list,
                                                        size_t count);

typedef struct sc_storage_transfer_reader {
  sc_bt_reader bt;
} sc_storage_transfer_reader;

/* Begins reading a transfer. SC_ERR_VERSION for one of another version, and the failures of reading bt. */
SC_API SC_NODISCARD sc_status sc_storage_transfer_begin(sc_storage_transfer_reader *out, sc_bytes transfer);

/* The next message that has its hash, or SC_ERR_NOT_FOUND once the transfer has ended as it should; others
 * are passed over. Nodes of long ago do not say the namespace: then it is the one that the hash fits, of
 * those that they knew. The failures of reading bt. */
SC_API SC_NODISCARD sc_status sc_storage_transfer_next(sc_storage_kept *out,
                                                       sc_storage_transfer_reader *reader);

/* A right that the owner of an account took back. */
typedef struct sc_storage_revocation {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  uint8_t token[SC_STORAGE_TOKEN_BYTES];
} sc_storage_revocation;

/* The same for those. SC_ERR_BT_RANGE for an account or a token of another length. */
SC_API SC_NODISCARD sc_status sc_storage_revocations_write(sc_buffer *out, const sc_storage_revocation *list,
                                                           size_t count);
SC_API SC_NODISCARD sc_status sc_storage_revocations_begin(sc_storage_transfer_reader *out,
                                                           sc_bytes revocations);
SC_API SC_NODISCARD sc_status sc_storage_revocations_next(sc_storage_revocation *out,
                                                          sc_storage_transfer_reader *reader);

/* Replaces `out` with parts in this order. SC_ERR_ARGUMENT for more than SC_STORAGE_MAX_PARTS. */
SC_API SC_NODISCARD sc_status sc_storage_parts_write(sc_buffer *out, const sc_bytes *parts, size_t count);

/* Takes such a list apart. The failures of reading bt; SC_ERR_TOO_LARGE for more parts. */
SC_API SC_NODISCARD sc_status sc_storage_parts_parse(sc_bytes parts[SC_AT_LEAST(SC_STORAGE_MAX_PARTS)],
                                                     size_t *count, sc_bytes bytes);

/* Replaces `out` with what one node answers another. SC_ERR_ARGUMENT for a code outside of 100 to 599. */
SC_API SC_NODISCARD sc_status sc_storage_peer_answer_write(sc_buffer *out, const sc_storage_answer *answer);

/* SC_ERR_STORAGE_REPLY for what is no answer. */
SC_API SC_NODISCARD sc_status sc_storage_peer_answer_parse(sc_storage_answer *out, sc_bytes bytes);

SC_API_END

#endif
