/* One interface to JSON and bt, so that each storage call is implemented once. It handles their differences:
 * text or raw bytes, booleans or 1 and 0. */
#ifndef SC_SRC_NETWORK_STORAGE_RPC_H
#define SC_SRC_NETWORK_STORAGE_RPC_H

#include "memory.h"
#include "session-core/base/bt.h"

/* A value inside a document, which it borrows. */
typedef struct sc_rpc_value {
  sc_storage_form form;
  const sc_json *json;
  sc_bytes bt; /* its checked encoding */
} sc_rpc_value;

/* Reads a document: bt if it begins with d, otherwise JSON; no bytes are an empty object.
 * SC_ERR_STORAGE_SYNTAX, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_rpc_open(sc_rpc_value *out, sc_storage_memory *memory, sc_bytes body);

bool sc_rpc_is_dict(sc_rpc_value value);
bool sc_rpc_is_text(sc_rpc_value value);

/* True if `dict` is a dict with this member. JSON's null counts as missing. */
bool sc_rpc_member(sc_rpc_value *out, sc_rpc_value dict, const char *key);

/* False for a value of another type or out of range. A text in bt may be any bytes. */
SC_NODISCARD bool sc_rpc_u64(uint64_t *out, sc_rpc_value value);
SC_NODISCARD bool sc_rpc_i64(int64_t *out, sc_rpc_value value);
SC_NODISCARD bool sc_rpc_bool(bool *out, sc_rpc_value value);
/* A flag of a reply, which is also 0 or 1: nodes copy bt replies of others into JSON. */
SC_NODISCARD bool sc_rpc_flag(bool *out, sc_rpc_value value);
SC_NODISCARD bool sc_rpc_text(sc_bytes *out, sc_rpc_value value);

/* Read a member. True, with `*out` unchanged, if there is none. */
SC_NODISCARD bool sc_rpc_member_u64(uint64_t *out, sc_rpc_value dict, const char *key);
SC_NODISCARD bool sc_rpc_member_i64(int64_t *out, sc_rpc_value dict, const char *key);
SC_NODISCARD bool sc_rpc_member_bool(bool *out, sc_rpc_value dict, const char *key);
SC_NODISCARD bool sc_rpc_member_flag(bool *out, sc_rpc_value dict, const char *key);
SC_NODISCARD bool sc_rpc_member_text(sc_bytes *out, sc_rpc_value dict, const char *key);

/* Exactly `len` bytes: base64 in JSON, raw in bt. */
SC_NODISCARD bool sc_rpc_fixed(uint8_t *out, size_t len, sc_rpc_value value);

/* Exactly `len` bytes of a key: hexadecimal, in bt also raw. */
SC_NODISCARD bool sc_rpc_key(uint8_t *out, size_t len, sc_rpc_value value);

/* Any number of bytes, as sc_rpc_fixed. `wrong` is the status for other values. */
SC_NODISCARD sc_status sc_rpc_binary(sc_bytes *out, sc_storage_memory *memory, sc_rpc_value value,
                                     sc_status wrong);

typedef struct sc_rpc_list {
  sc_rpc_value list;
  size_t count;
  size_t read;
  sc_bt_reader reader;
} sc_rpc_list;

/* False if the value is not a list. */
SC_NODISCARD bool sc_rpc_list_open(sc_rpc_list *out, sc_rpc_value value);

/* The same, but a text counts as the list of itself. */
SC_NODISCARD bool sc_rpc_list_open_texts(sc_rpc_list *out, sc_rpc_value value);

/* Returns the next element; false after the last. */
bool sc_rpc_list_next(sc_rpc_value *out, sc_rpc_list *list);

/* Counts the members of a dict; 0 for anything else. */
size_t sc_rpc_dict_count(sc_rpc_value dict);

/* Calls `visit` for each member of a dict until it returns anything but SC_OK, which is then returned. */
typedef sc_status (*sc_rpc_visitor)(void *user, sc_bytes key, sc_rpc_value value);
SC_NODISCARD sc_status sc_rpc_each(sc_rpc_value dict, sc_rpc_visitor visit, void *user);

/* Writes one value. Calls return nothing: the first failure is kept, and sc_rpc_writer_finish reports it.
 * Keys come in ascending order. */
typedef struct sc_rpc_writer {
  sc_storage_form form;
  sc_buffer *out;
  size_t start;
  sc_status status;
  sc_bt_writer bt;
} sc_rpc_writer;

void sc_rpc_writer_init(sc_rpc_writer *writer, sc_buffer *out, sc_storage_form form);
void sc_rpc_begin_dict(sc_rpc_writer *writer);
void sc_rpc_end_dict(sc_rpc_writer *writer);
void sc_rpc_begin_list(sc_rpc_writer *writer);
void sc_rpc_end_list(sc_rpc_writer *writer);
void sc_rpc_put_key(sc_rpc_writer *writer, const char *key);
void sc_rpc_put_key_bytes(sc_rpc_writer *writer, sc_bytes key);
void sc_rpc_put_u64(sc_rpc_writer *writer, uint64_t value);
void sc_rpc_put_i64(sc_rpc_writer *writer, int64_t value);
void sc_rpc_put_bool(sc_rpc_writer *writer, bool value);
void sc_rpc_put_text(sc_rpc_writer *writer, sc_bytes text);
/* base64 in JSON, raw in bt. */
void sc_rpc_put_binary(sc_rpc_writer *writer, sc_bytes bytes);
/* Hexadecimal in both. */
void sc_rpc_put_hex(sc_rpc_writer *writer, sc_bytes bytes);
/* A key: hexadecimal in JSON, raw in bt. */
void sc_rpc_put_raw_key(sc_rpc_writer *writer, sc_bytes bytes);
/* Writes a JSON document: embedded in JSON, a text in bt. */
void sc_rpc_put_json(sc_rpc_writer *writer, sc_bytes json);
/* After a failure the appended bytes are removed. */
SC_NODISCARD sc_status sc_rpc_writer_finish(sc_rpc_writer *writer);

/* Records a failure of the caller. */
void sc_rpc_fail(sc_rpc_writer *writer, sc_status status);

#endif
