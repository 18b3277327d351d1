/* The Pro data of a content: read, then judged. */
#ifndef SC_MESSAGE_PRO_DATA_H
#define SC_MESSAGE_PRO_DATA_H

#include "fields.h"

/* Reads the data with their proof, not yet judged: the status is SC_PRO_NO_PROOF. SC_ERR_PRO_PROOF. */
SC_NODISCARD sc_status sc_pro_data_read(sc_message_pro *out, const Sc__ProMessage *message);

/* Make the bytes that clients sign for a content that carries its own signature: its padded form without the
 * signature. There are two forms, because the received bytes may be in another order than the signer's: as
 * received, and in ascending order. Each replaces `out`. */
SC_NODISCARD sc_status sc_pro_signed_as_received(sc_buffer *out, const sc_env *env, sc_bytes content);
SC_NODISCARD sc_status sc_pro_signed_in_order(sc_buffer *out, const sc_env *env, const Sc__Content *fields);

#endif
