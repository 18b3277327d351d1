#pragma once

#include <ngtcp2/ngtcp2_crypto_gnutls.h>
