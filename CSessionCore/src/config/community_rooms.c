#include "community_rooms.h"

#include "data.h"

static sc_bytes server_key(void) {
  return sc_bytes_text("#");
}

sc_config_path sc_config_room_path(sc_bytes keys[static sc_config_room_keys], const char *section,
                                   const sc_community *community) {
  keys[0] = sc_bytes_text(section);
  keys[1] = sc_community_url(community);
  keys[2] = sc_bytes_text("R");
  keys[3] = sc_community_room(community);
  return (sc_config_path){keys, sc_config_room_keys};
}

/* The path above a path. */
static sc_config_path front_of(sc_config_path path, size_t count) {
  return (sc_config_path){path.keys, count};
}

enum { server_path = 2, rooms_path = 3 };

static bool is_dict(const sc_config_entry *entry) {
  return entry != NULL && sc_config_entry_kind(entry) == SC_CONFIG_DICT;
}

/* Walking */

static bool is_normal_url(sc_bytes text) {
  char normal[SC_COMMUNITY_MAX_URL_CHARS + 1];
  size_t len;
  return sc_community_url_normalize(normal, &len, text) == SC_OK &&
         sc_bytes_same(sc_bytes_make(normal, len), text);
}

static bool is_normal_room(sc_bytes text) {
  char normal[SC_COMMUNITY_MAX_ROOM_CHARS + 1];
  size_t len;
  return sc_community_room_normalize(normal, &len, text) == SC_OK &&
         sc_bytes_same(sc_bytes_make(normal, len), text);
}

sc_status sc_config_check_community(const sc_community *community) {
  if (community->url_len > SC_COMMUNITY_MAX_URL_CHARS || !is_normal_url(sc_community_url(community)))
    return SC_ERR_COMMUNITY_URL;
  bool good =
      community->room_len <= SC_COMMUNITY_MAX_ROOM_CHARS && is_normal_room(sc_community_room(community));
  return good ? SC_OK : SC_ERR_COMMUNITY_ROOM;
}

/* Moves before the rooms of a server; to their end if the server is malformed. */
static void enter_server(sc_config_rooms *rooms, const sc_config_entry *server) {
  sc_config_fields fields;
  sc_config_walk_tree(&rooms->rooms, NULL);
  rooms->url = sc_encoded_scalar(server->key).string;
  if (!is_dict(server) || !is_normal_url(rooms->url))
    return;
  sc_config_fields_of_entry(&fields, server);
  rooms->key = sc_config_read_fixed(&fields, "#", SC_KEY_BYTES);
  const sc_config_entry *inside = sc_config_fields_at(&fields, "R");
  if (rooms->key.len == SC_KEY_BYTES && is_dict(inside))
    sc_config_walk_entry(&rooms->rooms, inside);
}

void sc_config_rooms_begin(sc_config_rooms *out, const sc_config_node *data, const char *section) {
  sc_config_entry *entry = sc_config_tree_find(data, sc_config_string(sc_bytes_text(section)));
  sc_config_walk_entry(&out->servers, is_dict(entry) ? entry : NULL);
  sc_config_walk_tree(&out->rooms, NULL);
}

/* Looks the room up first, which makes trees of the dicts on the way to it where they are large, so that the
 * walks need not go through all that comes before. */
sc_status sc_config_rooms_begin_after(sc_config_rooms *out, const sc_env *env, const sc_config_node *data,
                                      const char *section, const sc_community *after) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_path path = sc_config_room_path(keys, section, after);
  sc_config_place place;
  sc_status status = sc_config_data_find(&place, env, data, path);
  if (status == SC_OK)
    status = sc_config_data_find(&place, env, data, front_of(path, server_path));
  if (status != SC_OK)
    return status;
  sc_config_rooms_begin(out, data, section);
  if (place.entry != NULL) {
    enter_server(out, place.entry);
    sc_config_walk_past(&out->rooms, sc_config_string(sc_community_room(after)));
  }
  sc_config_walk_past(&out->servers, sc_config_string(sc_community_url(after)));
  return SC_OK;
}

/* True if the entry is a room of the current server, which goes to `community`. */
static bool is_room(sc_community *community, const sc_config_rooms *rooms, const sc_config_entry *entry) {
  sc_bytes room = sc_encoded_scalar(entry->key).string;
  if (!is_dict(entry) || !is_normal_room(room))
    return false;
  memcpy(community->url, rooms->url.ptr, rooms->url.len);
  community->url[rooms->url.len] = '\0';
  community->url_len = rooms->url.len;
  memcpy(community->room, room.ptr, room.len);
  community->room[room.len] = '\0';
  community->room_len = room.len;
  memcpy(community->key, rooms->key.ptr, sizeof community->key);
  return true;
}

