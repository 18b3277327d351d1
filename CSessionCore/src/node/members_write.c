/* Keys come in ascending order, which bt demands and JSON does not mind. */
#include <stdio.h>

#include "../network/storage/reply.h"
#include "session-core/base/encoding.h"

void sc_storage_expiries_put(sc_rpc_writer *w, const sc_storage_changes *expiries) {
  sc_rpc_begin_dict(w);
  for (size_t i = 0; i < expiries->count; i++) {
    sc_rpc_put_key_bytes(w, expiries->list[i].hash);
    sc_rpc_put_u64(w, expiries->list[i].expiry);
  }
  sc_rpc_end_dict(w);
}

static void put_flag(sc_rpc_writer *w, const char *key, bool flag) {
  if (!flag)
    return;
  sc_rpc_put_key(w, key);
  sc_rpc_put_bool(w, true);
}

/* The code is a text, as it has always been. */
static void put_failure(sc_rpc_writer *w, const sc_storage_member *member) {
  char code[] = {(char)('0' + member->code / 100 % 10), (char)('0' + member->code / 10 % 10),
                 (char)('0' + member->code % 10), '\0'};
  put_flag(w, "bad_peer_response", member->bad_peer_response);
  if (member->code != 0) {
    sc_rpc_put_key(w, "code");
    sc_rpc_put_text(w, sc_bytes_text(code));
  }
  put_flag(w, "failed", true);
  put_flag(w, "query_failure", member->query_failure);
  if (member->reason.len > 0) {
    sc_rpc_put_key(w, "reason");
    sc_rpc_put_text(w, member->reason);
  }
  put_flag(w, "timeout", member->timed_out);
}

static void put_hash_list(sc_rpc_writer *w, const sc_storage_change *list, size_t count) {
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < count; i++)
    sc_rpc_put_text(w, list[i].hash);
  sc_rpc_end_list(w);
}

static void put_namespaces(sc_rpc_writer *w, const sc_storage_changes *changes) {
  sc_rpc_begin_dict(w);
  for (size_t i = 0, end; i < changes->count; i = end) {
    char number[8];
    snprintf(number, sizeof number, "%d", changes->list[i].number);
    for (end = i + 1; end < changes->count && changes->list[end].number == changes->list[i].number;)
      end++;
    sc_rpc_put_key(w, number);
    put_hash_list(w, changes->list + i, end - i);
  }
  sc_rpc_end_dict(w);
}

static void put_sweep(sc_rpc_writer *w, const char *key, bool all, const sc_storage_changes *changes) {
  sc_rpc_put_key(w, key);
  if (all)
    put_namespaces(w, changes);
  else
    put_hash_list(w, changes->list, changes->count);
}

static void put_signature(sc_rpc_writer *w, const sc_storage_member *member) {
  sc_rpc_put_key(w, "signature");
  sc_rpc_put_binary(w, SC_BYTES(member->signature));
}

static void put_expire(sc_rpc_writer *w, const sc_storage_expire *expire, const sc_storage_member *member) {
  const sc_storage_changes *changed = &member->changed;
  sc_rpc_put_key(w, "expiry");
  if (expire->expiry_count == 1) {
    sc_rpc_put_u64(w, member->expiry);
  } else {
    sc_rpc_begin_list(w);
    for (size_t i = 0; i < changed->count; i++)
      sc_rpc_put_u64(w, changed->list[i].expiry);
    sc_rpc_end_list(w);
  }
  put_signature(w, member);
  if (expire->mode != SC_STORAGE_EXPIRE_SET || member->unchanged.count > 0) {
    sc_rpc_put_key(w, "unchanged");
    sc_storage_expiries_put(w, &member->unchanged);
  }
  sc_rpc_put_key(w, "updated");
  put_hash_list(w, changed->list, changed->count);
}

static void put_store(sc_rpc_writer *w, const sc_storage_member *member) {
  put_flag(w, "already", member->already);
  sc_rpc_put_key(w, "expiry");
  sc_rpc_put_u64(w, member->expiry);
  sc_rpc_put_key(w, "hash");
  sc_rpc_put_text(w, member->hash);
  put_signature(w, member);
}

static void put_deeds(sc_rpc_writer *w, const sc_storage_request *request, const sc_storage_member *member) {
  switch (request->method) {
  case SC_STORAGE_STORE:
    put_store(w, member);
    break;
  case SC_STORAGE_DELETE:
    put_sweep(w, "deleted", false, &member->changed);
    put_signature(w, member);
    break;
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
    put_sweep(w, "deleted", request->of.sweep.where.all, &member->changed);
    put_signature(w, member);
    break;
  case SC_STORAGE_EXPIRE_ALL:
    put_signature(w, member);
    put_sweep(w, "updated", request->of.sweep.where.all, &member->changed);
    break;
  case SC_STORAGE_EXPIRE:
    put_expire(w, &request->of.expire, member);
    break;
  case SC_STORAGE_UNREVOKE:
    sc_rpc_put_key(w, "count");
    sc_rpc_put_u64(w, member->count);
    put_signature(w, member);
    break;
  default:
    put_signature(w, member);
    break;
  }
}

void sc_storage_members_put(sc_rpc_writer *w, const sc_storage_request *request,
                            const sc_storage_members *members) {
  sc_rpc_put_key(w, "swarm");
  sc_rpc_begin_dict(w);
  for (size_t i = 0; i < members->count; i++) {
    const sc_storage_member *member = &members->list[i];
    char key[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
    sc_hex_encode(key, SC_BYTES(member->node));
    sc_rpc_put_key(w, key);
    sc_rpc_begin_dict(w);
    if (member->failed)
      put_failure(w, member);
    else
      put_deeds(w, request, member);
    sc_rpc_end_dict(w);
  }
  sc_rpc_end_dict(w);
}
