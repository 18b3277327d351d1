/* The base room: what every other room stands on. */
#ifndef SC_BASE_H
#define SC_BASE_H

#include "base/bt.h"
#include "base/bytes.h"
#include "base/encoding.h"
#include "base/env.h"
#include "base/json.h"
#include "base/secret.h"
#include "base/status.h"

#endif
