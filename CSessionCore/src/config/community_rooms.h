/* The rooms of communities as several configs store them: by server, then by room.
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

/* Returns the path of a room's record, valid as long as the section's name and the community. */
enum { sc_config_room_keys = 4 };

sc_config_path sc_config_room_path(sc_bytes keys[static sc_config_room_keys], const char *section,
                                   const sc_community *community);

/* SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM unless normalised. */
SC_NODISCARD sc_status sc_config_check_community(const sc_community *community);

typedef struct sc_config_rooms {
  sc_config_walk servers;
  sc_config_walk rooms; /* of the current server */
  sc_bytes url;
  sc_bytes key;
} sc_config_rooms;

/* Moves before the first room of a section. Allocates nothing. The data must not change meanwhile. */
void sc_config_rooms_begin(sc_config_rooms *out, const sc_config_node *data, const char *section);

/* The same, before the first room after `after`, which need not exist. */
SC_NODISCARD sc_status sc_config_rooms_begin_after(sc_config_rooms *out, const sc_env *env,
                                                   const sc_config_node *data, const char *section,
                                                   const sc_community *after);

/* Returns the next room in ascending order of URLs, then rooms; false at the end. */
bool sc_config_rooms_next(sc_community *community, sc_config_fields *fields, sc_config_rooms *rooms);

/* Finds the record of a room and sets the server's key in `community`. SC_ERR_NOT_FOUND. */
SC_NODISCARD sc_status sc_config_rooms_find(sc_community *community, sc_config_fields *fields,
                                            const sc_env *env, const sc_config_node *data,
                                            const char *section);

/* Finds the record of a room even if its server has no key, as a merge can leave it. SC_ERR_NOT_FOUND. */
SC_NODISCARD sc_status sc_config_rooms_record(sc_config_fields *fields, const sc_env *env,
                                              const sc_config_node *data, const char *section,
                                              const sc_community *community);

/* Sets the server's key in `community`, whether or not the room exists. SC_ERR_NOT_FOUND. */
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

/* Both, as part of a change. */
void sc_config_rooms_remove(sc_config_change *change, const char *section, const sc_community *community);

#endif
