/* The config room: documents that the devices of a person, or the members of a group, share. */
#ifndef SC_CONFIG_H
#define SC_CONFIG_H

#include "config/blinded_contacts.h"
#include "config/community_url.h"
#include "config/contacts.h"
#include "config/convo_info_volatile.h"
#include "config/envelope.h"
#include "config/group_info.h"
#include "config/group_keys.h"
#include "config/group_members.h"
#include "config/hashes.h"
#include "config/local.h"
#include "config/mark.h"
#include "config/message.h"
#include "config/multipart.h"
#include "config/object.h"
#include "config/profile_pro.h"
#include "config/savepoint.h"
#include "config/text.h"
#include "config/user_groups.h"
#include "config/user_profile.h"
#include "config/values.h"

#endif
