/* The results of the members of a swarm. */
#include "../../base/utf8.h"
#include "../status_code.h"
#include "method.h"
#include "reply.h"
#include "session-core/base/encoding.h"

typedef struct reader {
  sc_storage_memory *memory;
  const sc_storage_request *request;
  sc_storage_member *next;
} reader;

static sc_status wrong_unless(bool right) {
  return right ? SC_OK : SC_ERR_STORAGE_REPLY;
}

/* Three digits, which old nodes write as a text; 0 for anything else. */
static int read_code(sc_rpc_value dict) {
  uint64_t code = 0;
  sc_rpc_value value;
  sc_bytes text;
  if (!sc_rpc_member(&value, dict, "code"))
    return 0;
  if (sc_rpc_text(&text, value)) {
    for (size_t i = 0; i < text.len; i++) {
      if (text.ptr[i] < '0' || text.ptr[i] > '9' || code > SC_HIGHEST_STATUS_CODE)
        return 0;
      code = code * 10 + (uint64_t)(text.ptr[i] - '0');
    }
  } else if (!sc_rpc_u64(&code, value)) {
    return 0;
  }
  return sc_is_status_code(code) ? (int)code : 0;
}

/* A reason is repeated in JSON, even if it came in bt. */
static sc_bytes read_reason(sc_rpc_value dict) {
  sc_bytes text = {0};
  return sc_rpc_member_text(&text, dict, "reason") && sc_utf8_is_valid(text) ? text : (sc_bytes){0};
}

static bool read_hint(sc_rpc_value dict, const char *key) {
  bool flag = false;
  return sc_rpc_member_flag(&flag, dict, key) && flag;
}

/* The details of a failure are hints: unreadable ones are left out. */
static void read_failure(sc_storage_member *member, sc_rpc_value dict) {
  member->code = read_code(dict);
  member->reason = read_reason(dict);
  member->timed_out = read_hint(dict, "timeout");
  member->bad_peer_response = read_hint(dict, "bad_peer_response");
  member->query_failure = read_hint(dict, "query_failure");
}

/* Only whole hashes: signatures cover them one after the other, so that parts of one, or a hash with a number
 * behind it, could be made to look like others. */
static bool read_hash(sc_bytes *out, sc_rpc_value value) {
  return sc_rpc_text(out, value) && sc_storage_is_hash(*out);
}

/* True if no element is too short for a hash. Without this the smallest elements of bt, of two bytes each,
 * would take twenty times their size in memory. */
static bool all_are_long(sc_rpc_list list) {
  sc_rpc_value element;
  sc_bytes text;
  while (sc_rpc_list_next(&element, &list))
    if (!sc_rpc_text(&text, element) || text.len != SC_STORAGE_HASH_CHARS)
      return false;
  return true;
}

/* A list of at most `most` hashes. */
static sc_status read_hash_list(sc_storage_changes *out, reader *r, size_t most, sc_rpc_value value) {
  sc_rpc_list list;
  sc_rpc_value element;
  if (!sc_rpc_list_open(&list, value) || list.count > most || !all_are_long(list))
    return SC_ERR_STORAGE_REPLY;
  sc_storage_change *changes = sc_storage_take(r->memory, list.count, sizeof *changes);
  if (changes == NULL)
    return SC_ERR_NO_MEMORY;
  *out = (sc_storage_changes){changes, list.count};
  for (; sc_rpc_list_next(&element, &list); changes++)
    if (!read_hash(&changes->hash, element))
      return SC_ERR_STORAGE_REPLY;
  return SC_OK;
}

typedef struct by_namespace {
  sc_storage_change *next;
  size_t room;
  size_t count;
} by_namespace;

/* In the one way that a number is written. */
static bool read_decimal(int16_t *out, sc_bytes text) {
  bool negative = text.len > 0 && text.ptr[0] == '-';
  int number = 0;
  size_t digits = text.len - negative;
  bool spare_zero = digits > 0 && text.ptr[negative] == '0' && text.len > 1;
  if (digits == 0 || digits > 5 || spare_zero)
    return false;
  for (size_t i = negative; i < text.len; i++) {
    if (text.ptr[i] < '0' || text.ptr[i] > '9')
      return false;
    number = number * 10 + (text.ptr[i] - '0');
  }
  number = negative ? -number : number;
  *out = (int16_t)number;
  return number >= INT16_MIN && number <= INT16_MAX;
}

