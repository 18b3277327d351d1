/* The rooms of communities, as several configs keep them: by server, and then by room.
 *
 *   section: { url: { "#": key, "R": { room: record } } }
 *
 * The key belongs to the server: writing a room sets it for all rooms there. Readers skip, but keep, urls and
 * rooms that are not in normal form, servers without a key or rooms, and values that are not records. */
#ifndef SC_CONFIG_COMMUNITY_ROOMS_H
#define SC_CONFIG_COMMUNITY_ROOMS_H

#include "fields.h"
#include "record.h"
#include "session-core/config/community_url.h"

/* The path of a room's record; its keys live as long as the section's name and the community. */
enum { sc_config_room_keys = 4 };

sc_config_path sc_config_room_path(sc_bytes keys[static sc_config_room_keys], const char *section,
                                   const sc_community *community);

/* SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM unless normalised. */
SC_NODISCARD sc_status sc_config_check_community(const sc_community *community);

typedef struct sc_config_rooms {
  sc_config_walk servers;
  sc_config_walk rooms; /* of the server at hand */
  sc_bytes url;
  sc_bytes key;
} sc_config_rooms;

/* Moves before the first room of a section. Allocates nothing. The data must not change meanwhile. */
void sc_config_rooms_begin(sc_config_rooms *out, const sc_config_node *data, const char *section);

/* The same, before the first room that comes after another one, whether that is there or not. */
SC_NODISCARD sc_status sc_config_rooms_begin_after(sc_config_rooms *out, const sc_env *env,
                                                   const sc_config_node *data, const char *section,
                                                   const sc_community *after);

/* The next room, in ascending order of urls and then of rooms; false at the end. */
bool sc_config_rooms_next(sc_community *community, sc_config_fields *fields, sc_config_rooms *rooms);

/* The record of a room; its server's key goes into `community`. SC_ERR_NOT_FOUND. */
SC_NODISCARD sc_status sc_config_rooms_find(sc_community *community, sc_config_fields *fields,
                                            const sc_env *env, const sc_config_node *data,
                                            const char *section);

/* The record of a room whether its server has a key or not: a merge can leave one without. SC_ERR_NOT_FOUND.
 */
SC_NODISCARD sc_status sc_config_rooms_record(sc_config_fields *fields, const sc_env *env,
                                              const sc_config_node *data, const char *section,
                                              const sc_community *community);

/* The key of the server of a community, which goes there, whether it has that room or not. SC_ERR_NOT_FOUND.
 */
SC_NODISCARD sc_status sc_config_rooms_server(sc_community *community, const sc_env *env,
                                              const sc_config_node *data, const char *section);

/* Counts the rooms of a section, readable or not, on servers with a key. */
size_t sc_config_rooms_count(const sc_config_node *data, const char *section);

/* Begins to write a room's record, and writes the server's key. `keys` live until the record's end. */
void sc_config_room_begin(sc_config_record *out, sc_bytes keys[static sc_config_room_keys],
                          sc_config_change *change, const char *section, const sc_community *community);

/* Erases a room from `*data`. */
SC_NODISCARD sc_status sc_config_rooms_erase(sc_config_node **data, const sc_env *env, const char *section,
                                             const sc_community *community);

/* Erases the server of a community if it has no rooms. */
SC_NODISCARD sc_status sc_config_rooms_tidy(sc_config_node **data, const sc_env *env, const char *section,
                                            const sc_community *community);

/* Both, in a change. */
void sc_config_rooms_remove(sc_config_change *change, const char *section, const sc_community *community);

#endif
