/* The base room: types and functions that every other room uses. */
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
