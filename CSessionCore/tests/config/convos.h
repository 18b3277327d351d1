/* Shared by the read-state tests: conversations of every kind and where they are stored. */
#ifndef SC_TESTS_CONFIG_CONVOS_H
#define SC_TESTS_CONFIG_CONVOS_H

#include "config/convo_info_volatile.h"
#include "saved.h"

static const uint64_t now = 1700000000000;

static inline sc_status a_fresh(sc_convo_info **out, const sc_env *env) {
  sc_keypair account;
  worked_account(&account);
  return sc_convo_info_new(out, env, &account, (sc_bytes){0});
}

/* With these data, synced and clean, and this archive. */
static inline sc_status a_saved(sc_convo_info **out, const sc_env *env, const char *data,
                                const char *archive) {
  sc_keypair account;
  sc_buffer dump;
  worked_account(&account);
  sc_buffer_init(&dump, env);
  *out = NULL;
  sc_status status = saved_dump(&dump, data, archive);
  if (status == SC_OK)
    status = sc_convo_info_new(out, env, &account, sc_buffer_bytes(&dump));
  sc_buffer_free(&dump);
  return status;
}

static inline void synced_is(sc_test *t, const char *expected, const sc_convo_info *info) {
  device_data_is(t, expected, sc_convo_info_config(info));
}

static inline void archive_is(sc_test *t, const char *expected, const sc_convo_info *info) {
  sc_buffer text;
  uint8_t *at;
  sc_buffer_init(&text, t->env);
  OK(sc_buffer_extend(&at, &text, sc_config_tree_size(sc_config_archive(sc_convo_info_config(info)))));
  sc_config_tree_write(at, sc_config_archive(sc_convo_info_config(info)));
  SAME(sc_bytes_text(expected), sc_buffer_bytes(&text));
done:
  sc_buffer_free(&text);
}

static inline sc_convo a_convo(sc_convo_kind kind, sc_id_kind id_kind, char letter, int64_t last_read_ms) {
  return (sc_convo){.kind = kind, .id = saved_id(id_kind, letter), .last_read_ms = last_read_ms};
}

static inline sc_convo a_room(const char *url, const char *room, int64_t last_read_ms) {
  sc_convo convo = {.kind = SC_CONVO_COMMUNITY, .last_read_ms = last_read_ms};
  sc_status status =
      sc_community_make(&convo.community, sc_bytes_text(url), sc_bytes_text(room), (const uint8_t *)A32);
  return status == SC_OK ? convo : (sc_convo){0};
}

static inline sc_convo a_contact(char letter, int64_t last_read_ms) {
  return a_convo(SC_CONVO_CONTACT, SC_ID_STANDARD, letter, last_read_ms);
}

static inline sc_status get(sc_convo *out, const sc_convo_info *info, const sc_convo *convo) {
  return convo->kind == SC_CONVO_COMMUNITY
             ? sc_convo_info_get_community(out, info, sc_community_url(&convo->community),
                                           sc_community_room(&convo->community))
             : sc_convo_info_get(out, info, convo->kind, &convo->id);
}

/* One of each kind, in the order of a walk. */
enum { sort_count = 6 };
static inline void all_sorts(sc_convo out[static sort_count], int64_t last_read_ms) {
  out[0] = a_convo(SC_CONVO_CONTACT, SC_ID_STANDARD, 'a', last_read_ms);
  out[1] = a_convo(SC_CONVO_GROUP, SC_ID_GROUP, 'a', last_read_ms);
  out[2] = a_room("http://a.bcd", "x", last_read_ms);
  out[3] = a_convo(SC_CONVO_BLINDED, SC_ID_BLINDED_15, 'a', last_read_ms);
  out[4] = a_convo(SC_CONVO_BLINDED, SC_ID_BLINDED_25, 'a', last_read_ms);
  out[5] = a_convo(SC_CONVO_LEGACY_GROUP, SC_ID_STANDARD, 'a', last_read_ms);
}

static inline sc_status set_all(sc_convo_info *info, int64_t last_read_ms, uint64_t wall_ms) {
  sc_convo convos[sort_count];
  sc_status status = SC_OK;
  all_sorts(convos, last_read_ms);
  for (size_t i = 0; i < sort_count && status == SC_OK; i++)
    status = sc_convo_info_set(info, &convos[i], wall_ms);
  return status;
}

#define SORTS(r)                                                                                             \
  "d1:1d33:\x05" A32 "d1:ri" r "eee1:Cd33:\x05" A32 "d1:ri" r "eee1:bd33:\x15" A32 "d1:ri" r                 \
  "e1:yi1ee33:\x25" A32 "d1:ri" r "eee1:gd33:\x03" A32 "d1:ri" r "eee1:od12:http://a.bcdd1:#32:" A32         \
  "1:Rd1:xd1:ri" r "eeeeee"

static inline bool same_place(const sc_convo *a, const sc_convo *b) {
  return a->kind == b->kind && memcmp(&a->id, &b->id, sizeof a->id) == 0 &&
         strcmp(a->community.url, b->community.url) == 0 && strcmp(a->community.room, b->community.room) == 0;
}

#endif
