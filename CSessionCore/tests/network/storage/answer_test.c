#include "support/test.h"

typedef struct known_answer {
  bool is_error;
  const char *bytes;
  int code;
  const char *body;
} known_answer;

static void replies_of_every_form_are_read(sc_test *t) {
  static const known_answer known[] = {
      {false, "[200,{\"a\":1}]", 200, "{\"a\":1}"},
      {false, " [ 200 , {\"a\":1} ] ", 200, " [ 200 , {\"a\":1} ] "},
      {false, "[ 200 , {\"a\":1} ] \n", 200, "{\"a\":1} "},
      {false, "li200ed1:ai1eee", 200, "d1:ai1ee"},
      {false, "pong", 200, "pong"},
      {false, "", 200, ""},
      {false, "{\"a\":1}", 200, "{\"a\":1}"},
      {false, "[1,2]", 200, "[1,2]"},
      {true, "421 Misdirected Request\n\n[421,{\"snodes\":[]}]", 421, "{\"snodes\":[]}"},
      {true, "421 Misdirected Request\n\nli421ed6:snodesleee", 421, "d6:snodeslee"},
      {true, "401 Unauthorized\n\nretrieve signature verification failed", 401,
       "retrieve signature verification failed"},
      {true, "503 \n\n", 503, ""},
  };
  sc_storage_answer answer;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    OK(sc_storage_answer_parse(&answer, known[i].is_error, sc_bytes_text(known[i].bytes)));
    CHECK(answer.code == known[i].code);
    SAME(sc_bytes_text(known[i].body), answer.body);
  }
done:;
}

static void errors_without_a_code_are_refused(sc_test *t) {
  static const char *const bad[] = {"",
                                    "4",
                                    "421",
                                    "421 ",
                                    "421 X",
                                    "421 X\n",
                                    "421 X\nbody",
                                    "42x X\n\nbody",
                                    "099 X\n\n",
                                    "600 X\n\n",
                                    "4210 X\n\n",
                                    "no such endpoint",
                                    "421 X\n\n[401,{}]",
                                    "421 X\n\nli401edee"};
  sc_storage_answer answer;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_STORAGE_REPLY, sc_storage_answer_parse(&answer, true, sc_bytes_text(bad[i])));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_answer_parse(&answer, false, sc_bytes_text("[404,{}]")));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_answer_parse(&answer, true, sc_bytes_text("600 X\n\nli600edee")));
  FAILS(SC_ERR_STORAGE_REPLY, sc_storage_answer_parse(&answer, false, sc_bytes_text("li404edee")));
  FAILS(SC_ERR_TOO_LARGE,
        sc_storage_answer_parse(&answer, false, sc_bytes_make("x", SC_STORAGE_MAX_BYTES + 1)));
done:;
}

static sc_status written(sc_test *t, sc_storage_body kind, int code, const char *body, const char *expected) {
  const sc_storage_answer answer = {code, sc_bytes_text(body)};
  sc_storage_answer read;
  sc_buffer out;
  bool is_error;
  sc_buffer_init(&out, t->env);
  sc_status status = sc_storage_answer_write(&out, &is_error, kind, &answer);
  if (status == SC_OK && !sc_test_same(t, __FILE__, __LINE__, sc_bytes_text(expected), sc_buffer_bytes(&out)))
    status = SC_ERR_STATE;
  if (status == SC_OK)
    status = sc_storage_answer_parse(&read, is_error, sc_buffer_bytes(&out));
  if (status == SC_OK &&
      (is_error != (code != 200) || read.code != code || !sc_bytes_same(read.body, answer.body)))
    status = SC_ERR_STATE;
  sc_buffer_free(&out);
  return status;
}

static void replies_are_written_in_their_form(sc_test *t) {
  OK(written(t, SC_STORAGE_BODY_JSON, 200, "{}", "[200,{}]"));
  OK(written(t, SC_STORAGE_BODY_BT, 200, "de", "li200edee"));
  OK(written(t, SC_STORAGE_BODY_PLAIN, 200, "pong", "pong"));
  OK(written(t, SC_STORAGE_BODY_JSON, 421, "{}", "421 Misdirected Request\n\n[421,{}]"));
  OK(written(t, SC_STORAGE_BODY_BT, 404, "de", "404 Not Found\n\nli404edee"));
  OK(written(t, SC_STORAGE_BODY_PLAIN, 418, "x", "418 Error\n\nx"));
  FAILS(SC_ERR_ARGUMENT, written(t, SC_STORAGE_BODY_PLAIN, 99, "x", ""));
  FAILS(SC_ERR_ARGUMENT, written(t, SC_STORAGE_BODY_PLAIN, 600, "x", ""));
done:;
}

typedef struct known_refusal {
  sc_status why;
  const char *method;
  int code;
  const char *text;
} known_refusal;

static void refusals_have_known_codes_and_texts(sc_test *t) {
  static const known_refusal known[] = {
      {SC_ERR_STORAGE_SYNTAX, "", 400, "invalid json"},
      {SC_ERR_STORAGE_SYNTAX, "store", 400, "invalid body: expected json or bt_dict"},
      {SC_ERR_STORAGE_NO_METHOD, "", 400, "invalid json: no `method` field"},
      {SC_ERR_STORAGE_NO_PARAMETERS, "", 400, "invalid json: no `params` field"},
      {SC_ERR_STORAGE_METHOD, "reboot", 400, "no method reboot"},
      {SC_ERR_STORAGE_PARAMETER, "store", 400, "invalid request: missing or invalid parameter"},
      {SC_ERR_STORAGE_BATCH, "batch", 400, "invalid request: an empty, too long or nested batch"},
      {SC_ERR_STORAGE_UNAUTHORIZED, "retrieve", 401, "retrieve signature verification failed"},
      {SC_ERR_STORAGE_LIFETIME, "store", 403, "Provided expiry/TTL is not valid."},
      {SC_ERR_STORAGE_CLOCK, "store", 406, "Timestamp error: check your clock"},
      {SC_ERR_TOO_LARGE, "store", 413, "invalid request: larger than the limit"},
      {SC_ERR_NO_MEMORY, "store", 500, "request failed"},
  };
  sc_buffer text;
  sc_buffer_init(&text, t->env);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    OK(sc_storage_refusal_write(&text, known[i].why, sc_bytes_text(known[i].method)));
    SAME(sc_bytes_text(known[i].text), sc_buffer_bytes(&text));
    CHECK(sc_storage_refusal_code(known[i].why) == known[i].code);
  }
done:
  sc_buffer_free(&text);
}

SUITE(network_storage_answer, "network/storage/answer",
      {"replies of every form are read", replies_of_every_form_are_read},
      {"errors without a code are refused", errors_without_a_code_are_refused},
      {"replies are written in their form", replies_are_written_in_their_form},
      {"refusals have known codes and texts", refusals_have_known_codes_and_texts});
