#include "archive/story.h"
#include "base/compression.h"

enum { MANIFEST = 1, ROWS, FILE_BEGIN, DATA, FILE_END, PROBLEM, END, LONG };

#define THREADS "{\"table\":\"thread\",\"columns\":[\"id\",\"name\"],\"rows\":"
#define ENDING(rows) "{\"rows\":{" rows "},\"files\":0,\"problems\":0,\"fileBytes\":0}"

/* One frame of a story; the manifest comes before them all. */
typedef struct step {
  uint8_t type;
  const char *payload;
} step;

typedef struct example {
  const sc_env *env;
  sc_buffer frames;
  story_log log;
} example;

static void example_init(example *e, const sc_env *env) {
  e->env = env;
  sc_buffer_init(&e->frames, env);
  story_log_init(&e->log, env);
}

static void example_free(example *e) {
  sc_buffer_free(&e->frames);
  story_log_free(&e->log);
}

static sc_status add_steps(example *e, const step *steps, size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK && steps[i].type != 0; i++)
    status = story_frame(&e->frames, steps[i].type, sc_bytes_text(steps[i].payload));
  return status;
}

/* Reads the manifest and up to `count` frames. */
static sc_status read_steps(example *e, const step *steps, size_t count) {
  sc_buffer_clear(&e->frames);
  sc_status status = story_manifest_frame(&e->frames);
  if (status == SC_OK)
    status = add_steps(e, steps, count);
  return status == SC_OK ? story_read(&e->log, e->env, sc_buffer_bytes(&e->frames), 0) : status;
}

static bool says(const example *e, const char *text) {
  return sc_bytes_same(sc_bytes_text(text), sc_buffer_bytes(&e->log.text));
}

static void frames_may_come_in_any_pieces(sc_test *t) {
  static const step steps[] = {{ROWS, THREADS "[[1,\"a\"],[2,{\"b\":\"AAA=\"}]]}"},
                               {FILE_BEGIN, "{\"file\":1,\"size\":3,\"folder\":\"avatars\"}"},
                               {DATA, "abc"},
                               {FILE_END, "{\"file\":1,\"complete\":false,\"error\":\"fileMissing\"}"},
                               {END, ENDING("\"thread\":2")}};
  example e;
  example_init(&e, t->env);
  OK(read_steps(&e, steps, 5));
  for (uint64_t sizes = 1; sizes < 20 && !t->torture; sizes++) {
    OK(story_read(&e.log, t->env, sc_buffer_bytes(&e.frames), sizes));
    CHECK(says(&e, "manifest alice table thread column id column name row i1 ta row i2 blob of 2 file 1 of 3 "
                   "end fileMissing "));
    SAME(sc_bytes_text("abc"), sc_buffer_bytes(&e.log.data));
  }
done:
  example_free(&e);
}

