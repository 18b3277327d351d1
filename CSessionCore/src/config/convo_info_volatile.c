#include "convo_info_volatile.h"

#include "data.h"

static const sc_config_type type = {
    .domain = "ConvoInfoVolatile",
    .name_space = 4,
    .kind = SC_LEGACY_CONFIG_CONVERSATIONS,
    .has_archive = true,
    .before_push = sc_convo_before_push,
    .edits_clean = sc_convo_ages_clean,
    .after_merge = sc_convo_after_merge,
};

sc_status sc_convo_info_new(sc_convo_info **out, const sc_env *env, const sc_keypair *account,
                            sc_bytes dump) {
  *out = NULL;
  sc_convo_info *info = sc_allocate(env, sizeof *info);
  if (info == NULL)
    return SC_ERR_NO_MEMORY;
  *info = (sc_convo_info){.env = env};
  const sc_config_setup setup = {.type = &type, .object = info, .account = account, .dump = dump};
  sc_status status = sc_config_new(&info->config, env, &setup);
  if (status == SC_OK)
    *out = info;
  else
    sc_convo_info_free(info);
  return status;
}

void sc_convo_info_free(sc_convo_info *info) {
  if (info == NULL)
    return;
  const sc_env *env = info->env;
  sc_config_free(info->config);
  sc_release(env, info);
}

sc_config *sc_convo_info_config(const sc_convo_info *info) {
  return info->config;
}

void sc_convo_info_set_ageing(sc_convo_info *info, sc_convo_ageing ageing) {
  info->ageing = ageing;
}

/* Looking conversations up */

/* A conversation whose kind, and id or community, are set: synced, or else archived. */
static sc_status find_with(sc_convo_finder finder, sc_convo *convo, const sc_convo_info *info) {
  const sc_convo_section *section;
  sc_status status = sc_convo_section_of(&section, convo);
  if (status == SC_OK)
    status = finder(convo, section, info->env, sc_config_data(info->config));
  if (status != SC_ERR_NOT_FOUND)
    return status;
  convo->archived = true;
  status = finder(convo, section, info->env, sc_config_archive(info->config));
  convo->archived = status == SC_OK;
  return status;
}

static sc_status find(sc_convo *convo, const sc_convo_info *info) {
  return find_with(sc_convo_find, convo, info);
}

/* Also in a room whose server has no key. */
static sc_status find_record(sc_convo *convo, const sc_convo_info *info) {
  return find_with(sc_convo_find_record, convo, info);
}

/* Gives out a conversation that was found. */
static sc_status give(sc_convo *out, const sc_convo *convo, sc_status status) {
  if (status == SC_OK)
    *out = *convo;
  return status;
}

static sc_status or_blank(sc_status status) {
  return status == SC_ERR_NOT_FOUND ? SC_OK : status;
}

static sc_convo blank(sc_convo_kind kind, const sc_id *id) {
  return (sc_convo){.kind = kind, .id = *id};
}

static sc_status blank_community(sc_convo *out, sc_bytes url, sc_bytes room, const uint8_t *key) {
  *out = (sc_convo){.kind = SC_CONVO_COMMUNITY};
  return sc_community_make(&out->community, url, room, key);
}

/* A kind that has ids. */
static sc_status find_by_id(sc_convo *convo, const sc_convo_info *info) {
  return convo->kind == SC_CONVO_COMMUNITY ? SC_ERR_ARGUMENT : find(convo, info);
}

sc_status sc_convo_info_get(sc_convo *out, const sc_convo_info *info, sc_convo_kind kind, const sc_id *id) {
  sc_convo convo = blank(kind, id);
  return give(out, &convo, find_by_id(&convo, info));
}

sc_status sc_convo_info_get_or_make(sc_convo *out, const sc_convo_info *info, sc_convo_kind kind,
                                    const sc_id *id) {
  sc_convo convo = blank(kind, id);
  return give(out, &convo, or_blank(find_by_id(&convo, info)));
}

sc_status sc_convo_info_get_community(sc_convo *out, const sc_convo_info *info, sc_bytes url, sc_bytes room) {
  sc_convo convo;
  sc_status status = blank_community(&convo, url, room, NULL);
  return give(out, &convo, status == SC_OK ? find(&convo, info) : status);
}

sc_status sc_convo_info_get_or_make_community(sc_convo *out, const sc_convo_info *info, sc_bytes url,
                                              sc_bytes room, const uint8_t key[SC_AT_LEAST(32)]) {
  sc_convo convo;
  sc_status status = blank_community(&convo, url, room, key);
  if (status == SC_OK)
    status = or_blank(find_record(&convo, info));
  memcpy(convo.community.key, key, sizeof convo.community.key);
  return give(out, &convo, status);
}

/* Going through conversations */

static const sc_config_node *data_of(const sc_convo_info *info, bool archived) {
  return archived ? sc_config_archive(info->config) : sc_config_data(info->config);
}

/* The first conversation of `section` that comes after another one, or of the sections behind. */
static sc_status next_from(sc_convo *out, const sc_convo_info *info, const sc_convo_section *section,
                           const sc_convo *after, bool archived) {
  const sc_config_node *data = data_of(info, archived);
  sc_convo_walk walk;
  sc_convo convo;
  sc_status status = sc_convo_walk_begin(&walk, section, info->env, data, after);
  while (status == SC_OK && !sc_convo_walk_next(&convo, &walk)) {
    if (sc_convo_is_last_section(section))
      return SC_ERR_NOT_FOUND;
    status = sc_convo_walk_begin(&walk, ++section, info->env, data, NULL);
  }
  convo.archived = archived;
  return give(out, &convo, status);
}

