/* A slot holds the key of the archive, encrypted under a key that follows from a secret:
 *
 *   kind 1 | zero 3 | passes 4 | memory 8 | salt 16 | nonce 24 | sealed key 48
 *
 * What stands in front of the nonce and the id of the archive are authenticated with it. */
#ifndef SC_SRC_ARCHIVE_SLOTS_H
#define SC_SRC_ARCHIVE_SLOTS_H

#include "header.h"

enum { sc_archive_key_bytes = 32 };

/* Checks the size of a secret. SC_ERR_ARGUMENT, SC_ERR_KEY_SIZE, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_archive_secret_check(const sc_archive_secret *secret);

/* Writes a slot with a new salt and nonce. SC_ERR_PASSPHRASE_COST, SC_ERR_NO_MEMORY. */
SC_NODISCARD sc_status sc_archive_slot_seal(uint8_t out[static sc_archive_slot_bytes], const sc_env *env,
                                            const uint8_t key[static sc_archive_key_bytes],
                                            const sc_archive_secret *secret, const uint8_t *id);

/* SC_ERR_ARCHIVE_HEADER. */
SC_NODISCARD sc_status sc_archive_slot_read(sc_archive_slot *out,
                                            const uint8_t slot[static sc_archive_slot_bytes]);

/* SC_ERR_ARCHIVE_WRONG_KEY, SC_ERR_PASSPHRASE_COST, SC_ERR_NO_MEMORY. */
SC_NODISCARD sc_status sc_archive_slot_open(uint8_t key[static sc_archive_key_bytes],
                                            const uint8_t slot[static sc_archive_slot_bytes],
                                            const sc_archive_secret *secret, const uint8_t *id);

#endif
