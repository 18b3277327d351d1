/* Read state of any data and with any archive. */
#ifndef SC_FUZZ_CONFIG_CONVO_INFO_H
#define SC_FUZZ_CONFIG_CONVO_INFO_H

#include "config/convo_info_volatile.h"
#include "config_types.h"

static const uint64_t fuzz_convo_now = 1700000000000;

static inline int fuzz_convo_compare(const sc_convo *a, const sc_convo *b) {
  int order = (int)a->kind - (int)b->kind;
  if (order == 0)
    order = memcmp(&a->id, &b->id, sizeof a->id);
  if (order == 0)
    order = strcmp(a->community.url, b->community.url);
  return order != 0 ? order : strcmp(a->community.room, b->community.room);
}

static inline sc_status fuzz_convo_get(sc_convo *out, const sc_convo_info *info, const sc_convo *convo) {
  return convo->kind == SC_CONVO_COMMUNITY
             ? sc_convo_info_get_community(out, info, sc_community_url(&convo->community),
                                           sc_community_room(&convo->community))
             : sc_convo_info_get(out, info, convo->kind, &convo->id);
}

static inline void fuzz_convo_same(const sc_convo *a, const sc_convo *b) {
  REQUIRE(fuzz_convo_compare(a, b) == 0 && a->last_read_ms == b->last_read_ms && a->unread == b->unread);
  REQUIRE(a->pro_expiry_s == b->pro_expiry_s && memcmp(a->pro_tag, b->pro_tag, sizeof a->pro_tag) == 0);
  REQUIRE(memcmp(a->community.key, b->community.key, sizeof a->community.key) == 0);
}

/* Iteration is in order, agrees with lookups, and returns no more entries than are counted. */
static inline void fuzz_convo_read(const sc_convo_info *info) {
  sc_convo convo, found, last;
  size_t seen = 0, all = 0;
  sc_status status = sc_convo_info_first(&convo, info);
  for (; status == SC_OK; status = sc_convo_info_next(&convo, info), seen++) {
    REQUIRE(seen == 0 || fuzz_convo_compare(&last, &convo) < 0);
    REQUIRE(fuzz_convo_get(&found, info, &convo) == SC_OK);
    fuzz_convo_same(&convo, &found);
    REQUIRE(convo.last_read_ms >= 0 && !convo.archived && !found.archived);
    last = convo;
  }
  REQUIRE(status == SC_ERR_NOT_FOUND);
  for (int kind = SC_CONVO_CONTACT; kind <= SC_CONVO_LEGACY_GROUP; kind++) {
    size_t count;
    REQUIRE(sc_convo_info_count(&count, info, (sc_convo_kind)kind) == SC_OK);
    all += count;
  }
  REQUIRE(seen <= all);
}

/* Setting a conversation to what it is keeps what is known of it, and setting it again changes nothing. What
 * is both archived and synced is what is synced. */
static inline void fuzz_convo_set(sc_convo_info *info, const sc_convo *convo) {
  sc_convo found;
  bool twice = fuzz_convo_get(&found, info, convo) == SC_OK && found.archived != convo->archived;
  sc_buffer saved;
  sc_config *config = sc_convo_info_config(info);
  sc_buffer_init(&saved, fuzz_env());
  REQUIRE(sc_convo_info_set(info, convo, fuzz_convo_now) == SC_OK);
  sc_status status = fuzz_convo_get(&found, info, convo);
  REQUIRE(status == SC_OK || (status == SC_ERR_NOT_FOUND && convo->last_read_ms == 0 && !convo->unread));
  if (status == SC_OK && !twice)
    fuzz_convo_same(convo, &found);
  fuzz_config_save(&saved, config);
  REQUIRE(sc_convo_info_set(info, convo, fuzz_convo_now) == SC_OK);
  fuzz_config_unchanged(config, &saved);
  sc_buffer_free(&saved);
}

static inline void fuzz_convo_erase(sc_convo_info *info, const sc_convo *convo) {
  sc_convo found;
  bool erased;
  bool there = fuzz_convo_get(&found, info, convo) == SC_OK;
  sc_status status = convo->kind == SC_CONVO_COMMUNITY
                         ? sc_convo_info_erase_community(&erased, info, sc_community_url(&convo->community),
                                                         sc_community_room(&convo->community))
                         : sc_convo_info_erase(&erased, info, convo->kind, &convo->id);
  REQUIRE(status == SC_OK && erased == there);
  REQUIRE(fuzz_convo_get(&found, info, convo) == SC_ERR_NOT_FOUND);
}

/* Sets each to what it is, and erases every other one. */
static inline void fuzz_convo_edit(sc_convo_info *info, bool archived) {
  sc_convo convo;
  size_t seen = 0;
  sc_status status =
      archived ? sc_convo_info_first_archived(&convo, info) : sc_convo_info_first(&convo, info);
  for (; status == SC_OK; status = sc_convo_info_next(&convo, info)) {
    fuzz_convo_set(info, &convo);
    if (seen++ % 2 == 1)
      fuzz_convo_erase(info, &convo);
  }
  REQUIRE(status == SC_ERR_NOT_FOUND);
}

/* Ageing once is enough. */
static inline void fuzz_convo_age(sc_convo_info *info) {
  sc_buffer saved;
  sc_buffer_init(&saved, fuzz_env());
  REQUIRE(sc_convo_info_age(info, fuzz_convo_now) == SC_OK);
  fuzz_config_save(&saved, sc_convo_info_config(info));
  REQUIRE(sc_convo_info_age(info, fuzz_convo_now) == SC_OK);
  fuzz_config_unchanged(sc_convo_info_config(info), &saved);
  sc_buffer_free(&saved);
}

static inline void fuzz_convo_info(sc_bytes dump) {
  sc_convo_info *info;
  if (sc_convo_info_new(&info, fuzz_env(), fuzz_config_account(), dump) != SC_OK)
    return;
  fuzz_convo_read(info);
  fuzz_convo_edit(info, true);
  fuzz_convo_edit(info, false);
  fuzz_convo_age(info);
  fuzz_convo_read(info);
  sc_convo_info_free(info);
}

#endif
