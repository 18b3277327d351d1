/* Readers and writers of the parts of replies. Readers return SC_ERR_STORAGE_REPLY for invalid input. */
#ifndef SC_SRC_NETWORK_STORAGE_REPLY_H
#define SC_SRC_NETWORK_STORAGE_REPLY_H

#include "rpc.h"
#include "session-core/network/storage_reply.h"

SC_NODISCARD sc_status sc_storage_members_read(sc_storage_members *out, sc_storage_memory *memory,
                                               const sc_storage_request *request, sc_rpc_value dict);
void sc_storage_members_put(sc_rpc_writer *w, const sc_storage_request *request,
                            const sc_storage_members *members);

SC_NODISCARD sc_status sc_storage_messages_read(sc_storage_messages *out, sc_storage_memory *memory,
                                                const sc_storage_request *request, sc_rpc_value dict);
void sc_storage_messages_put(sc_rpc_writer *w, const sc_storage_messages *messages);

/* Reads {hash: milliseconds}, at most `most` entries. */
SC_NODISCARD sc_status sc_storage_expiries_read(sc_storage_changes *out, sc_storage_memory *memory,
                                                size_t most, sc_rpc_value dict);
void sc_storage_expiries_put(sc_rpc_writer *w, const sc_storage_changes *expiries);

SC_NODISCARD sc_status sc_storage_swarm_read(sc_storage_swarm *out, sc_storage_memory *memory,
                                             sc_rpc_value dict);
/* Writes the members `snodes` and `swarm`, and those of the clock between and after them. */
void sc_storage_swarm_put(sc_rpc_writer *w, const sc_storage_swarm *swarm, const sc_storage_clock *clock);

SC_NODISCARD sc_status sc_storage_service_nodes_read(sc_storage_service_nodes *out, sc_storage_memory *memory,
                                                     sc_rpc_value dict);
/* Writes the list; `fields` is that of the request. */
void sc_storage_service_nodes_put(sc_rpc_writer *w, const sc_storage_service_nodes *nodes, uint32_t fields,
                                  const sc_storage_clock *clock);
/* Reads the requested fields of a request to the daemon. */
SC_NODISCARD bool sc_storage_service_node_fields_read(uint32_t *out, sc_rpc_value dict);

/* Returns the records of the binary list, which may be base64. */
SC_NODISCARD sc_status sc_storage_active_records(sc_bytes *records, sc_storage_memory *memory, sc_bytes body);

/* Reads the list, binary or base64. */
SC_NODISCARD sc_status sc_storage_active_nodes_read(sc_storage_node_list *out, sc_storage_memory *memory,
                                                    sc_bytes body);
SC_NODISCARD sc_status sc_storage_active_nodes_write(sc_buffer *out, const sc_storage_node_list *nodes);

void sc_storage_clock_read(sc_storage_clock *out, sc_rpc_value dict);
void sc_storage_put_fork(sc_rpc_writer *w, const sc_storage_clock *clock);
void sc_storage_put_time(sc_rpc_writer *w, const sc_storage_clock *clock);

/* Reads `count` numbers below 2^16; more are ignored. */
SC_NODISCARD bool sc_storage_numbers_read(uint16_t *out, size_t count, sc_rpc_value list);

#endif
