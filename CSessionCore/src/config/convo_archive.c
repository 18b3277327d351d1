/* Ageing of conversations: old read positions move from the synchronised data, which stays small, to the
 * archive, data of the same form that only this device has. */
#include "convo_info_volatile.h"

#include "data.h"
#include "diff.h"

/* The limit of the archive */

/* Goes through an archive: counts the conversations that were last read until a time, or erases them. */
static sc_status until(size_t *count, sc_config_node **archive, const sc_env *env, int64_t time_ms,
                       bool erases) {
  sc_config_node *before = sc_config_tree_keep(*archive);
  sc_status status = SC_OK;
  sc_convo_walk walk;
  sc_convo convo;
  *count = 0;
  for (size_t i = 0; i < sc_convo_section_count && status == SC_OK; i++) {
    status = sc_convo_walk_begin(&walk, &sc_convo_sections[i], env, before, NULL);
    while (status == SC_OK && sc_convo_walk_next(&convo, &walk)) {
      if (convo.last_read_ms > time_ms)
        continue;
      ++*count;
      if (erases)
        status = sc_convo_remove(archive, env, &sc_convo_sections[i], &convo);
    }
  }
  sc_config_tree_drop(env, before);
  return status;
}

/* The earliest time until which a number of conversations were last read. */
static sc_status time_of(int64_t *out, sc_config_node *archive, const sc_env *env, size_t number) {
  int64_t low = 0, high = INT64_MAX;
  sc_status status = SC_OK;
  while (low < high && status == SC_OK) {
    int64_t middle = low + (high - low) / 2;
    size_t count;
    status = until(&count, &archive, env, middle, false);
    if (count >= number)
      high = middle;
    else
      low = middle + 1;
  }
  *out = low;
  return status;
}

/* Drops the quarter that was read longest ago, so that this is rarely needed. Unreadable entries are dropped
 * last. */
static sc_status shorten(sc_config_node **archive, const sc_env *env) {
  sc_status status = SC_OK;
  while (status == SC_OK && sc_config_tree_size(*archive) > SC_CONVO_MAX_ARCHIVE_BYTES) {
    int64_t time_ms;
    size_t count;
    status = until(&count, archive, env, INT64_MAX, false);
    if (status == SC_OK && count == 0) {
      sc_config_tree_drop(env, *archive);
      *archive = NULL;
    }
    if (status == SC_OK)
      status = time_of(&time_ms, *archive, env, count / 4 + 1);
    if (status == SC_OK)
      status = until(&count, archive, env, time_ms, true);
  }
  return status;
}

/* Changes of both */

void sc_convo_change_begin(sc_convo_change *out, sc_convo_info *info) {
  out->info = info;
  sc_config_change_begin(&out->synced, info->config);
  out->archive = sc_config_tree_keep(sc_config_archive(info->config));
}

sc_status sc_convo_change_end(sc_convo_change *change) {
  sc_config *config = change->info->config;
  if (change->synced.status == SC_OK)
    change->synced.status = shorten(&change->archive, change->info->env);
  bool same = sc_config_data_same(sc_config_archive(config), change->archive);
  sc_status status = sc_config_change_end(&change->synced);
  if (status == SC_OK && !same)
    sc_config_set_archive(config, change->archive);
  sc_config_tree_drop(change->info->env, change->archive);
  change->archive = NULL;
  return status;
}

void sc_convo_unarchive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  if (change->synced.status == SC_OK)
    change->synced.status = sc_convo_remove(&change->archive, change->info->env, section, convo);
}

/* Copies the record at a path of `from` to the same path of `*to`; `*copied` says whether there was one. */
static sc_status copy_record(bool *copied, sc_config_node **to, const sc_env *env, const sc_config_node *from,
                             sc_config_path path) {
  sc_config_place place;
  sc_status status = sc_config_data_find(&place, env, from, path);
  *copied = status == SC_OK && place.entry != NULL && sc_config_entry_kind(place.entry) == SC_CONFIG_DICT;
  return *copied ? sc_config_data_put_entry(to, env, path, place.entry) : status;
}

