/* The records of conversations: their paths and their fields. */
#include "convo_info_volatile.h"

const sc_convo_section sc_convo_sections[sc_convo_section_count] = {
    {SC_CONVO_CONTACT, "1", SC_ID_STANDARD},    {SC_CONVO_GROUP, "g", SC_ID_GROUP},
    {SC_CONVO_COMMUNITY, "o", SC_ID_UNBLINDED}, {SC_CONVO_BLINDED, "b", SC_ID_BLINDED_15},
    {SC_CONVO_BLINDED, "b", SC_ID_BLINDED_25},  {SC_CONVO_LEGACY_GROUP, "C", SC_ID_STANDARD},
};

bool sc_convo_is_last_section(const sc_convo_section *section) {
  return section + 1 == sc_convo_sections + sc_convo_section_count;
}

const sc_convo_section *sc_convo_first_section(sc_convo_kind kind) {
  for (size_t i = 0; i < sc_convo_section_count; i++)
    if (sc_convo_sections[i].kind == kind)
      return &sc_convo_sections[i];
  return NULL;
}

sc_status sc_convo_section_of(const sc_convo_section **out, const sc_convo *convo) {
  const sc_convo_section *section = sc_convo_first_section(convo->kind);
  if (section == NULL)
    return SC_ERR_ARGUMENT;
  if (convo->kind == SC_CONVO_COMMUNITY) {
    *out = section;
    return sc_config_check_community(&convo->community);
  }
  for (;; section++) {
    if (section->kind != convo->kind)
      return SC_ERR_ID_KIND;
    if (section->id_kind == sc_id_kind_of(&convo->id)) {
      *out = section;
      return SC_OK;
    }
    if (sc_convo_is_last_section(section))
      return SC_ERR_ID_KIND;
  }
}

sc_config_path sc_convo_path_of(sc_convo_path *keys, const sc_convo_section *section, const sc_convo *convo) {
  if (section->kind == SC_CONVO_COMMUNITY)
    return sc_config_room_path(keys->keys, section->name, &convo->community);
  keys->keys[0] = sc_bytes_text(section->name);
  keys->keys[1] = SC_BYTES(convo->id.bytes);
  return (sc_config_path){keys->keys, 2};
}

/* Some clients store the time in milliseconds. */
static int64_t pro_seconds(int64_t expiry) {
  const int64_t largest_in_seconds = 1000000000000;
  return expiry > largest_in_seconds ? expiry / 1000 : expiry;
}

/* The two parts of the Pro data are meaningful only together. */
static void read_pro(sc_convo *out, int64_t expiry, sc_bytes tag) {
  bool whole = expiry > 0 && tag.len == sizeof out->pro_tag;
  out->pro_expiry_s = whole ? pro_seconds(expiry) : 0;
  memset(out->pro_tag, 0, sizeof out->pro_tag);
  if (whole)
    memcpy(out->pro_tag, tag.ptr, sizeof out->pro_tag);
}

static int64_t integer_of(const sc_config_entry *entry) {
  bool is_one = sc_config_entry_kind(entry) == SC_CONFIG_INTEGER;
  return is_one ? sc_encoded_scalar(entry->value).integer : 0;
}

static sc_bytes tag_of(const sc_config_entry *entry) {
  bool is_one = sc_config_entry_kind(entry) == SC_CONFIG_STRING;
  return is_one ? sc_encoded_scalar(entry->value).string : sc_bytes_make(NULL, 0);
}

/* The letter that a key of one letter is, as it is encoded. */
static uint8_t letter_of(sc_bytes key) {
  return key.len == strlen("1:r") ? key.ptr[key.len - 1] : 0;
}

/* In one go: there are few fields in a record, and many records that all are read after each merge. */
static void read_fields(sc_convo *out, sc_config_fields *fields) {
  const sc_config_entry *entry;
  int64_t pro_expiry = 0;
  sc_bytes pro_tag = {0};
  out->last_read_ms = 0;
  out->unread = false;
  for (; (entry = sc_config_walk_at(&fields->walk)) != NULL; sc_config_walk_next(&fields->walk)) {
    switch (letter_of(entry->key)) {
    case 'e':
      pro_expiry = integer_of(entry);
      break;
    case 'g':
      pro_tag = tag_of(entry);
      break;
    case 'r':
      out->last_read_ms = sc_config_clamp(integer_of(entry), 0, INT64_MAX);
      break;
    case 'u':
      out->unread = integer_of(entry) != 0;
      break;
    default:
      break;
    }
  }
  read_pro(out, pro_expiry, pro_tag);
}

sc_status sc_convo_find(sc_convo *convo, const sc_convo_section *section, const sc_env *env,
                        const sc_config_node *data) {
  sc_convo_path keys;
  sc_config_fields fields;
  sc_status status = section->kind == SC_CONVO_COMMUNITY
                         ? sc_config_rooms_find(&convo->community, &fields, env, data, section->name)
                         : sc_config_fields_find(&fields, env, data, sc_convo_path_of(&keys, section, convo));
  if (status == SC_OK)
    read_fields(convo, &fields);
  return status;
}

sc_status sc_convo_find_record(sc_convo *convo, const sc_convo_section *section, const sc_env *env,
                               const sc_config_node *data) {
  sc_convo_path keys;
  sc_config_fields fields;
  sc_status status = sc_config_fields_find(&fields, env, data, sc_convo_path_of(&keys, section, convo));
  if (status == SC_OK)
    read_fields(convo, &fields);
  return status;
}

sc_status sc_convo_walk_begin(sc_convo_walk *out, const sc_convo_section *section, const sc_env *env,
                              const sc_config_node *data, const sc_convo *after) {
  out->section = section;
  if (section->kind != SC_CONVO_COMMUNITY)
    return sc_config_section_begin_after(&out->at.ids, env, data, section->name, section->id_kind,
                                         after == NULL ? NULL : &after->id);
  if (after != NULL)
    return sc_config_rooms_begin_after(&out->at.rooms, env, data, section->name, &after->community);
  sc_config_rooms_begin(&out->at.rooms, data, section->name);
  return SC_OK;
}

bool sc_convo_walk_next(sc_convo *out, sc_convo_walk *walk) {
  sc_config_fields fields;
  *out = (sc_convo){.kind = walk->section->kind};
  bool found = walk->section->kind == SC_CONVO_COMMUNITY
                   ? sc_config_rooms_next(&out->community, &fields, &walk->at.rooms)
                   : sc_config_section_next(&out->id, &fields, &walk->at.ids);
  if (found)
    read_fields(out, &fields);
  return found;
}