static bool next_of_server(sc_community *community, sc_config_fields *fields, sc_config_rooms *rooms) {
  const sc_config_entry *entry;
  while ((entry = sc_config_walk_at(&rooms->rooms)) != NULL) {
    bool found = is_room(community, rooms, entry);
    if (found)
      sc_config_fields_of_entry(fields, entry);
    sc_config_walk_next(&rooms->rooms);
    if (found)
      return true;
  }
  return false;
}

bool sc_config_rooms_next(sc_community *community, sc_config_fields *fields, sc_config_rooms *rooms) {
  const sc_config_entry *server;
  while (!next_of_server(community, fields, rooms)) {
    server = sc_config_walk_at(&rooms->servers);
    if (server == NULL)
      return false;
    enter_server(rooms, server);
    sc_config_walk_next(&rooms->servers);
  }
  return true;
}

static size_t count_entries(const sc_config_entry *dict) {
  sc_config_walk walk;
  size_t count = 0;
  sc_config_walk_entry(&walk, is_dict(dict) ? dict : NULL);
  for (; sc_config_walk_at(&walk) != NULL; count++)
    sc_config_walk_next(&walk);
  return count;
}

size_t sc_config_rooms_count(const sc_config_node *data, const char *section) {
  sc_config_rooms rooms;
  const sc_config_entry *server;
  size_t count = 0;
  sc_config_rooms_begin(&rooms, data, section);
  for (; (server = sc_config_walk_at(&rooms.servers)) != NULL; sc_config_walk_next(&rooms.servers)) {
    sc_config_fields fields;
    if (!is_dict(server))
      continue;
    sc_config_fields_of_entry(&fields, server);
    const sc_config_entry *key = sc_config_fields_at(&fields, "#");
    if (key != NULL && sc_config_entry_kind(key) == SC_CONFIG_STRING)
      count += count_entries(sc_config_fields_at(&fields, "R"));
  }
  return count;
}

/* One room */

sc_status sc_config_rooms_server(sc_community *community, const sc_env *env, const sc_config_node *data,
                                 const char *section) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_fields fields;
  sc_config_path path = sc_config_room_path(keys, section, community);
  sc_status status = sc_config_fields_find(&fields, env, data, front_of(path, server_path));
  if (status != SC_OK)
    return status;
  sc_bytes key = sc_config_read_fixed(&fields, "#", SC_KEY_BYTES);
  if (key.len != SC_KEY_BYTES)
    return SC_ERR_NOT_FOUND;
  memcpy(community->key, key.ptr, sizeof community->key);
  return SC_OK;
}

sc_status sc_config_rooms_record(sc_config_fields *fields, const sc_env *env, const sc_config_node *data,
                                 const char *section, const sc_community *community) {
  sc_bytes keys[sc_config_room_keys];
  return sc_config_fields_find(fields, env, data, sc_config_room_path(keys, section, community));
}

sc_status sc_config_rooms_find(sc_community *community, sc_config_fields *fields, const sc_env *env,
                               const sc_config_node *data, const char *section) {
  sc_community found = *community;
  sc_status status = sc_config_rooms_server(&found, env, data, section);
  if (status == SC_OK)
    status = sc_config_rooms_record(fields, env, data, section, community);
  if (status == SC_OK)
    *community = found;
  return status;
}

void sc_config_room_begin(sc_config_record *out, sc_bytes keys[static sc_config_room_keys],
                          sc_config_change *change, const char *section, const sc_community *community) {
  sc_config_path path = sc_config_room_path(keys, section, community);
  const sc_bytes to_key[] = {keys[0], keys[1], server_key()};
  sc_config_change_set(change, (sc_config_path){to_key, sizeof to_key / sizeof to_key[0]},
                       sc_config_string(SC_BYTES(community->key)));
  sc_config_record_begin(out, change, path);
}

sc_status sc_config_rooms_tidy(sc_config_node **data, const sc_env *env, const char *section,
                               const sc_community *community) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_path path = sc_config_room_path(keys, section, community);
  sc_config_place place;
  sc_status status = sc_config_data_find(&place, env, *data, front_of(path, rooms_path));
  if (status != SC_OK || place.entry != NULL)
    return status;
  return sc_config_data_edit(data, env, SC_CONFIG_ERASE, front_of(path, server_path), sc_config_integer(0));
}

sc_status sc_config_rooms_erase(sc_config_node **data, const sc_env *env, const char *section,
                                const sc_community *community) {
  sc_bytes keys[sc_config_room_keys];
  sc_config_path path = sc_config_room_path(keys, section, community);
  return sc_config_data_edit(data, env, SC_CONFIG_ERASE, path, sc_config_integer(0));
}

void sc_config_rooms_remove(sc_config_change *change, const char *section, const sc_community *community) {
  const sc_env *env = sc_config_env(change->config);
  sc_config_change_settle(change);
  if (change->status == SC_OK)
    change->status = sc_config_rooms_erase(&change->data, env, section, community);
  if (change->status == SC_OK)
    change->status = sc_config_rooms_tidy(&change->data, env, section, community);
}
