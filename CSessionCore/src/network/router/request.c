#include "request.h"

void sc_parcels_init(sc_parcels *list) {
  *list = (sc_parcels){.last = &list->first};
}

void sc_parcels_append(sc_parcels *list, sc_parcel *parcel) {
  parcel->next = NULL;
  parcel->link = list->last;
  *list->last = parcel;
  list->last = &parcel->next;
  list->count++;
}

void sc_parcels_push_front(sc_parcels *list, sc_parcel *parcel) {
  parcel->next = list->first;
  parcel->link = &list->first;
  if (list->first != NULL)
    list->first->link = &parcel->next;
  else
    list->last = &parcel->next;
  list->first = parcel;
  list->count++;
}

void sc_parcels_remove(sc_parcels *list, sc_parcel *parcel) {
  *parcel->link = parcel->next;
  if (parcel->next != NULL)
    parcel->next->link = parcel->link;
  else
    list->last = parcel->link;
  parcel->next = NULL;
  parcel->link = NULL;
  list->count--;
}

void sc_parcel_add(sc_parcel *parcel, sc_request *request) {
  request->parcel = parcel;
  request->next = NULL;
  *parcel->last = request;
  parcel->last = &request->next;
  parcel->count++;
  parcel->text_bytes += request->text.len;
  parcel->reply_bytes += request->reply_bytes;
}

void sc_parcel_take(sc_parcel *parcel, sc_request *request) {
  sc_request **at = &parcel->first;
  while (*at != request)
    at = &(*at)->next;
  *at = request->next;
  if (request->next == NULL)
    parcel->last = at;
  request->next = NULL;
  request->parcel = NULL;
  parcel->count--;
  parcel->text_bytes -= request->text.len;
  parcel->reply_bytes -= request->reply_bytes;
}

static bool has(const uint8_t (*keys)[SC_KEY_BYTES], size_t count, const uint8_t *key) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(keys[i], key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

bool sc_parcel_has_asked(const sc_parcel *parcel, const uint8_t key[static SC_KEY_BYTES]) {
  return has(parcel->tried, parcel->tried_count, key);
}

bool sc_parcel_has_tried(const sc_parcel *parcel, const uint8_t key[static SC_KEY_BYTES]) {
  const sc_asked_nodes *apart = parcel->apart;
  return sc_parcel_has_asked(parcel, key) || (apart != NULL && has(apart->keys, apart->count, key));
}

void sc_parcel_note_tried(sc_parcel *parcel, const uint8_t key[static SC_KEY_BYTES]) {
  sc_asked_nodes *apart = parcel->apart;
  if (sc_parcel_has_tried(parcel, key))
    return;
  if (parcel->tried_count < SC_NETWORK_MAX_ATTEMPTS)
    memcpy(parcel->tried[parcel->tried_count++], key, SC_KEY_BYTES);
  if (apart != NULL && apart->count < sc_asked_nodes_most)
    memcpy(apart->keys[apart->count++], key, SC_KEY_BYTES);
}
