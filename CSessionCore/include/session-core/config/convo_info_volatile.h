/* The ConvoInfoVolatile config: how far each conversation was read. Namespace 4. It is kept apart because it
 * changes so often.
 *
 * Conversations that were read long ago are not synced any more but kept in an archive, here on the device
 * and in its dump: see sc_convo_ageing. The read time may go backwards: when two devices set it, one wins, so
 * a device that holds a later time keeps it and sets it again.
 *
 * Getters return plain values; a setter that would change nothing does nothing. It reads no clock: `wall_ms`
 * is the wall clock in milliseconds. One thread at a time. */
#ifndef SC_CONFIG_CONVO_INFO_VOLATILE_H
#define SC_CONFIG_CONVO_INFO_VOLATILE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "community_url.h"
#include "object.h"

SC_API_BEGIN

/* A conversation that was read longer ago is archived. */
#define SC_CONVO_ARCHIVE_MS ((int64_t)30 * 24 * 60 * 60 * 1000)
/* Bytes of the archive in the dump: when there are more, what was read longest ago is forgotten. */
#define SC_CONVO_MAX_ARCHIVE_BYTES ((size_t)1024 * 1024)
/* How far in the future, as clocks differ, a time may be and still be shown as it is. */
#define SC_CONVO_FUTURE_MS ((int64_t)24 * 60 * 60 * 1000)
#define SC_CONVO_PRO_TAG_BYTES 32

typedef struct sc_convo_info sc_convo_info;

/* The account's read state, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_convo_info_new(sc_convo_info **out, const sc_env *env,
                                                const sc_keypair *account, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_convo_info_free(sc_convo_info *info);

/* To push, merge and dump; lives as long as the read state. */
SC_API sc_config *sc_convo_info_config(const sc_convo_info *info);

/* In the order in which they are gone through. */
typedef enum sc_convo_kind {
  SC_CONVO_CONTACT = 0, /* with an account: an id that begins with 05 */
  SC_CONVO_GROUP = 1,   /* 03 */
  SC_CONVO_COMMUNITY = 2,
  SC_CONVO_BLINDED = 3,      /* with somebody who is known by a blinded id: 15 or 25 */
  SC_CONVO_LEGACY_GROUP = 4, /* 05 */
} sc_convo_kind;

typedef struct sc_convo {
  sc_convo_kind kind;
  sc_id id;               /* zeros for a community */
  sc_community community; /* zeros for anything else */
  int64_t last_read_ms;   /* when the newest message that was read was sent; 0 for none */
  bool unread;            /* marked as unread by hand */
  bool archived;          /* not synced any more; sc_convo_info_set does not look at it */
  int64_t pro_expiry_s;   /* until when the other side has Pro; 0 for no Pro. Read only, as the following */
  uint8_t pro_tag[SC_CONVO_PRO_TAG_BYTES];
} sc_convo;

/* The time to show: now, for one that a clock which is ahead has set too far in the future. */
SC_API int64_t sc_convo_shown_ms(const sc_convo *convo, uint64_t wall_ms);

/* A conversation, wherever it is. SC_ERR_NOT_FOUND; SC_ERR_ID_KIND when no id of that kind begins so;
 * SC_ERR_ARGUMENT for a kind that has no ids. */
SC_API SC_NODISCARD sc_status sc_convo_info_get(sc_convo *out, const sc_convo_info *info, sc_convo_kind kind,
                                                const sc_id *id);
/* SC_ERR_NOT_FOUND, SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_convo_info_get_community(sc_convo *out, const sc_convo_info *info,
                                                          sc_bytes url, sc_bytes room);

/* The same, or a blank one when there is none; nothing is stored. */
SC_API SC_NODISCARD sc_status sc_convo_info_get_or_make(sc_convo *out, const sc_convo_info *info,
                                                        sc_convo_kind kind, const sc_id *id);
/* With `key` as the server's, whatever is stored: as it is when the conversation is set. */
SC_API SC_NODISCARD sc_status sc_convo_info_get_or_make_community(sc_convo *out, const sc_convo_info *info,
                                                                  sc_bytes url, sc_bytes room,
                                                                  const uint8_t key[SC_AT_LEAST(32)]);

/* Goes through the synced conversations: kind by kind, ascending by id, or by url and room. `next` replaces a
 * conversation by the one that comes after it, whether it is still there or not: edits in between are
 * welcome. SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_convo_info_first(sc_convo *out, const sc_convo_info *info);
SC_API SC_NODISCARD sc_status sc_convo_info_next(sc_convo *convo, const sc_convo_info *info);

/* Begins to go through the archive, in the same way. */
SC_API SC_NODISCARD sc_status sc_convo_info_first_archived(sc_convo *out, const sc_convo_info *info);

/* How many synced entries of a kind there are, with those that are nothing we could read. */
SC_API SC_NODISCARD sc_status sc_convo_info_count(size_t *out, const sc_convo_info *info, sc_convo_kind kind);

/* Stores a conversation: how far it was read, and whether it is unread. A time before 1970 is none, and one
 * that says nothing at all is not stored. SC_ERR_ID_KIND, SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM,
 * SC_ERR_ARGUMENT for what is no kind. */
SC_API SC_NODISCARD sc_status sc_convo_info_set(sc_convo_info *info, const sc_convo *convo, uint64_t wall_ms);

/* Forgets a conversation, archived or not; whether there was one goes to `*erased`. The statuses of get, but
 * for SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_convo_info_erase(bool *erased, sc_convo_info *info, sc_convo_kind kind,
                                                  const sc_id *id);
SC_API SC_NODISCARD sc_status sc_convo_info_erase_community(bool *erased, sc_convo_info *info, sc_bytes url,
                                                            sc_bytes room);

SC_API_END

#endif
