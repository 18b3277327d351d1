/* The config object for its kinds: how a kind describes itself, creates its config and reads it. change.h
 * has edits, fields.h and record.h reading and writing of records, section.h sections of records. */
#ifndef SC_SRC_CONFIG_OBJECT_H
#define SC_SRC_CONFIG_OBJECT_H

#include "session-core/base/bt.h"
#include "session-core/config/object.h"
#include "tree.h"

/* A kind of config. Hooks are NULL where there is nothing to do; `object` is the one from the setup. A hook
 * that fails leaves the object as it was. */
typedef struct sc_config_type {
  const char *domain;
  int32_t name_space;
  sc_legacy_config_kind kind; /* the kind in the wrapping of an account's config */
  bool local;                 /* never pushed and never merged */
  /* Checks that data may be of this kind, for kinds whose messages are signed by the same key: the signature
   * does not include the kind, so another kind could be stored in its place. */
  bool (*accepts)(const sc_config_node *data);
  bool has_archive; /* the dump has other data that is not synchronised: sc_config_archive */
  /* Writes the extra data in the dump of a kind without an archive: one dict. */
  void (*write_extra)(const void *object, sc_bt_writer *writer);
  /* Reads it; called while the config is being made, if the dump has it. */
  sc_status (*read_extra)(void *object, sc_bt_reader *reader);
  /* Last edits before a push of changes, or of anything if `edits_clean` returns true. They are undone if
   * the push fails. */
  sc_status (*before_push)(void *object, uint64_t wall_ms);
  bool (*edits_clean)(const void *object);
  /* Called after a merge that changed the data; may edit. */
  sc_status (*after_merge)(void *object, uint64_t wall_ms);
  /* For savepoints: remembers what write_extra writes, puts it back, which uses it up, or drops it. All
   * three or none. */
  sc_status (*keep_extra)(void **out, const void *object);
  void (*put_back_extra)(void *object, void *kept);
  void (*drop_extra)(const sc_env *env, void *kept);
} sc_config_type;

/* The arguments of a new config. Everything but the type and the object is copied. */
typedef struct sc_config_setup {
  const sc_config_type *type;
  void *object;              /* given to the hooks */
  const sc_keypair *account; /* of an account's config: its seed is the key, and its messages are wrapped */
  const uint8_t *verifier;   /* of a group's config: 32 bytes */
  const sc_ed25519_pair *signer; /* or NULL for one that is read only */
  sc_bytes dump;                 /* empty for a new config */
} sc_config_setup;

/* SC_ERR_CONFIG_DUMP for an invalid dump, SC_ERR_KEY_MISMATCH for a signer that is not the verifier. */
SC_NODISCARD sc_status sc_config_new(sc_config **out, const sc_env *env, const sc_config_setup *setup);
/* NULL is allowed. */
void sc_config_free(sc_config *config);

const sc_env *sc_config_env(const sc_config *config);

/* Returns the data, valid until the config is edited, merged or freed; NULL if there is none. */
const sc_config_node *sc_config_data(const sc_config *config);

/* Requests a dump, after changes of the extra data. */
void sc_config_want_dump(sc_config *config);

/* Returns the archive, which is never synchronised, valid as long as the data; NULL if there is none. */
sc_config_node *sc_config_archive(const sc_config *config);
/* Replaces the archive; the config shares ownership of the tree. */
void sc_config_set_archive(sc_config *config, sc_config_node *archive);

/* Adds a key, first or last. A known key moves to the front, but never to the end. */
SC_NODISCARD sc_status sc_config_add_key(sc_config *config, sc_bytes key, bool first, bool dirty);

/* Removes a key; `*removed` is true if it was there. Only looks at keys from index `from` on. */
SC_NODISCARD sc_status sc_config_remove_key(bool *removed, sc_config *config, sc_bytes key, size_t from,
                                            bool dirty);

#endif