void sc_convo_restore(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  const sc_env *env = change->info->env;
  sc_convo_path keys;
  sc_convo found = *convo;
  bool copied;
  if (change->synced.status != SC_OK || change->archive == NULL)
    return;
  sc_status status = sc_convo_find(&found, section, env, change->synced.data);
  if (status == SC_ERR_NOT_FOUND)
    status = copy_record(&copied, &change->synced.data, env, change->archive,
                         sc_convo_path_of(&keys, section, convo));
  change->synced.status = status;
}

/* Puts a synced conversation into the archive, too. */
static sc_status archive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  const sc_env *env = change->info->env;
  sc_convo_path keys;
  bool copied;
  sc_status status = copy_record(&copied, &change->archive, env, change->synced.data,
                                 sc_convo_path_of(&keys, section, convo));
  if (status != SC_OK || !copied || section->kind != SC_CONVO_COMMUNITY)
    return status;
  const sc_bytes to_key[] = {keys.keys[0], keys.keys[1], sc_bytes_text("#")};
  return sc_config_data_edit(&change->archive, env, SC_CONFIG_PUT,
                             (sc_config_path){to_key, sizeof to_key / sizeof to_key[0]},
                             sc_config_string(SC_BYTES(convo->community.key)));
}

static void move_to_archive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  if (change->synced.status == SC_OK)
    change->synced.status = archive(change, section, convo);
  if (change->synced.status == SC_OK)
    change->synced.status = sc_convo_remove(&change->synced.data, change->info->env, section, convo);
}

/* Age */

/* The time so long ago; less than 0, and everything is later, while the clock has not even come so far. */
static int64_t time_ago(int64_t age_ms, uint64_t wall_ms) {
  return (wall_ms > INT64_MAX ? INT64_MAX : (int64_t)wall_ms) - age_ms;
}

bool sc_convo_is_recent(int64_t time_ms, uint64_t wall_ms) {
  return time_ms > time_ago(SC_CONVO_ARCHIVE_MS, wall_ms);
}

/* True if it was read before one time, and had no Pro since another. */
static bool has_aged(const sc_convo *convo, int64_t read_before_ms, int64_t pro_since_ms) {
  bool pro = convo->pro_expiry_s > 0 && convo->pro_expiry_s * 1000 >= pro_since_ms;
  return !convo->unread && !pro && convo->last_read_ms < read_before_ms;
}

bool sc_convo_has_aged(const sc_convo *convo, uint64_t wall_ms) {
  int64_t oldest_ms = time_ago(SC_CONVO_ARCHIVE_MS, wall_ms);
  return has_aged(convo, oldest_ms + 1, oldest_ms);
}

/* Clients of 2025 keep the server of a room that they do not store; in that mode we must write the same. */
void sc_convo_settle(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo,
                     uint64_t wall_ms) {
  const sc_env *env = change->info->env;
  sc_convo stored = *convo;
  if (change->synced.status != SC_OK)
    return;
  sc_convo_unarchive(change, section, convo);
  if (change->info->ageing != SC_CONVO_ARCHIVES || convo->unread ||
      sc_convo_is_recent(convo->last_read_ms, wall_ms))
    return;
  sc_config_change_settle(&change->synced);
  if (change->synced.status != SC_OK)
    return;
  sc_status status = sc_convo_find(&stored, section, env, change->synced.data);
  if (status == SC_OK && sc_convo_has_aged(&stored, wall_ms))
    move_to_archive(change, section, convo);
  else if (status == SC_ERR_NOT_FOUND && section->kind == SC_CONVO_COMMUNITY)
    change->synced.status = sc_config_rooms_tidy(&change->synced.data, env, section->name, &convo->community);
  else if (status != SC_ERR_NOT_FOUND)
    change->synced.status = status;
}

