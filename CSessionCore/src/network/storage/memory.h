/* The memory of parsed requests and replies: an arena, and JSON documents. */
#ifndef SC_SRC_NETWORK_STORAGE_MEMORY_H
#define SC_SRC_NETWORK_STORAGE_MEMORY_H

#include "../../base/arena.h"
#include "session-core/base/json.h"
#include "session-core/network/storage_request.h"

SC_NODISCARD sc_status sc_storage_memory_new(sc_storage_memory **out, const sc_env *env);

/* NULL is allowed. */
void sc_storage_memory_free(sc_storage_memory *memory);

/* Reads JSON that lives as long as the memory. SC_ERR_STORAGE_SYNTAX, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_storage_memory_json(const sc_json **out, sc_storage_memory *memory, sc_bytes text);

/* Returns zeroed memory for `count` objects of `size` bytes; NULL if there is none. */
void *sc_storage_take(sc_storage_memory *memory, size_t count, size_t size);

#endif