static sc_status count_namespace(void *user, sc_bytes key, sc_rpc_value value) {
  by_namespace *all = user;
  sc_rpc_list list;
  (void)key;
  if (!sc_rpc_list_open(&list, value) || !all_are_long(list))
    return SC_ERR_STORAGE_REPLY;
  all->room += list.count;
  return wrong_unless(all->room <= SC_STORAGE_MAX_MESSAGES);
}

static sc_status read_namespace(void *user, sc_bytes key, sc_rpc_value value) {
  by_namespace *all = user;
  sc_rpc_list list;
  sc_rpc_value element;
  int16_t number;
  if (!read_decimal(&number, key) || !sc_rpc_list_open(&list, value))
    return SC_ERR_STORAGE_REPLY;
  while (sc_rpc_list_next(&element, &list)) {
    sc_storage_change *change = &all->next[all->count++];
    change->number = number;
    if (!read_hash(&change->hash, element))
      return SC_ERR_STORAGE_REPLY;
  }
  return SC_OK;
}

/* {namespace: [hash …]} */
static sc_status read_namespaces(sc_storage_changes *out, reader *r, sc_rpc_value dict) {
  by_namespace all = {0};
  if (!sc_rpc_is_dict(dict))
    return SC_ERR_STORAGE_REPLY;
  sc_status status = sc_rpc_each(dict, count_namespace, &all);
  if (status != SC_OK)
    return status;
  all.next = sc_storage_take(r->memory, all.room, sizeof *all.next);
  if (all.next == NULL)
    return SC_ERR_NO_MEMORY;
  *out = (sc_storage_changes){all.next, all.room};
  return sc_rpc_each(dict, read_namespace, &all);
}

static sc_status read_sweep(sc_storage_member *member, reader *r, sc_rpc_value dict) {
  bool all = r->request->of.sweep.where.all;
  sc_rpc_value value;
  if (!sc_rpc_member(&value, dict, r->request->method == SC_STORAGE_EXPIRE_ALL ? "updated" : "deleted"))
    return SC_ERR_STORAGE_REPLY;
  return all ? read_namespaces(&member->changed, r, value)
             : read_hash_list(&member->changed, r, SC_STORAGE_MAX_MESSAGES, value);
}

/* Reads new expiry times, one for all or one for each, as in the request. */
static sc_status read_new_expiries(sc_storage_member *member, const sc_storage_expire *expire,
                                   sc_rpc_value dict) {
  sc_storage_change *changes = (sc_storage_change *)(uintptr_t)member->changed.list;
  sc_rpc_value value, element;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, "expiry"))
    return SC_ERR_STORAGE_REPLY;
  if (expire->expiry_count == 1) {
    if (!sc_rpc_u64(&member->expiry, value))
      return SC_ERR_STORAGE_REPLY;
    for (size_t i = 0; i < member->changed.count; i++)
      changes[i].expiry = member->expiry;
    return SC_OK;
  }
  if (!sc_rpc_list_open(&list, value) || list.count != member->changed.count)
    return SC_ERR_STORAGE_REPLY;
  for (; sc_rpc_list_next(&element, &list); changes++)
    if (!sc_rpc_u64(&changes->expiry, element))
      return SC_ERR_STORAGE_REPLY;
  return SC_OK;
}

static sc_status read_expire(sc_storage_member *member, reader *r, sc_rpc_value dict) {
  const sc_storage_expire *expire = &r->request->of.expire;
  sc_rpc_value value;
  if (!sc_rpc_member(&value, dict, "updated"))
    return SC_ERR_STORAGE_REPLY;
  sc_status status = read_hash_list(&member->changed, r, expire->hashes.count, value);
  if (status == SC_OK)
    status = read_new_expiries(member, expire, dict);
  /* Also of a request without a mode, which is carried out with one when a subaccount may only extend. */
  if (status == SC_OK && sc_rpc_member(&value, dict, "unchanged"))
    status = sc_storage_expiries_read(&member->unchanged, r->memory, expire->hashes.count, value);
  return status;
}

static bool read_store(sc_storage_member *member, sc_rpc_value dict) {
  sc_rpc_value value;
  return sc_rpc_member(&value, dict, "hash") && read_hash(&member->hash, value) &&
         sc_rpc_member_u64(&member->expiry, dict, "expiry") &&
         sc_rpc_member_flag(&member->already, dict, "already");
}

