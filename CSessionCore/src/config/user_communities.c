/* The communities an account is in. */
#include "community_rooms.h"
#include "user_groups.h"

const char sc_group_communities[] = "o";
static const char key_name[] = "n";

/* A spelling of the room itself, or else its name. */
static void spell(sc_user_community *community, sc_bytes spelling) {
  char normal[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  sc_bytes room = sc_community_room(&community->community);
  bool fits = sc_community_room_normalize(normal, &len, spelling) == SC_OK &&
              sc_bytes_same(sc_bytes_make(normal, len), room);
  memcpy(community->spelling, fits ? spelling.ptr : room.ptr, room.len);
  community->spelling[room.len] = '\0';
}

static const sc_field_row rows[] = {
    SC_MEMBERSHIP_ROWS_FIRST(sc_user_community),
    SC_MEMBERSHIP_ROWS_THEN(sc_user_community),
};

void sc_user_community_read(sc_user_community *out, const sc_community *community, sc_config_fields *record) {
  sc_field_table_read(out, SC_FIELD_TABLE(rows), record);
  out->community = *community;
  out->other_key = false;
  spell(out, sc_config_read_string(record, key_name));
}

/* One whose url and room are set; its server's key goes there, too. */
static sc_status get(sc_user_community *out, const sc_user_groups *groups, sc_community *community) {
  sc_config_fields fields;
  sc_status status = sc_config_rooms_find(community, &fields, groups->env, sc_config_data(groups->config),
                                          sc_group_communities);
  if (status == SC_OK)
    sc_user_community_read(out, community, &fields);
  return status;
}

sc_status sc_user_groups_get_community(sc_user_community *out, const sc_user_groups *groups, sc_bytes url,
                                       sc_bytes room) {
  sc_community community;
  sc_status status = sc_community_make(&community, url, room, NULL);
  return status == SC_OK ? get(out, groups, &community) : status;
}

/* One whose server may be without a key; then the key stays. */
static sc_status get_or_blank(sc_user_community *out, const sc_user_groups *groups, sc_community *community,
                              sc_bytes spelling) {
  sc_config_fields fields;
  const sc_config_node *data = sc_config_data(groups->config);
  sc_status status = sc_config_rooms_server(community, groups->env, data, sc_group_communities);
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    return status;
  status = sc_config_rooms_record(&fields, groups->env, data, sc_group_communities, community);
  if (status == SC_OK) {
    sc_user_community_read(out, community, &fields);
  } else if (status == SC_ERR_NOT_FOUND) {
    *out = (sc_user_community){.community = *community};
    spell(out, spelling);
    status = SC_OK;
  }
  return status;
}

sc_status sc_user_groups_get_or_make_community(sc_user_community *out, const sc_user_groups *groups,
                                               sc_bytes url, sc_bytes room,
                                               const uint8_t key[SC_AT_LEAST(32)]) {
  sc_community community;
  sc_status status = sc_community_make(&community, url, room, key);
  if (status != SC_OK)
    return status;
  status = get_or_blank(out, groups, &community, room);
  if (status == SC_OK)
    out->other_key = memcmp(out->community.key, key, sizeof out->community.key) != 0;
  return status;
}

/* Going through them */

static sc_status next(sc_user_community *out, sc_config_rooms *rooms) {
  sc_community community;
  sc_config_fields fields;
  if (!sc_config_rooms_next(&community, &fields, rooms))
    return SC_ERR_NOT_FOUND;
  sc_user_community_read(out, &community, &fields);
  return SC_OK;
}

sc_status sc_user_groups_first_community(sc_user_community *out, const sc_user_groups *groups) {
  sc_config_rooms rooms;
  sc_config_rooms_begin(&rooms, sc_config_data(groups->config), sc_group_communities);
  return next(out, &rooms);
}

sc_status sc_user_groups_next_community(sc_user_community *community, const sc_user_groups *groups) {
  sc_config_rooms rooms;
  sc_status status = sc_config_rooms_begin_after(&rooms, groups->env, sc_config_data(groups->config),
                                                 sc_group_communities, &community->community);
  return status == SC_OK ? next(community, &rooms) : status;
}

/* Editing */

/* The spelling has to be one of the room. */
static sc_status check(const sc_user_community *community) {
  char normal[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  sc_status status = sc_config_check_community(&community->community);
  if (status == SC_OK)
    status = sc_community_room_normalize(normal, &len, sc_bytes_text(community->spelling));
  if (status == SC_OK && !sc_bytes_same(sc_bytes_make(normal, len), sc_community_room(&community->community)))
    status = SC_ERR_COMMUNITY_ROOM;
  return status;
}

sc_status sc_user_groups_set_community(sc_user_groups *groups, const sc_user_community *community) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_change change;
  sc_config_record record;
  sc_status status = check(community);
  if (status != SC_OK)
    return status;
  sc_config_change_begin(&change, groups->config);
  sc_config_room_begin(&record, keys, &change, sc_group_communities, &community->community);
  sc_config_write_always(&record, key_name, sc_bytes_text(community->spelling));
  sc_field_table_write(&record, SC_FIELD_TABLE(rows), community);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

sc_status sc_user_groups_erase_community(bool *erased, sc_user_groups *groups, sc_bytes url, sc_bytes room) {
  sc_community community;
  sc_config_fields fields;
  sc_config_change change;
  *erased = false;
  sc_status status = sc_community_make(&community, url, room, NULL);
  if (status == SC_OK)
    status = sc_config_rooms_record(&fields, groups->env, sc_config_data(groups->config),
                                    sc_group_communities, &community);
  if (status != SC_OK)
    return status == SC_ERR_NOT_FOUND ? SC_OK : status;
  sc_config_change_begin(&change, groups->config);
  sc_config_rooms_remove(&change, sc_group_communities, &community);
  status = sc_config_change_end(&change);
  *erased = status == SC_OK;
  return status;
}