/* Stories that end with a failure, each with its name. */
static void bad_contents_are_refused(sc_test *t) {
  static const struct {
    sc_status status;
    step steps[5];
  } stories[] = {
      {SC_ERR_ARCHIVE_TRUNCATED, {{ROWS, THREADS "[]}"}}},
      {SC_ERR_ARCHIVE_ORDER, {{MANIFEST, "{}"}}},
      {SC_ERR_ARCHIVE_ORDER, {{END, ENDING("")}, {END, ENDING("")}}},
      {SC_ERR_ARCHIVE_ORDER, {{END, ENDING("")}, {200, ""}}},
      {SC_ERR_ARCHIVE_VERSION, {{9, ""}}},
      {SC_ERR_ARCHIVE_VERSION, {{127, ""}}},
      /* rows */
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[[1]]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[[1,2,3]]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[1]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "{}}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[[1,99999999999999999999]]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[[1,\"\\ud800\"]]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[[1,[[[[[[[]]]]]]]]]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, THREADS "[],\"rows\":[]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, "{\"table\":\"thread\",\"rows\":[]}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{ROWS, "[]"}}},
      {SC_ERR_ARCHIVE_FRAME,
       {{ROWS, THREADS "[]}"}, {ROWS, "{\"table\":\"thread\",\"columns\":[\"id\"],\"rows\":[]}"}}},
      {SC_ERR_ARCHIVE_ORDER, {{ROWS, "{\"table\":\"job\",\"columns\":[],\"rows\":[]}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{ROWS, THREADS "[]}"}, {ROWS, "{\"table\":\"file\",\"columns\":[],\"rows\":[]}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{FILE_BEGIN, "{\"file\":1,\"size\":0,\"folder\":\"avatars\"}"}, {ROWS, THREADS "[]}"}}},
      /* files */
      {SC_ERR_ARCHIVE_FRAME, {{FILE_BEGIN, "{\"file\":1,\"size\":0,\"folder\":\"../x\"}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{FILE_BEGIN, "{\"file\":1,\"size\":-1,\"folder\":\"avatars\"}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{FILE_BEGIN, "{\"file\":\"1\",\"size\":1,\"folder\":\"avatars\"}"}}},
      {SC_ERR_ARCHIVE_ORDER, {{DATA, "x"}}},
      {SC_ERR_ARCHIVE_ORDER, {{FILE_END, "{\"file\":1,\"complete\":false,\"error\":\"x\"}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"},
        {FILE_BEGIN, "{\"file\":2,\"size\":1,\"folder\":\"avatars\"}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"},
        {FILE_END, "{\"file\":1,\"complete\":false,\"error\":\"x\"}"},
        {FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"},
        {FILE_END, "{\"file\":2,\"complete\":false,\"error\":\"x\"}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"},
        {PROBLEM, "{\"kind\":\"\",\"item\":\"\",\"detail\":\"\"}"}}},
      {SC_ERR_ARCHIVE_ORDER,
       {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"}, {END, ENDING("")}}},
      {SC_ERR_ARCHIVE_FILE, {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"}, {DATA, "xy"}}},
      {SC_ERR_ARCHIVE_FILE,
       {{FILE_BEGIN, "{\"file\":1,\"size\":1,\"folder\":\"avatars\"}"},
        {DATA, "x"},
        {FILE_END, "{\"file\":1,\"complete\":true,\"blake2b\":"
                   "\"0000000000000000000000000000000000000000000000000000000000000000\"}"}}},
      {SC_ERR_ARCHIVE_FRAME,
       {{FILE_BEGIN, "{\"file\":1,\"size\":0,\"folder\":\"avatars\"}"},
        {FILE_END, "{\"file\":1,\"complete\":true}"}}},
      {SC_ERR_ARCHIVE_FRAME,
       {{FILE_BEGIN, "{\"file\":1,\"size\":0,\"folder\":\"avatars\"}"},
        {FILE_END, "{\"file\":1,\"complete\":false}"}}},
      /* problems and the end */
      {SC_ERR_ARCHIVE_FRAME, {{PROBLEM, "{\"kind\":1,\"item\":\"\",\"detail\":\"\"}"}}},
      {SC_ERR_ARCHIVE_FRAME, {{END, "{\"rows\":{},\"files\":0,\"problems\":0}"}}},
      {SC_ERR_ARCHIVE_COUNTS, {{END, ENDING("\"thread\":0")}}},
      {SC_ERR_ARCHIVE_COUNTS, {{ROWS, THREADS "[]}"}, {END, ENDING("")}}},
      {SC_ERR_ARCHIVE_COUNTS, {{ROWS, THREADS "[[1,2]]}"}, {END, ENDING("\"thread\":2")}}},
      {SC_ERR_ARCHIVE_COUNTS, {{ROWS, THREADS "[[1,2]]}"}, {END, ENDING("\"file\":1")}}},
      {SC_ERR_ARCHIVE_COUNTS,
       {{PROBLEM, "{\"kind\":\"\",\"item\":\"\",\"detail\":\"\"}"}, {END, ENDING("")}}},
      {SC_ERR_ARCHIVE_COUNTS, {{END, "{\"rows\":{},\"files\":1,\"problems\":0,\"fileBytes\":0}"}}},
      {SC_ERR_ARCHIVE_COUNTS, {{END, "{\"rows\":{},\"files\":0,\"problems\":5,\"fileBytes\":0}"}}},
  };
  example e;
  example_init(&e, t->env);
  for (size_t i = 0; i < sizeof stories / sizeof stories[0]; i++) {
    sc_status status = read_steps(&e, stories[i].steps, 5);
    if (status != stories[i].status && status != SC_ERR_NO_MEMORY)
      fprintf(stderr, "story %zu\n", i);
    FAILS(stories[i].status, status);
  }
done:
  example_free(&e);
}

static void nothing_comes_before_the_manifest(sc_test *t) {
  example e;
  example_init(&e, t->env);
  OK(story_frame(&e.frames, END, sc_bytes_text(ENDING(""))));
  FAILS(SC_ERR_ARCHIVE_ORDER, story_read(&e.log, t->env, sc_buffer_bytes(&e.frames), 0));
done:
  example_free(&e);
}

static void frames_for_newer_programs_are_passed_over_if_they_may_be(sc_test *t) {
  static const step steps[] = {{128, "anything"},
                               {FILE_BEGIN, "{\"file\":1,\"size\":0,\"folder\":\"avatars\"}"},
                               {255, ""},
                               {FILE_END, "{\"file\":1,\"complete\":false,\"error\":\"x\",\"new\":[{}]}"},
                               {END, ENDING("")}};
  example e;
  example_init(&e, t->env);
  OK(read_steps(&e, steps, 5));
  CHECK(says(&e, "manifest alice file 1 of 0 end x "));
done:
  example_free(&e);
}

/* A frame whose head has another form: flags, the two zero bytes, the length, type 0. */
static void heads_of_another_form_are_refused(sc_test *t) {
  static const uint8_t heads[][8] = {{ROWS, 2, 0, 0, 0, 0, 0, 0}, {ROWS, 0, 1, 0, 0, 0, 0, 0},
                                     {ROWS, 0, 0, 1, 0, 0, 0, 0}, {ROWS, 0, 0, 0, 0, 16, 0, 1},
                                     {128, 0, 0, 0, 0, 16, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0}};
  example e;
  example_init(&e, t->env);
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    sc_buffer_clear(&e.frames);
    OK(story_manifest_frame(&e.frames));
    OK(sc_buffer_append(&e.frames, SC_BYTES(heads[i])));
    FAILS(SC_ERR_ARCHIVE_FRAME, story_read(&e.log, t->env, sc_buffer_bytes(&e.frames), 0));
  }
done:
  example_free(&e);
}

static sc_status read_packed(example *e, sc_bytes packed) {
  sc_buffer_clear(&e->frames);
  sc_status status = story_manifest_frame(&e->frames);
  size_t head = e->frames.len;
  if (status == SC_OK)
    status = story_frame(&e->frames, ROWS, packed);
  if (status != SC_OK)
    return status;
  e->frames.ptr[head + 1] = 1;
  return story_read(&e->log, e->env, sc_buffer_bytes(&e->frames), 0);
}

static void compressed_frames_are_bounded(sc_test *t) {
  /* an empty frame without a stated size, and one with a window of 2 MiB */
  static const uint8_t unstated[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00};
  static const uint8_t large_window[] = {0x28, 0xb5, 0x2f, 0xfd, 0x40, 0x58, 0x00, 0x01, 0x01, 0x00, 0x00};
  example e;
  sc_buffer content, packed;
  uint8_t *room;
  example_init(&e, t->env);
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&packed, t->env);
  OK(sc_buffer_extend(&room, &content, (1 << 20) + 1));
  memset(room, ' ', content.len);
  OK(sc_zstd_compress(&packed, sc_bytes_text(""), sc_buffer_bytes(&content), 3));
  FAILS(SC_ERR_ARCHIVE_FRAME, read_packed(&e, sc_buffer_bytes(&packed)));
  OK(sc_zstd_compress(&packed, sc_bytes_text(""), sc_bytes_text(THREADS "[[1,2]]}"), 3));
  FAILS(SC_ERR_ARCHIVE_TRUNCATED, read_packed(&e, sc_buffer_bytes(&packed)));
  CHECK(says(&e, "manifest alice table thread column id column name row i1 i2 "));
  OK(sc_buffer_append(&packed, sc_bytes_text("x")));
  FAILS(SC_ERR_ARCHIVE_FRAME, read_packed(&e, sc_buffer_bytes(&packed)));
  FAILS(SC_ERR_ARCHIVE_FRAME, read_packed(&e, SC_BYTES(unstated)));
  FAILS(SC_ERR_ARCHIVE_FRAME, read_packed(&e, SC_BYTES(large_window)));
done:
  example_free(&e);
  sc_buffer_free(&content);
  sc_buffer_free(&packed);
}

static void values_that_no_row_can_have_are_marked(sc_test *t) {
  static const step steps[] = {{ROWS,
                                THREADS "[[true,[]],[9223372036854775808,1e999],[{\"b\":\"AAA\"},{\"b\":1}],"
                                        "[{},{\"b\":\"\",\"long\":1}],[{\"b\":\"A-==\"},{\"x\":1}]]}"},
                               {END, ENDING("\"thread\":5")}};
  example e;
  example_init(&e, t->env);
  OK(read_steps(&e, steps, 2));
  CHECK(says(&e, "manifest alice table thread column id column name row invalid invalid row invalid invalid "
                 "row invalid invalid row invalid invalid row invalid invalid "));
done:
  example_free(&e);
}

/* A piece of a long value. */
static sc_status add_piece(example *e, uint8_t number, uint8_t last, const char *bytes) {
  uint8_t payload[64] = {0, 0, 0, number, last};
  size_t len = strlen(bytes);
  memcpy(payload + 5, bytes, len);
  return story_frame(&e->frames, LONG, sc_bytes_make(payload, 5 + len));
}

static sc_status read_frames(example *e) {
  return story_read(&e->log, e->env, sc_buffer_bytes(&e->frames), 0);
}

static void long_values_are_put_into_their_rows(sc_test *t) {
  static const step rows[] = {{ROWS, THREADS "[[{\"long\":7},{\"long\":1,\"text\":true}]]}"},
                              {END, ENDING("\"thread\":1")}};
  example e;
  example_init(&e, t->env);
  OK(story_manifest_frame(&e.frames));
  OK(add_piece(&e, 7, 0, "ab"));
  OK(add_piece(&e, 7, 1, "c"));
  OK(add_piece(&e, 1, 1, "text"));
  OK(add_steps(&e, rows, 2));
  OK(read_frames(&e));
  CHECK(says(&e, "manifest alice table thread column id column name row blob of 3 ttext "));
done:
  example_free(&e);
}

static void long_values_out_of_place_are_refused(sc_test *t) {
  static const step takes_7[] = {{ROWS, THREADS "[[1,{\"long\":7}]]}"}};
  static const step takes_7_twice[] = {{ROWS, THREADS "[[{\"long\":7},{\"long\":7}]]}"}};
  static const step end[] = {{END, ENDING("")}};
  static const struct {
    sc_status status;
    struct {
      uint8_t number, last;
    } pieces[2];
    const step *steps;
  } stories[] = {{SC_ERR_ARCHIVE_ORDER, {{6, 1}, {5, 1}}, takes_7},
                 {SC_ERR_ARCHIVE_ORDER, {{6, 1}, {7, 0}}, takes_7},
                 {SC_ERR_ARCHIVE_ORDER, {{6, 1}, {7, 1}}, takes_7_twice},
                 {SC_ERR_ARCHIVE_ORDER, {{7, 0}, {6, 1}}, takes_7},
                 {SC_ERR_ARCHIVE_ORDER, {{7, 1}, {7, 1}}, takes_7},
                 {SC_ERR_ARCHIVE_FRAME, {{7, 1}, {6, 2}}, takes_7},
                 {SC_ERR_ARCHIVE_COUNTS, {{7, 1}, {6, 1}}, end},
                 {SC_ERR_ARCHIVE_COUNTS, {{7, 0}, {7, 0}}, end}};
  example e;
  example_init(&e, t->env);
  for (size_t i = 0; i < sizeof stories / sizeof stories[0]; i++) {
    sc_buffer_clear(&e.frames);
    OK(story_manifest_frame(&e.frames));
    for (int piece = 0; piece < 2; piece++)
      OK(add_piece(&e, stories[i].pieces[piece].number, stories[i].pieces[piece].last, "x"));
    OK(add_steps(&e, stories[i].steps, 1));
    FAILS(stories[i].status, read_frames(&e));
  }
  sc_buffer_clear(&e.frames);
  OK(story_manifest_frame(&e.frames));
  OK(story_frame(&e.frames, LONG, sc_bytes_text("1234")));
  FAILS(SC_ERR_ARCHIVE_FRAME, read_frames(&e));
done:
  example_free(&e);
}

static void long_values_are_bounded(sc_test *t) {
  enum { piece_bytes = 1 << 20 };
  example e;
  sc_buffer piece;
  uint8_t *room;
  example_init(&e, t->env);
  sc_buffer_init(&piece, t->env);
  if (t->torture)
    SKIP("64 MiB are too many for torture");
  OK(sc_buffer_extend(&room, &piece, piece_bytes));
  memset(room, 0, piece_bytes);
  OK(story_manifest_frame(&e.frames));
  for (int i = 0; i < 65; i++)
    OK(story_frame(&e.frames, LONG, sc_buffer_bytes(&piece)));
  FAILS(SC_ERR_ARCHIVE_FRAME, read_frames(&e));
  sc_buffer_clear(&e.frames);
  OK(story_manifest_frame(&e.frames));
  for (uint32_t i = 0; i <= 1000; i++) {
    const uint8_t empty[] = {0, 0, (uint8_t)(i >> 8), (uint8_t)i, 1};
    OK(story_frame(&e.frames, LONG, SC_BYTES(empty)));
  }
  FAILS(SC_ERR_ARCHIVE_FRAME, read_frames(&e));
done:
  example_free(&e);
  sc_buffer_free(&piece);
}

static void a_visitor_that_refuses_ends_the_reading(sc_test *t) {
  static const step steps[] = {{ROWS, THREADS "[[1,2],[3,4]]}"}, {END, ENDING("\"thread\":2")}};
  example e;
  example_init(&e, t->env);
  e.log.refuse = SC_ERR_SINK;
  FAILS(SC_ERR_SINK, read_steps(&e, steps, 2));
  CHECK(says(&e, "manifest alice table thread column id column name row i1 i2 "));
done:
  example_free(&e);
}

/* One member of a manifest that is otherwise right. */
static void manifests_are_checked(sc_test *t) {
#define HEAD "{\"format\":\"session-archive\",\"version\":1,"
#define APPLICATION "\"applicationID\":1397052243,"
#define ACCOUNT "\"account\":{\"id\":\"%s\",\"network\":\"main\"},"
#define TAIL "\"schema\":3,\"tables\":[\"thread\"],\"contents\":{\"files\":\"none\"}}"
#define SEED(digits) "\"account\":{\"id\":\"%s\",\"network\":\"main\",\"seed\":\"" digits "\"},"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000"
  static const struct {
    sc_status status;
    const char *text;
  } cases[] = {
      {SC_ERR_ARCHIVE_TRUNCATED, HEAD APPLICATION ACCOUNT TAIL}, /* valid: only the end is missing */
      {SC_ERR_ARCHIVE_TRUNCATED, HEAD APPLICATION SEED("010203" ZEROS) TAIL},
      {SC_ERR_ARCHIVE_TRUNCATED, HEAD APPLICATION ACCOUNT
       "\"sequences\":{\"thread\":4611686018427387904},\"estimate\":{\"rows\":\"many\","
       "\"fileBytes\":-1},\"new\":{}," TAIL},
      {SC_ERR_ARCHIVE_FRAME, "[]"},
      {SC_ERR_ARCHIVE_FRAME, "{"},
      {SC_ERR_ARCHIVE_FRAME, HEAD HEAD APPLICATION ACCOUNT TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, "{}"},
      {SC_ERR_ARCHIVE_MANIFEST, "{\"format\":\"session-archive\",\"version\":2," APPLICATION ACCOUNT TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, "{\"format\":\"archive\",\"version\":1," APPLICATION ACCOUNT TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, HEAD "\"applicationID\":1," ACCOUNT TAIL},
      {SC_ERR_ARCHIVE_MANIFEST,
       HEAD APPLICATION "\"account\":{\"id\":\"05%.10s\",\"network\":\"main\"}," TAIL},
      {SC_ERR_ARCHIVE_MANIFEST,
       HEAD APPLICATION "\"account\":{\"id\":\"03%.64s\",\"network\":\"main\"}," TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, HEAD APPLICATION "\"account\":{\"id\":\"%s\",\"network\":\"home\"}," TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, HEAD APPLICATION SEED("010204" ZEROS) TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, HEAD APPLICATION SEED("0102") TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, HEAD APPLICATION ACCOUNT
       "\"schema\":3,\"tables\":[\"thread\",\"thread\"],\"contents\":{\"files\":\"all\"}}"},
      {SC_ERR_ARCHIVE_MANIFEST,
       HEAD APPLICATION ACCOUNT "\"schema\":3,\"tables\":[\"job\"],\"contents\":{\"files\":\"all\"}}"},
      {SC_ERR_ARCHIVE_DOWNGRADE,
       HEAD APPLICATION ACCOUNT "\"schema\":4,\"tables\":[\"job\"],\"contents\":{\"files\":\"all\"}}"},
      {SC_ERR_ARCHIVE_MANIFEST,
       HEAD APPLICATION ACCOUNT "\"schema\":0,\"tables\":[],\"contents\":{\"files\":\"all\"}}"},
      {SC_ERR_ARCHIVE_MANIFEST,
       HEAD APPLICATION ACCOUNT "\"schema\":3,\"tables\":[],\"contents\":{\"files\":\"some\"}}"},
      {SC_ERR_ARCHIVE_MANIFEST,
       HEAD APPLICATION ACCOUNT "\"sequences\":{\"thread\":4611686018427387905}," TAIL},
      {SC_ERR_ARCHIVE_MANIFEST, HEAD APPLICATION ACCOUNT "\"sequences\":{\"thread\":-1}," TAIL},
  };
  char id[SC_ID_CHARS + 1], text[600];
  example e;
  example_init(&e, t->env);
  story_account(id);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *place = strstr(cases[i].text, "%");
    if (place == NULL) {
      snprintf(text, sizeof text, "%s", cases[i].text);
    } else {
      int front = (int)(place - cases[i].text), digits = strncmp(place, "%.10s", 5) == 0 ? 10 : 66;
      const char *rest = place + strcspn(place, "s") + 1;
      bool other_kind = strncmp(place, "%.64s", 5) == 0;
      snprintf(text, sizeof text, "%.*s%.*s%s", front, cases[i].text, other_kind ? 64 : digits,
               other_kind ? id + 2 : id, rest);
    }
    sc_buffer_clear(&e.frames);
    OK(story_frame(&e.frames, MANIFEST, sc_bytes_text(text)));
    sc_status status = read_frames(&e);
    if (status != cases[i].status && status != SC_ERR_NO_MEMORY)
      fprintf(stderr, "manifest %zu\n", i);
    FAILS(cases[i].status, status);
  }
done:
  example_free(&e);
}

SUITE(archive_reader, "archive/reader", {"frames may come in any pieces", frames_may_come_in_any_pieces},
      {"bad contents are refused", bad_contents_are_refused},
      {"nothing comes before the manifest", nothing_comes_before_the_manifest},
      {"frames for newer programs are passed over if they may be",
       frames_for_newer_programs_are_passed_over_if_they_may_be},
      {"heads of another form are refused", heads_of_another_form_are_refused},
      {"compressed frames are bounded", compressed_frames_are_bounded},
      {"values that no row can have are marked", values_that_no_row_can_have_are_marked},
      {"long values are put into their rows", long_values_are_put_into_their_rows},
      {"long values out of place are refused", long_values_out_of_place_are_refused},
      {"long values are bounded", long_values_are_bounded},
      {"a visitor that refuses ends the reading", a_visitor_that_refuses_ends_the_reading},
      {"manifests are checked", manifests_are_checked});
