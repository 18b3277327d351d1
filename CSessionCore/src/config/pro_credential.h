/* The stored forms of a Pro credential, old and new: a dict with a proof of generation A or B, or a string
 * that contains a dict of generation B. */
#ifndef SC_CONFIG_PRO_CREDENTIAL_H
#define SC_CONFIG_PRO_CREDENTIAL_H

#include "change.h"
#include "session-core/config/profile_pro.h"

/* True if the value of the entry, which may be NULL, is a credential. */
bool sc_pro_credential_read(sc_pro_credential *out, const sc_config_entry *entry);

/* Compares two credentials in constant time. */
bool sc_pro_credential_same(const sc_pro_credential *a, const sc_pro_credential *b);

/* Replaces the value of the key. */
void sc_pro_credential_write(sc_config_change *change, const char *key, const sc_pro_credential *credential);

/* Converts a time to seconds; older versions stored milliseconds. */
int64_t sc_pro_seconds(int64_t time);

#endif
