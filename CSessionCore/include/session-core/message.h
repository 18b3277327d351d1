/* The message room: typed messages to bytes on the wire and back. */
#ifndef SC_MESSAGE_H
#define SC_MESSAGE_H

#include "message/audio.h"
#include "message/body.h"
#include "message/content.h"
#include "message/decode.h"
#include "message/encode.h"
#include "message/file_url.h"
#include "message/group_update.h"
#include "message/html_head.h"
#include "message/kinds.h"
#include "message/padding.h"
#include "message/pro.h"
#include "message/rules.h"
#include "message/session_link.h"

#endif
