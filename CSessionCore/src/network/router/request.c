#include "request.h"

void sc_deliveries_init(sc_deliveries *list) {
  *list = (sc_deliveries){.last = &list->first};
}

void sc_deliveries_append(sc_deliveries *list, sc_delivery *delivery) {
  delivery->next = NULL;
  delivery->link = list->last;
  *list->last = delivery;
  list->last = &delivery->next;
  list->count++;
}

void sc_deliveries_push_front(sc_deliveries *list, sc_delivery *delivery) {
  delivery->next = list->first;
  delivery->link = &list->first;
  if (list->first != NULL)
    list->first->link = &delivery->next;
  else
    list->last = &delivery->next;
  list->first = delivery;
  list->count++;
}

void sc_deliveries_remove(sc_deliveries *list, sc_delivery *delivery) {
  *delivery->link = delivery->next;
  if (delivery->next != NULL)
    delivery->next->link = delivery->link;
  else
    list->last = delivery->link;
  delivery->next = NULL;
  delivery->link = NULL;
  list->count--;
}

void sc_delivery_add(sc_delivery *delivery, sc_request *request) {
  request->delivery = delivery;
  request->next = NULL;
  *delivery->last = request;
  delivery->last = &request->next;
  delivery->count++;
  delivery->text_bytes += request->text.len;
  delivery->reply_bytes += request->reply_bytes;
}

void sc_delivery_take(sc_delivery *delivery, sc_request *request) {
  sc_request **at = &delivery->first;
  while (*at != request)
    at = &(*at)->next;
  *at = request->next;
  if (request->next == NULL)
    delivery->last = at;
  request->next = NULL;
  request->delivery = NULL;
  delivery->count--;
  delivery->text_bytes -= request->text.len;
  delivery->reply_bytes -= request->reply_bytes;
}

static bool has(const uint8_t (*keys)[SC_KEY_BYTES], size_t count, const uint8_t *key) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(keys[i], key, SC_KEY_BYTES) == 0)
      return true;
  return false;
}

bool sc_delivery_has_called(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]) {
  return has(delivery->tried, delivery->tried_count, key);
}

bool sc_delivery_has_tried(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]) {
  const sc_called_nodes *apart = delivery->apart;
  return sc_delivery_has_called(delivery, key) || (apart != NULL && has(apart->keys, apart->count, key));
}

void sc_delivery_note_tried(sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]) {
  sc_called_nodes *apart = delivery->apart;
  if (sc_delivery_has_tried(delivery, key))
    return;
  if (delivery->tried_count < SC_NETWORK_MAX_ATTEMPTS)
    memcpy(delivery->tried[delivery->tried_count++], key, SC_KEY_BYTES);
  if (apart != NULL && apart->count < sc_called_nodes_most)
    memcpy(apart->keys[apart->count++], key, SC_KEY_BYTES);
}

sc_swarm_key sc_delivery_swarm_key(const sc_delivery *delivery) {
  return sc_swarm_key_make(delivery->path_key.local_account, delivery->account);
}