static sc_status read_deeds(sc_storage_member *member, reader *r, sc_rpc_value dict) {
  sc_rpc_value value;
  switch (r->request->method) {
  case SC_STORAGE_STORE:
    return wrong_unless(read_store(member, dict));
  case SC_STORAGE_DELETE:
    if (!sc_rpc_member(&value, dict, "deleted"))
      return SC_ERR_STORAGE_REPLY;
    return read_hash_list(&member->changed, r, r->request->of.deletion.hashes.count, value);
  case SC_STORAGE_DELETE_ALL:
  case SC_STORAGE_DELETE_BEFORE:
  case SC_STORAGE_EXPIRE_ALL:
    return read_sweep(member, r, dict);
  case SC_STORAGE_EXPIRE:
    return read_expire(member, r, dict);
  case SC_STORAGE_UNREVOKE:
    return wrong_unless(sc_rpc_member_u64(&member->count, dict, "count"));
  default:
    return SC_OK;
  }
}

static sc_status read_element(sc_storage_member *member, reader *r, sc_rpc_value dict) {
  sc_rpc_value signature;
  if (!sc_rpc_is_dict(dict) || !sc_rpc_member_flag(&member->failed, dict, "failed"))
    return SC_ERR_STORAGE_REPLY;
  if (member->failed) {
    read_failure(member, dict);
    return SC_OK;
  }
  if (!sc_rpc_member(&signature, dict, "signature") ||
      !sc_rpc_fixed(member->signature, sizeof member->signature, signature))
    return SC_ERR_STORAGE_REPLY;
  return read_deeds(member, r, dict);
}

/* The replying node writes the keys, the members the values: an invalid key invalidates the reply, an
 * invalid value is the failure of one member. */
static sc_status read_member(void *user, sc_bytes key, sc_rpc_value dict) {
  reader *r = user;
  sc_storage_member *member = r->next++;
  if (sc_hex_decode(member->node, sizeof member->node, key) != SC_OK)
    return SC_ERR_STORAGE_REPLY;
  sc_status status = read_element(member, r, dict);
  if (status != SC_ERR_STORAGE_REPLY)
    return status;
  sc_storage_member failed = {.failed = true, .bad_peer_response = true};
  memcpy(failed.node, member->node, sizeof failed.node);
  *member = failed;
  return SC_OK;
}

/* Two spellings of one key. */
static bool has_repeated_node(const sc_storage_member *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (memcmp(list[i].node, list[j].node, sizeof list[i].node) == 0)
        return true;
  return false;
}

sc_status sc_storage_members_read(sc_storage_members *out, sc_storage_memory *memory,
                                  const sc_storage_request *request, sc_rpc_value dict) {
  sc_rpc_value swarm;
  if (!sc_rpc_member(&swarm, dict, "swarm") || !sc_rpc_is_dict(swarm))
    return SC_ERR_STORAGE_REPLY;
  size_t count = sc_rpc_dict_count(swarm);
  if (count == 0 || count > SC_STORAGE_MAX_SWARM)
    return SC_ERR_STORAGE_REPLY;
  sc_storage_member *list = sc_storage_take(memory, count, sizeof *list);
  if (list == NULL)
    return SC_ERR_NO_MEMORY;
  reader r = {memory, request, list};
  *out = (sc_storage_members){list, count};
  sc_status status = sc_rpc_each(swarm, read_member, &r);
  return status == SC_OK && has_repeated_node(list, count) ? SC_ERR_STORAGE_REPLY : status;
}

typedef struct expiry_reader {
  sc_storage_change *next;
} expiry_reader;

static sc_status read_expiry(void *user, sc_bytes key, sc_rpc_value value) {
  expiry_reader *r = user;
  r->next->hash = key;
  return wrong_unless(sc_storage_is_hash(key) && sc_rpc_u64(&r->next++->expiry, value));
}

sc_status sc_storage_expiries_read(sc_storage_changes *out, sc_storage_memory *memory, size_t most,
                                   sc_rpc_value dict) {
  size_t count = sc_rpc_dict_count(dict);
  if (!sc_rpc_is_dict(dict) || count > most)
    return SC_ERR_STORAGE_REPLY;
  sc_storage_change *list = sc_storage_take(memory, count, sizeof *list);
  if (list == NULL)
    return SC_ERR_NO_MEMORY;
  *out = (sc_storage_changes){list, count};
  expiry_reader r = {list};
  return sc_rpc_each(dict, read_expiry, &r);
}