/* Goes through the data as it was before the change. */
static void age_section(sc_convo_change *change, const sc_convo_section *section, int64_t oldest_ms) {
  sc_convo_info *info = change->info;
  sc_convo_walk walk;
  sc_convo convo;
  if (change->synced.status == SC_OK)
    change->synced.status =
        sc_convo_walk_begin(&walk, section, info->env, sc_config_data(info->config), NULL);
  while (change->synced.status == SC_OK && sc_convo_walk_next(&convo, &walk)) {
    if (!has_aged(&convo, oldest_ms, oldest_ms))
      continue;
    if (info->ageing == SC_CONVO_ARCHIVES)
      move_to_archive(change, section, &convo);
    else
      change->synced.status = sc_convo_remove(&change->synced.data, info->env, section, &convo);
  }
}

static void age(sc_convo_change *change, uint64_t wall_ms) {
  bool archives = change->info->ageing == SC_CONVO_ARCHIVES;
  int64_t oldest_ms = time_ago(archives ? SC_CONVO_ARCHIVE_MS : SC_CONVO_DROP_MS, wall_ms);
  for (size_t i = 0; i < sc_convo_section_count; i++)
    if (archives || sc_convo_sections[i].kind != SC_CONVO_GROUP)
      age_section(change, &sc_convo_sections[i], oldest_ms);
}

sc_status sc_convo_before_push(void *object, uint64_t wall_ms) {
  sc_convo_change change;
  sc_convo_change_begin(&change, object);
  age(&change, wall_ms);
  return sc_convo_change_end(&change);
}

/* Clients of 2025 do this even when nothing changes. */
bool sc_convo_ages_clean(const void *object) {
  const sc_convo_info *info = object;
  return info->ageing == SC_CONVO_DROPS;
}

sc_status sc_convo_info_age(sc_convo_info *info, uint64_t wall_ms) {
  return sc_convo_before_push(info, wall_ms);
}

/* After a merge */

/* Of two conversations in one section. */
static int compare_places(const sc_convo *a, const sc_convo *b) {
  if (a->kind != SC_CONVO_COMMUNITY)
    return memcmp(&a->id, &b->id, sizeof a->id);
  int order = strcmp(a->community.url, b->community.url);
  return order != 0 ? order : strcmp(a->community.room, b->community.room);
}

/* Removes conversations from the archive that are synchronised again, walking through both at once. */
static void unarchive_section(sc_convo_change *change, const sc_convo_section *section) {
  const sc_convo_info *info = change->info;
  sc_convo_walk archived, synced;
  sc_convo here, there;
  sc_status status =
      sc_convo_walk_begin(&archived, section, info->env, sc_config_archive(info->config), NULL);
  if (status == SC_OK)
    status = sc_convo_walk_begin(&synced, section, info->env, sc_config_data(info->config), NULL);
  sc_config_change_fail(&change->synced, status);
  bool both = status == SC_OK && sc_convo_walk_next(&here, &archived) && sc_convo_walk_next(&there, &synced);
  while (both && change->synced.status == SC_OK) {
    int order = compare_places(&here, &there);
    if (order == 0)
      sc_convo_unarchive(change, section, &here);
    both = (order > 0 || sc_convo_walk_next(&here, &archived)) &&
           (order < 0 || sc_convo_walk_next(&there, &synced));
  }
}

sc_status sc_convo_after_merge(void *object, uint64_t wall_ms) {
  sc_convo_change change;
  sc_convo_change_begin(&change, object);
  for (size_t i = 0; i < sc_convo_section_count; i++)
    unarchive_section(&change, &sc_convo_sections[i]);
  if (change.info->ageing == SC_CONVO_ARCHIVES)
    age(&change, wall_ms);
  return sc_convo_change_end(&change);
}
