/* sc-vectors DIR|FILE…: runs every known topic of the given files of vectors through the public API. */
#include <stdio.h>

#include "decisions.h"
#include "documents.h"
#include "support/known_files.h"
#include "topics.h"

static const vector_topic *const topics[] = {
    &archive_topic,
    &blinding_topic,
    &bt_topic,
    &community_url_topic,
    &config_contacts_topic,
    &config_convo_info_volatile_topic,
    &config_encrypt_topic,
    &config_group_info_topic,
    &config_group_keys_topic,
    &config_group_members_topic,
    &config_message_topic,
    &config_user_groups_topic,
    &config_user_profile_topic,
    &keys_topic,
    &message_rules_topic,
    &multi_encrypt_topic,
    &onionreq_topic,
    &relay_topic,
    &session_encrypt_topic,
};

static const vector_document *const documents[] = {
    &mlkem768_document,
    &ratchet_document,
};

/* The name of a topic or kind; long enough for all known ones. */
enum { name_chars = 64 };

static const vector_topic *find_topic(const char *name) {
  for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
    if (strcmp(topics[i]->name, name) == 0)
      return topics[i];
  return NULL;
}

static const vector_document *find_document(const sc_json *json) {
  for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
    if (documents[i]->recognises(json))
      return documents[i];
  return NULL;
}

static const vector_kind *find_kind(const vector_topic *topic, const char *name) {
  for (size_t i = 0; i < topic->kind_count; i++)
    if (strcmp(topic->kinds[i].name, name) == 0)
      return &topic->kinds[i];
  return NULL;
}

/* The text of a member, truncated to fit; empty if there is none. */
static void copy_text(char out[name_chars], const sc_json *object, const char *key) {
  sc_bytes text = sc_bytes_text("");
  if (sc_json_member_string(&text, object, key) != SC_OK)
    text = sc_bytes_text("");
  snprintf(out, name_chars, "%.*s", (int)text.len, (const char *)text.ptr);
}

static bool settle(known_case *c, const char *topic, const vector_kind *kind) {
  const vector_decision *decision = vector_decision_for(topic, kind->name, c);
  if (decision == NULL)
    return known_case_verdict(c, kind->run(c));
  c->accepts = false; /* what the file recorded is not compared */
  sc_status status = decision->run != NULL ? decision->run(c) : kind->run(c);
  return known_case_verdict_of(c, status, decision->is_ours, decision->outcome);
}

static void print_failure(const char *path, size_t index, const known_case *c) {
  char kind[name_chars];
  sc_bytes note;
  copy_text(kind, c->json, "kind");
  printf("FAILED %s: case %zu, %s", path, index, kind);
  if (sc_json_member_string(&note, c->json, "note") == SC_OK ||
      sc_json_member_string(&note, c->json, "name") == SC_OK)
    printf(" (%.*s)", (int)note.len, (const char *)note.ptr);
  printf(": %s\n", c->flaw);
}

static bool run_case(const char *path, size_t index, const sc_json *json, const vector_topic *topic,
                     const vector_kind *kind) {
  char expect[name_chars];
  copy_text(expect, json, "expect");
  bool is_script = strcmp(kind->name, "script") == 0; /* which holds the expectations of each step */
  known_case c;
  known_case_begin(&c, json, is_script || strcmp(expect, "ok") == 0);
  if (!c.accepts && strcmp(expect, "error") != 0)
    known_differs(&c, "expect is neither ok nor error");
  bool passed = settle(&c, topic->name, kind);
  if (!passed)
    print_failure(path, index, &c);
  known_case_end(&c);
  return passed;
}

static const sc_json *case_at(const sc_json *cases, size_t index) {
  const sc_json *json = NULL;
  return sc_json_element(&json, cases, index) == SC_OK ? json : NULL;
}

/* Names each unknown kind once, with the number of its cases. */
static size_t count_unknown(const vector_topic *topic, const sc_json *cases, size_t index, const char *kind) {
  size_t same = 0;
  for (size_t i = 0; i < sc_json_count(cases); i++) {
    char other[name_chars];
    copy_text(other, case_at(cases, i), "kind");
    if (strcmp(other, kind) != 0)
      continue;
    if (i < index)
      return 0;
    same++;
  }
  printf("%s: skipped, unknown kind %s: %zu cases\n", topic->name, kind, same);
  return same;
}

static known_tally run_topic(const char *path, const vector_topic *topic, const sc_json *cases) {
  known_tally tally = {0};
  for (size_t i = 0; i < sc_json_count(cases); i++) {
    char name[name_chars];
    copy_text(name, case_at(cases, i), "kind");
    const vector_kind *kind = find_kind(topic, name);
    if (kind == NULL)
      tally.skipped += count_unknown(topic, cases, i, name);
    else if (run_case(path, i, case_at(cases, i), topic, kind))
      tally.passed++;
    else
      tally.failed++;
  }
  return tally;
}

/* The topic named in a file, or the file's name without its ending. */
static void name_topic(char out[name_chars], const sc_json *document, const char *path) {
  copy_text(out, document, "topic");
  if (out[0] != '\0')
    return;
  snprintf(out, name_chars, "%s", known_file_name(path));
  char *ending = strrchr(out, '.');
  if (ending != NULL)
    *ending = '\0';
}

static known_tally run_document(const char *path, const vector_document *known, const sc_json *document) {
  vector_report report = {.path = path};
  known->run(&report, document);
  known_tally_print(known->name, report.tally);
  return report.tally;
}

/* True if the file could be read. */
static bool run_file(known_tally *total, const char *path) {
  sc_json *document = known_document(path);
  if (document == NULL)
    return false;
  const vector_document *known = find_document(document);
  if (known != NULL) {
    known_tally_add(total, run_document(path, known, document));
    sc_json_free(document);
    return true;
  }
  char name[name_chars];
  name_topic(name, document, path);
  const vector_topic *topic = find_topic(name);
  const sc_json *cases = NULL;
  bool has_cases =
      sc_json_member(&cases, document, "cases") == SC_OK && sc_json_type_of(cases) == SC_JSON_ARRAY;
  known_tally tally = {0};
  if (topic == NULL) {
    printf("%s: skipped, unknown topic\n", name);
    tally.skipped = has_cases ? sc_json_count(cases) : 0;
  } else if (has_cases) {
    tally = run_topic(path, topic, cases);
  } else {
    fprintf(stderr, "%s: cannot be read: it has no list of cases\n", path);
    sc_json_free(document);
    return false;
  }
  known_tally_print(name, tally);
  known_tally_add(total, tally);
  sc_json_free(document);
  return true;
}

static const known_program program = {
    .name = "sc-vectors",
    .usage =
        "usage: sc-vectors FILE|FOLDER…  runs the vectors in these files, or in every .json file of a "
        "folder\n"
        "       sc-vectors --decisions   prints where we answer otherwise than the vectors record, and why\n"
        "Ends with 0 when no case failed, 1 when one did, 2 when a file cannot be read.\n",
    .choices = "--decisions",
    .print_choices = vector_decisions_print,
    .run_file = run_file,
};

int main(int argc, char **argv) {
  return known_main(&program, argc, argv);
}
