/* The crypto room: keys, ids, phrases, encryption, signatures and blinding. */
#ifndef SC_CRYPTO_H
#define SC_CRYPTO_H

#include "crypto/account.h"
#include "crypto/blinded_seal.h"
#include "crypto/blinding.h"
#include "crypto/box.h"
#include "crypto/community_request.h"
#include "crypto/group_seal.h"
#include "crypto/hash.h"
#include "crypto/hop.h"
#include "crypto/id.h"
#include "crypto/kept_file.h"
#include "crypto/keys.h"
#include "crypto/kick.h"
#include "crypto/legacy_file.h"
#include "crypto/mlkem.h"
#include "crypto/multi_seal.h"
#include "crypto/name.h"
#include "crypto/passphrase.h"
#include "crypto/phrase.h"
#include "crypto/picture.h"
#include "crypto/push.h"
#include "crypto/release.h"
#include "crypto/seal.h"
#include "crypto/signature.h"
#include "crypto/sink.h"
#include "crypto/stream_file.h"
#include "crypto/subaccount.h"

#endif
