#include "story.h"

#include <stdio.h>

#include "decisions.h"

enum { name_chars = 64 };

/* The current case and step; scripts run one at a time. */
static const sc_json *whole;
static const sc_json *step_now;

static const sc_json *member(const sc_json *object, const char *field) {
  const sc_json *value = NULL;
  return sc_json_member(&value, object, field) == SC_OK ? value : NULL;
}

static sc_bytes text_of(const sc_json *object, const char *field) {
  sc_bytes text = sc_bytes_text("");
  return sc_json_member_string(&text, object, field) == SC_OK ? text : sc_bytes_text("");
}

void story_results(known_case *c) {
  c->json = member(step_now, "result");
}

const sc_json *story_step_labelled(known_case *c, sc_bytes label) {
  const sc_json *steps = member(whole, "steps");
  for (size_t i = 0; i < sc_json_count(steps); i++) {
    const sc_json *step = NULL;
    if (sc_json_element(&step, steps, i) != SC_OK || step == step_now)
      break;
    if (label.len > 0 && sc_bytes_same(text_of(step, "label"), label))
      return step;
  }
  known_differs(c, "no earlier step has the label %.*s", (int)label.len, (const char *)label.ptr);
  return NULL;
}

/* The bytes of a result, under any of their possible names. */
static sc_bytes recorded_bytes(known_case *c, const sc_json *step) {
  static const char *const fields[] = {"message", "dump", "ciphertext", "auth_data"};
  const sc_json *result = step == NULL ? NULL : member(step, "result");
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    const sc_json *value = result == NULL ? NULL : member(result, fields[i]);
    if (value != NULL)
      return known_hex_of(c, value);
  }
  known_differs(c, "a step left no bytes under its label");
  return sc_bytes_text("");
}

sc_bytes story_bytes(known_case *c, const char *label_field, const char *inline_field) {
  if (!known_has(c, label_field))
    return known_hex(c, inline_field);
  return recorded_bytes(c, story_step_labelled(c, known_text(c, label_field)));
}

static const story_step *find_step(const story_script *script, const char *name) {
  for (size_t i = 0; i < script->step_count; i++)
    if (strcmp(script->steps[i].name, name) == 0)
      return &script->steps[i];
  return NULL;
}

/* The status of the step: an input no call accepts refuses it. */
static sc_status run_step(const story_step *step, void *story, known_case *c) {
  sc_status status = step->run(story, c);
  sc_status refusal = c->refusal;
  c->refusal = SC_OK;
  c->json = step_now;
  return refusal != SC_OK ? refusal : status;
}

static void judge(known_case *c, const char *name, size_t index, const vector_decision *decision,
                  sc_status status) {
  sc_bytes expect = text_of(member(step_now, "result"), "expect");
  bool accepts = sc_bytes_same(expect, sc_bytes_text("ok"));
  const char *ended = status == SC_OK ? "success" : sc_status_name(status);
  if (status == SC_ERR_NO_MEMORY)
    known_differs(c, "step %zu, %s: ran out of memory", index, name);
  else if (decision != NULL && !decision->is_ours(status))
    known_differs(c, "step %zu, %s: ended with %s, must be: %s", index, name, ended, decision->outcome);
  else if (decision == NULL && accepts != (status == SC_OK))
    known_differs(c, "step %zu, %s: ended with %s, recorded is otherwise", index, name, ended);
}

/* Adds the position in the script to a difference. */
static void place_flaw(known_case *c, const char *name, size_t index) {
  char flaw[known_flaw_chars];
  if (c->flaw[0] == '\0' || strncmp(c->flaw, "step ", 5) == 0)
    return;
  snprintf(flaw, sizeof flaw, "%s", c->flaw);
  c->flaw[0] = '\0';
  known_differs(c, "step %zu, %s: %s", index, name, flaw);
}

/* Steps added to a recording do not have the state after them. */
static void compare_after(const story_script *script, void *story, known_case *c) {
  const sc_json *result = member(step_now, "result");
  if (c->flaw[0] == '\0' && result != NULL && member(result, "after") != NULL)
    script->after(story, c);
  c->json = step_now;
}

static void do_step(const story_script *script, void *story, known_case *c, size_t index) {
  char name[name_chars];
  sc_bytes text = text_of(step_now, "do");
  snprintf(name, sizeof name, "%.*s", (int)text.len, (const char *)text.ptr);
  const story_step *step = find_step(script, name);
  if (step == NULL) {
    known_differs(c, "step %zu: unknown step %s", index, name);
    return;
  }
  const vector_decision *decision = vector_decision_for(script->topic, name, c);
  c->accepts = decision == NULL; /* a decided difference: the recording is not compared */
  sc_status status = run_step(step, story, c);
  c->accepts = true;
  judge(c, name, index, decision, status);
  compare_after(script, story, c);
  place_flaw(c, name, index);
}

sc_status story_run(const story_script *script, void *story, known_case *c) {
  whole = c->json;
  const sc_json *steps = known_field(c, "steps");
  for (size_t i = 0; i < sc_json_count(steps) && c->flaw[0] == '\0'; i++) {
    if (sc_json_element(&step_now, steps, i) != SC_OK)
      break;
    c->json = step_now;
    do_step(script, story, c, i);
  }
  c->json = whole;
  return SC_OK;
}
