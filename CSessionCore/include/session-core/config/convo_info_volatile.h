/* The ConvoInfoVolatile config: the read position of each conversation. Namespace 4. It is separate because
 * it changes often.
 *
 * Conversations that were read long ago are moved to an archive, which is stored in the dump on this device
 * and not synchronised. A read position may move backwards: if two devices set it, one wins, so a device with
 * a later position keeps its own and sets it again.
 *
 * Getters return plain values; storing equal values changes nothing. `wall_ms` is the wall clock in
 * milliseconds; the config reads no clock. One thread at a time. */
#ifndef SC_CONFIG_CONVO_INFO_VOLATILE_H
#define SC_CONFIG_CONVO_INFO_VOLATILE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "community_url.h"
#include "object.h"

SC_API_BEGIN

/* Conversations read longer ago are archived, unless they are marked as unread or the other side's Pro
 * lasted until then: when they are set, before changes are pushed, and after each merge. */
#define SC_CONVO_ARCHIVE_MS ((int64_t)30 * 24 * 60 * 60 * 1000)
/* The size limit of the archive in the dump; conversations read longest ago are dropped first. */
#define SC_CONVO_MAX_ARCHIVE_BYTES ((size_t)1024 * 1024)
#define SC_CONVO_PRO_TAG_BYTES 32

typedef struct sc_convo_info sc_convo_info;

/* Creates the read state of an account, empty or from a dump. SC_ERR_CONFIG_DUMP. */
SC_API SC_NODISCARD sc_status sc_convo_info_new(sc_convo_info **out, const sc_env *env,
                                                const sc_keypair *account, sc_bytes dump);

/* NULL is allowed. */
SC_API void sc_convo_info_free(sc_convo_info *info);

/* Returns the config, to push, merge and dump; it lives as long as the read state. */
SC_API sc_config *sc_convo_info_config(const sc_convo_info *info);

/* In the order of iteration. */
typedef enum sc_convo_kind {
  SC_CONVO_CONTACT = 0, /* with an account: the id begins with 05 */
  SC_CONVO_GROUP = 1,   /* 03 */
  SC_CONVO_COMMUNITY = 2,
  SC_CONVO_BLINDED = 3,      /* with a blinded id: 15 or 25 */
  SC_CONVO_LEGACY_GROUP = 4, /* 05 */
} sc_convo_kind;

typedef struct sc_convo {
  sc_convo_kind kind;
  sc_id id;               /* zeros for a community */
  sc_community community; /* zeros for other kinds */
  int64_t last_read_ms;   /* time of the newest read message; 0 for none */
  bool unread;            /* marked as unread by the user */
  bool archived;          /* not synchronised; ignored by sc_convo_info_set */
  int64_t pro_expiry_s;   /* end of the other side's Pro; 0 for no Pro. Read only, like pro_tag */
  uint8_t pro_tag[SC_CONVO_PRO_TAG_BYTES];
} sc_convo;

/* Reads a conversation, archived or not. SC_ERR_NOT_FOUND; SC_ERR_ID_KIND if the id does not fit the kind;
 * SC_ERR_ARGUMENT for a kind without ids. */
SC_API SC_NODISCARD sc_status sc_convo_info_get(sc_convo *out, const sc_convo_info *info, sc_convo_kind kind,
                                                const sc_id *id);
/* Reads a community. SC_ERR_NOT_FOUND, SC_ERR_COMMUNITY_URL, SC_ERR_COMMUNITY_ROOM. */
SC_API SC_NODISCARD sc_status sc_convo_info_get_community(sc_convo *out, const sc_convo_info *info,
                                                          sc_bytes url, sc_bytes room);

/* Reads a conversation, or returns a blank one; stores nothing. */
SC_API SC_NODISCARD sc_status sc_convo_info_get_or_make(sc_convo *out, const sc_convo_info *info,
                                                        sc_convo_kind kind, const sc_id *id);
/* The same for a community. Returns `key` as the server's key, even if another is stored. */
SC_API SC_NODISCARD sc_status sc_convo_info_get_or_make_community(sc_convo *out, const sc_convo_info *info,
                                                                  sc_bytes url, sc_bytes room,
                                                                  const uint8_t key[SC_AT_LEAST(32)]);

/* Iterate over the synchronised conversations: kind by kind, ascending by id, or by URL and room. `next`
 * replaces a conversation with its successor, even if it was erased, so edits are allowed in between.
 * SC_ERR_NOT_FOUND at the end. */
SC_API SC_NODISCARD sc_status sc_convo_info_first(sc_convo *out, const sc_convo_info *info);
SC_API SC_NODISCARD sc_status sc_convo_info_next(sc_convo *convo, const sc_convo_info *info);

/* Starts iterating over the archive; continue with sc_convo_info_next. */
SC_API SC_NODISCARD sc_status sc_convo_info_first_archived(sc_convo *out, const sc_convo_info *info);

/* Counts the synchronised entries of a kind, including unreadable ones. */
SC_API SC_NODISCARD sc_status sc_convo_info_count(size_t *out, const sc_convo_info *info, sc_convo_kind kind);

/* Stores the read position of a conversation, and whether it is marked as unread. Times before 1970 become
 * 0; a conversation without a time or mark is not stored. SC_ERR_ID_KIND, SC_ERR_COMMUNITY_URL,
 * SC_ERR_COMMUNITY_ROOM, SC_ERR_ARGUMENT for an unknown kind. */
SC_API SC_NODISCARD sc_status sc_convo_info_set(sc_convo_info *info, const sc_convo *convo, uint64_t wall_ms);

/* Erase a conversation, archived or not; `*erased` is true if there was one. The statuses of get, except
 * SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_convo_info_erase(bool *erased, sc_convo_info *info, sc_convo_kind kind,
                                                  const sc_id *id);
SC_API SC_NODISCARD sc_status sc_convo_info_erase_community(bool *erased, sc_convo_info *info, sc_bytes url,
                                                            sc_bytes room);

SC_API_END

#endif