sc_status sc_convo_info_first(sc_convo *out, const sc_convo_info *info) {
  return next_from(out, info, sc_convo_sections, NULL, false);
}

sc_status sc_convo_info_first_archived(sc_convo *out, const sc_convo_info *info) {
  return next_from(out, info, sc_convo_sections, NULL, true);
}

sc_status sc_convo_info_next(sc_convo *convo, const sc_convo_info *info) {
  const sc_convo_section *section;
  sc_status status = sc_convo_section_of(&section, convo);
  return status == SC_OK ? next_from(convo, info, section, convo, convo->archived) : status;
}

sc_status sc_convo_info_count(size_t *out, const sc_convo_info *info, sc_convo_kind kind) {
  const sc_convo_section *section = sc_convo_first_section(kind);
  const sc_config_node *data = sc_config_data(info->config);
  if (section == NULL)
    return SC_ERR_ARGUMENT;
  if (kind == SC_CONVO_COMMUNITY) {
    *out = sc_config_rooms_count(data, section->name);
    return SC_OK;
  }
  const sc_bytes name = sc_bytes_text(section->name);
  return sc_config_section_size(out, info->env, data, (sc_config_path){&name, 1});
}

/* Editing */

/* As clients of 2025 do: setting an earlier time does not mean forgetting the conversation. */
static bool drops_time(const sc_config_record *record, int64_t time_ms, uint64_t wall_ms) {
  sc_config_fields fields;
  sc_config_record_before(&fields, record);
  return !sc_convo_is_recent(time_ms, wall_ms) && time_ms >= sc_config_read_integer(&fields, "r");
}

static void write_fields(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo,
                         uint64_t wall_ms) {
  sc_convo_path keys;
  sc_config_record record;
  if (section->kind == SC_CONVO_COMMUNITY)
    sc_config_room_begin(&record, keys.keys, &change->synced, section->name, &convo->community);
  else
    sc_config_record_begin(&record, &change->synced, sc_convo_path_of(&keys, section, convo));
  if (change->info->ageing == SC_CONVO_ARCHIVES || !drops_time(&record, convo->last_read_ms, wall_ms))
    sc_config_write_positive(&record, "r", convo->last_read_ms);
  sc_config_write_flag(&record, "u", convo->unread);
  if (section->kind == SC_CONVO_BLINDED && !sc_config_record_is_empty(&record))
    sc_config_write_flag(&record, "y", section->id_kind == SC_ID_BLINDED_15);
  sc_config_record_end(&record);
}

/* True if the archive has an equal conversation, and keeps it. */
static bool stays_archived(const sc_convo_info *info, const sc_convo *convo, uint64_t wall_ms) {
  sc_convo found = *convo;
  return find(&found, info) == SC_OK && found.archived && found.last_read_ms == convo->last_read_ms &&
         found.unread == convo->unread && sc_convo_has_aged(&found, wall_ms);
}

sc_status sc_convo_info_set(sc_convo_info *info, const sc_convo *convo, uint64_t wall_ms) {
  const sc_convo_section *section;
  sc_convo_change change;
  sc_status status = sc_convo_section_of(&section, convo);
  if (status != SC_OK || (info->ageing == SC_CONVO_ARCHIVES && stays_archived(info, convo, wall_ms)))
    return status;
  sc_convo_change_begin(&change, info);
  sc_convo_restore(&change, section, convo);
  write_fields(&change, section, convo, wall_ms);
  sc_convo_settle(&change, section, convo, wall_ms);
  return sc_convo_change_end(&change);
}

sc_status sc_convo_remove(sc_config_node **data, const sc_env *env, const sc_convo_section *section,
                          const sc_convo *convo) {
  sc_convo_path keys;
  if (section->kind != SC_CONVO_COMMUNITY)
    return sc_config_data_edit(data, env, SC_CONFIG_ERASE, sc_convo_path_of(&keys, section, convo),
                               sc_config_integer(0));
  sc_status status = sc_config_rooms_erase(data, env, section->name, &convo->community);
  return status == SC_OK ? sc_config_rooms_tidy(data, env, section->name, &convo->community) : status;
}

/* A conversation whose kind, and id or community, are set. */
static sc_status erase(bool *erased, sc_convo_info *info, const sc_convo *convo) {
  const sc_convo_section *section;
  sc_convo_change change;
  sc_convo found = *convo;
  *erased = false;
  sc_status status = find_record(&found, info);
  if (status == SC_OK)
    status = sc_convo_section_of(&section, convo);
  if (status != SC_OK)
    return or_blank(status);
  sc_convo_change_begin(&change, info);
  if (change.synced.status == SC_OK)
    change.synced.status = sc_convo_remove(&change.synced.data, info->env, section, convo);
  sc_convo_unarchive(&change, section, convo);
  status = sc_convo_change_end(&change);
  *erased = status == SC_OK;
  return status;
}

sc_status sc_convo_info_erase(bool *erased, sc_convo_info *info, sc_convo_kind kind, const sc_id *id) {
  sc_convo convo = blank(kind, id);
  *erased = false;
  return kind == SC_CONVO_COMMUNITY ? SC_ERR_ARGUMENT : erase(erased, info, &convo);
}

sc_status sc_convo_info_erase_community(bool *erased, sc_convo_info *info, sc_bytes url, sc_bytes room) {
  sc_convo convo;
  *erased = false;
  sc_status status = blank_community(&convo, url, room, NULL);
  return status == SC_OK ? erase(erased, info, &convo) : status;
}
