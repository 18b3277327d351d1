#include <stdio.h>
#include <stdlib.h>

#include "cast.h"
#include "support/test.h"

#define NODE_A "17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce"
#define NODE_B "27cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce"
#define SIGNATURE "\"signature\":\"" CAST_SIGNATURE "\""
#define CLOCK "\"t\":1700000000123,\"hf\":[19,6]"

static sc_status parse(sc_storage_parsed_reply *out, sc_test *t, const sc_storage_request *request,
                       const char *body) {
  return sc_storage_reply_parse(out, t->env, request, sc_bytes_text(body));
}

/* SC_OK if each body is a reply whose only member failed. */
static sc_status malformed(sc_test *t, const sc_storage_request *request, const char *const *list,
                           size_t count) {
  for (size_t i = 0; i < count; i++) {
    sc_storage_parsed_reply parsed = {0};
    sc_status status = parse(&parsed, t, request, list[i]);
    const sc_storage_members *members = &parsed.reply.of.members;
    bool right = status == SC_OK && members->count == 1 && members->list[0].failed &&
                 members->list[0].bad_peer_response && members->list[0].hash.len == 0;
    sc_storage_parsed_reply_free(&parsed);
    if (!right) {
      if (status != SC_ERR_NO_MEMORY)
        fprintf(stderr, "  %s\n", list[i]);
      return status == SC_OK ? SC_ERR_STATE : status;
    }
  }
  return SC_OK;
}
#define MALFORMED(request, ...)                                                                              \
  do {                                                                                                       \
    static const char *const bad[] = {__VA_ARGS__};                                                          \
    OK(malformed(t, request, bad, sizeof bad / sizeof bad[0]));                                              \
  } while (0)

static sc_status refused(sc_test *t, const sc_storage_request *request, const char *const *list,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    sc_storage_parsed_reply parsed = {0};
    sc_status status = parse(&parsed, t, request, list[i]);
    bool untouched = parsed.memory == NULL;
    sc_storage_parsed_reply_free(&parsed);
    if (status != SC_ERR_STORAGE_REPLY || !untouched) {
      if (status != SC_ERR_NO_MEMORY)
        fprintf(stderr, "  %s\n", list[i]);
      return status == SC_OK ? SC_ERR_STATE : status;
    }
  }
  return SC_ERR_STORAGE_REPLY;
}
#define REFUSED(request, ...)                                                                                \
  do {                                                                                                       \
    static const char *const bad[] = {__VA_ARGS__};                                                          \
    FAILS(SC_ERR_STORAGE_REPLY, refused(t, request, bad, sizeof bad / sizeof bad[0]));                       \
  } while (0)

static void the_known_swarm_of_a_store_is_read(sc_test *t) {
  static const char body[] =
      "{\"swarm\":{\"" NODE_A "\":{\"hash\":\"" CAST_HASH_0 "\"," SIGNATURE
      ",\"expiry\":1701209600000,\"t\":5},\"" NODE_B "\":{\"failed\":true,\"timeout\":true},"
      "\"37cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce\":"
      "{\"failed\":true,\"code\":\"401\",\"reason\":\"store signature verification failed\"},"
      "\"47cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce\":{\"failed\":true,\"code\":500,"
      "\"query_failure\":true,\"bad_peer_response\":true}},\"hash\":\"" CAST_HASH_0 "\"," CLOCK "}";
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &request, body));
  const sc_storage_members *members = &parsed.reply.of.members;
  CHECK(members->count == 4 && parsed.reply.clock.time == 1700000000123 && parsed.reply.clock.fork[1] == 6);
  const sc_storage_member *m = members->list;
  CHECK(!m[0].failed && m[0].node[0] == 0x17 && m[0].expiry == 1701209600000 && !m[0].already);
  SAME(sc_bytes_text(CAST_HASH_0), m[0].hash);
  CHECK(m[1].failed && m[1].timed_out && m[1].code == 0);
  CHECK(m[2].failed && m[2].code == 401 && !m[2].timed_out);
  SAME(sc_bytes_text("store signature verification failed"), m[2].reason);
  CHECK(m[3].failed && m[3].code == 500 && m[3].query_failure && m[3].bad_peer_response);
done:
  sc_storage_parsed_reply_free(&parsed);
}

#define SWARM(element) "{\"swarm\":{\"" NODE_A "\":" element "}}"

static void an_invalid_swarm_is_refused(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_STORE);
  REFUSED(
      &request, "", "x", "[]", "{}", "{\"swarm\":[]}", "{\"swarm\":{}}", "{\"swarm\":null}",
      "{\"swarm\":{\"x\":{\"failed\":true}}}", "{\"swarm\":{\"" NODE_A "00\":{\"failed\":true}}}",
      "{\"swarm\":{\"17CB79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce\":{\"failed\":true},"
      "\"" NODE_A "\":{\"failed\":true}}}");
done:;
}

/* True if each element counts as a failed member, and a valid member next to it still counts. */
static sc_status fail_alone(sc_test *t, const sc_storage_request *request, const char *good,
                            const char *const *list, size_t count) {
  char body[1024];
  for (size_t i = 0; i < count; i++) {
    sc_storage_parsed_reply parsed = {0};
    snprintf(body, sizeof body, "{\"swarm\":{\"" NODE_A "\":%s,\"" NODE_B "\":%s}}", list[i], good);
    sc_status status = parse(&parsed, t, request, body);
    const sc_storage_members *members = &parsed.reply.of.members;
    bool right =
        status == SC_OK && members->count == 2 && members->list[0].failed && !members->list[1].failed;
    bool empty = right && members->list[0].changed.count == 0 && members->list[0].unchanged.count == 0;
    sc_storage_parsed_reply_free(&parsed);
    if (!empty) {
      if (status != SC_ERR_NO_MEMORY)
        fprintf(stderr, "  %s\n", list[i]);
      return status == SC_OK ? SC_ERR_STATE : status;
    }
  }
  return SC_OK;
}
#define FAIL_ALONE(request, good, ...)                                                                       \
  do {                                                                                                       \
    static const char *const bad[] = {__VA_ARGS__};                                                          \
    OK(fail_alone(t, request, good, bad, sizeof bad / sizeof bad[0]));                                       \
  } while (0)

#define STORED "{\"hash\":\"" CAST_HASH_0 "\",\"expiry\":1," SIGNATURE "}"
#define DELETED "{\"deleted\":[\"" CAST_HASH_0 "\"]," SIGNATURE "}"

static void a_malformed_member_fails_alone(sc_test *t) {
  sc_storage_request store = cast_any(SC_STORAGE_STORE), deletion = cast_any(SC_STORAGE_DELETE),
                     sweep = cast_any(SC_STORAGE_DELETE_ALL), expire = cast_any(SC_STORAGE_EXPIRE),
                     unrevoke = cast_any(SC_STORAGE_UNREVOKE), revoke = cast_any(SC_STORAGE_REVOKE);
  FAIL_ALONE(&store, STORED, "7", "null", "\"busy\"", "[]", "{}", "{\"failed\":\"yes\"}", "{\"failed\":2}",
             "{\"failed\":-1}", "{\"failed\":1.0}", "{\"hash\":\"" CAST_HASH_0 "\",\"expiry\":1}",
             "{\"hash\":\"" CAST_HASH_0 "\",\"signature\":\"AAAA\"}", "{" SIGNATURE "}",
             "{\"hash\":7," SIGNATURE "}", "{\"hash\":\"" CAST_HASH_0 "\",\"expiry\":-1," SIGNATURE "}",
             "{\"hash\":\"" CAST_HASH_0 "\",\"expiry\":1,\"already\":2," SIGNATURE "}");
  FAIL_ALONE(&deletion, DELETED, "{" SIGNATURE "}", "{\"deleted\":{}," SIGNATURE "}",
             "{\"deleted\":[7]," SIGNATURE "}", "{\"deleted\":[\"" CAST_HASH_0 "\",\"x\"]," SIGNATURE "}");
  FAIL_ALONE(&sweep, DELETED, "{\"deleted\":7," SIGNATURE "}");
  FAIL_ALONE(&expire, "{\"updated\":[\"" CAST_HASH_0 "\"],\"expiry\":[5]," SIGNATURE "}",
             "{\"updated\":[\"" CAST_HASH_0 "\"],\"expiry\":[\"5\"]," SIGNATURE "}",
             "{\"updated\":[\"" CAST_HASH_0 "\"],\"expiry\":[5],\"unchanged\":7," SIGNATURE "}");
  FAIL_ALONE(&unrevoke, "{\"count\":1," SIGNATURE "}", "{\"count\":-1," SIGNATURE "}");
  FAIL_ALONE(&revoke, "{" SIGNATURE "}", "{\"signature\":7}");
done:;
}

/* Nodes copy the other members' bt replies into JSON, where a flag becomes a number. */
static void flags_may_be_numbers(sc_test *t) {
  sc_storage_request store = cast_any(SC_STORAGE_STORE);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(
      &parsed, t, &store,
      "{\"swarm\":{\"" NODE_A "\":{\"already\":1,\"hash\":\"" CAST_HASH_0 "\",\"expiry\":1," SIGNATURE "},"
      "\"" NODE_B "\":{\"failed\":0,\"already\":0,\"hash\":\"" CAST_HASH_0 "\",\"expiry\":1," SIGNATURE "},"
      "\"37cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce\":"
      "{\"failed\":1,\"query_failure\":1,\"reason\":\"Could not find a stream with ID 0\"},"
      "\"47cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce\":"
      "{\"failed\":1,\"timeout\":1,\"bad_peer_response\":1,\"query_failure\":0}}}"));
  const sc_storage_member *m = parsed.reply.of.members.list;
  CHECK(!m[0].failed && m[0].already && !m[1].failed && !m[1].already);
  CHECK(m[2].failed && m[2].query_failure && !m[2].timed_out);
  SAME(sc_bytes_text("Could not find a stream with ID 0"), m[2].reason);
  CHECK(m[3].failed && m[3].timed_out && m[3].bad_peer_response && !m[3].query_failure);
done:
  sc_storage_parsed_reply_free(&parsed);
}

/* The details of a failure are hints: malformed ones do not undo the failure. */
static void a_malformed_failure_is_still_a_failure(sc_test *t) {
  static const char *const odd[] = {
      "\"code\":1000",
      "\"code\":600",
      "\"code\":99",
      "\"code\":\"4x1\"",
      "\"code\":\"\"",
      "\"code\":\"40111111111111111111111\"",
      "\"code\":[]",
      "\"code\":true",
      "\"reason\":7",
      "\"reason\":{}",
      "\"timeout\":\"yes\"",
      "\"query_failure\":2",
      "\"bad_peer_response\":[]",
  };
  sc_storage_request store = cast_any(SC_STORAGE_STORE);
  sc_storage_parsed_reply parsed = {0};
  char body[512];
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    sc_storage_parsed_reply_free(&parsed);
    snprintf(body, sizeof body, "{\"swarm\":{\"" NODE_A "\":{\"failed\":1,%s},\"" NODE_B "\":" STORED "}}",
             odd[i]);
    OK(parse(&parsed, t, &store, body));
    const sc_storage_member *m = parsed.reply.of.members.list;
    CHECK(m[0].failed && m[0].code == 0 && m[0].reason.len == 0 && !m[1].failed);
    CHECK(!m[0].timed_out && !m[0].query_failure && !m[0].bad_peer_response);
  }
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &store, SWARM("{\"failed\":1,\"timeout\":1,\"code\":\"599\",\"reason\":\"x\"}")));
  CHECK(parsed.reply.of.members.list[0].code == 599 && parsed.reply.of.members.list[0].timed_out);
done:
  sc_storage_parsed_reply_free(&parsed);
}

/* The rest of the reply stays valid. */
static void an_invalid_clock_is_ignored(sc_test *t) {
  static const char *const bad[] = {"\"t\":-1",
                                    "\"t\":1.5",
                                    "\"t\":\"1700000000123\"",
                                    "\"t\":9007199254740993",
                                    "\"t\":18446744073709551615",
                                    "\"hf\":[19]",
                                    "\"hf\":[19,6,1]",
                                    "\"hf\":[19,65536]",
                                    "\"hf\":[19,-1]",
                                    "\"hf\":19",
                                    "\"hf\":[\"19\",6]"};
  sc_storage_request request = cast_any(SC_STORAGE_INFO);
  sc_storage_parsed_reply parsed = {0};
  char body[128];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(body, sizeof body, "{\"version\":[2,8,0],\"timestamp\":1,%s}", bad[i]);
    sc_storage_parsed_reply_free(&parsed);
    OK(parse(&parsed, t, &request, body));
    const sc_storage_clock *clock = &parsed.reply.clock;
    CHECK(!clock->has_time && clock->time == 0);
    CHECK(!clock->has_fork && clock->fork[0] == 0 && clock->fork[1] == 0);
  }
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &request,
           "{\"version\":[2,8,0],\"timestamp\":1,\"t\":9007199254740992,\"hf\":[1,2]}"));
  CHECK(parsed.reply.clock.time == (uint64_t)1 << 53 && parsed.reply.clock.fork[1] == 2);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void deletions_list_the_deleted_hashes(sc_test *t) {
  sc_storage_request deletion = cast_any(SC_STORAGE_DELETE), sweep = cast_any(SC_STORAGE_DELETE_ALL);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &deletion, SWARM("{\"deleted\":[\"" CAST_HASH_2 "\"]," SIGNATURE "}")));
  CHECK(parsed.reply.of.members.list[0].changed.count == 1);
  SAME(cast_hashes[1], parsed.reply.of.members.list[0].changed.list[0].hash);
  MALFORMED(
      &deletion, SWARM("{" SIGNATURE "}"), SWARM("{\"deleted\":{}," SIGNATURE "}"),
      SWARM("{\"deleted\":[7]," SIGNATURE "}"),
      SWARM("{\"deleted\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\",\"" CAST_HASH_11 "\"]," SIGNATURE "}"));
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(
      &parsed, t, &sweep,
      SWARM("{\"deleted\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\",\"" CAST_HASH_11 "\"]," SIGNATURE "}")));
  CHECK(parsed.reply.of.members.list[0].changed.count == 3);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_sweep_of_all_namespaces_lists_hashes_by_namespace(sc_test *t) {
  sc_storage_request sweep = cast_any(SC_STORAGE_EXPIRE_ALL);
  sc_storage_parsed_reply parsed = {0};
  sweep.of.sweep.where.all = true;
  OK(parse(&parsed, t, &sweep,
           SWARM("{\"updated\":{\"0\":[\"" CAST_HASH_0 "\"],\"-11\":[\"" CAST_HASH_2 "\",\"" CAST_HASH_11
                 "\"],\"7\":[]}," SIGNATURE "}")));
  const sc_storage_changes *changed = &parsed.reply.of.members.list[0].changed;
  CHECK(changed->count == 3 && changed->list[0].number == 0 && changed->list[2].number == -11);
  SAME(sc_bytes_text(CAST_HASH_11), changed->list[2].hash);
  MALFORMED(&sweep, SWARM("{\"updated\":[]," SIGNATURE "}"), SWARM("{\"updated\":{\"x\":[]," SIGNATURE "}}"),
            SWARM("{\"updated\":{\"32768\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"),
            SWARM("{\"updated\":{\"-0\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"),
            SWARM("{\"updated\":{\"07\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"),
            SWARM("{\"updated\":{\"-\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"),
            SWARM("{\"updated\":{\"123456\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"),
            SWARM("{\"updated\":{\"0\":\"" CAST_HASH_0 "\"}," SIGNATURE "}"),
            SWARM("{\"deleted\":{\"0\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"));
  sweep.of.sweep.where.all = false;
  MALFORMED(&sweep, SWARM("{\"updated\":{\"0\":[\"" CAST_HASH_0 "\"]}," SIGNATURE "}"));
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void an_expire_reports_the_times_it_set(sc_test *t) {
  sc_storage_request one = cast_any(SC_STORAGE_EXPIRE), two = one;
  sc_storage_parsed_reply parsed = {0};
  one.of.expire.expiry_count = 1;
  OK(parse(&parsed, t, &one,
           SWARM("{\"updated\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2
                 "\"],\"expiry\":5,\"unchanged\":{\"" CAST_HASH_11 "\":6}," SIGNATURE "}")));
  const sc_storage_member *member = &parsed.reply.of.members.list[0];
  CHECK(member->expiry == 5 && member->changed.list[1].expiry == 5);
  CHECK(member->unchanged.count == 1 && member->unchanged.list[0].expiry == 6);
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &two,
           SWARM("{\"updated\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\"],\"expiry\":[5,6]," SIGNATURE "}")));
  CHECK(parsed.reply.of.members.list[0].changed.list[1].expiry == 6);
  MALFORMED(&two, SWARM("{\"updated\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\"],\"expiry\":5," SIGNATURE "}"),
            SWARM("{\"updated\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\"],\"expiry\":[5]," SIGNATURE "}"),
            SWARM("{\"updated\":[\"" CAST_HASH_0 "\"],\"expiry\":[-5]," SIGNATURE "}"),
            SWARM("{\"updated\":[\"" CAST_HASH_0 "\",\"" CAST_HASH_2 "\",\"" CAST_HASH_11
                  "\"],\"expiry\":[5,6,7]," SIGNATURE "}"),
            SWARM("{\"updated\":[],\"expiry\":[],\"unchanged\":{\"" CAST_HASH_0 "\":1,\"" CAST_HASH_2
                  "\":2,\"" CAST_HASH_11 "\":3}," SIGNATURE "}"),
            SWARM("{\"updated\":[],\"expiry\":[],\"unchanged\":[]," SIGNATURE "}"));
  MALFORMED(&one, SWARM("{\"updated\":[\"" CAST_HASH_0 "\"],\"expiry\":[5]," SIGNATURE "}"),
            SWARM("{\"updated\":[\"" CAST_HASH_0 "\"]," SIGNATURE "}"));
done:
  sc_storage_parsed_reply_free(&parsed);
}

/* A signature covers concatenated hashes, so "ab" and "c" would equal "a" and "bc". */
static void only_complete_hashes_are_accepted(sc_test *t) {
  static const char no_letters[] = "_tpR5KJ7lXhN0sFsR3DIC2gPIMEltlM+OmfxQYMXUF0";
  static const char two[] = CAST_HASH_0 CAST_HASH_2, with_time[] = CAST_HASH_0 "1700000000000";
  static const char *const no_hashes[] = {"", "x", "all", two, with_time, no_letters};
  sc_storage_request store = cast_any(SC_STORAGE_STORE), deletion = cast_any(SC_STORAGE_DELETE),
                     sweep = cast_any(SC_STORAGE_DELETE_ALL), expire = cast_any(SC_STORAGE_EXPIRE),
                     expiries = cast_any(SC_STORAGE_GET_EXPIRIES), everywhere = sweep;
  everywhere.of.sweep.where.all = true;
  const struct {
    const sc_storage_request *request;
    const char *form;
  } places[] = {
      {&store, SWARM("{\"hash\":\"%s\",\"expiry\":1," SIGNATURE "}")},
      {&deletion, SWARM("{\"deleted\":[\"%s\"]," SIGNATURE "}")},
      {&sweep, SWARM("{\"deleted\":[\"" CAST_HASH_0 "\",\"%s\"]," SIGNATURE "}")},
      {&everywhere, SWARM("{\"deleted\":{\"0\":[\"%s\"]}," SIGNATURE "}")},
      {&expire, SWARM("{\"updated\":[\"%s\"],\"expiry\":[5]," SIGNATURE "}")},
      {&expire, SWARM("{\"updated\":[],\"expiry\":[],\"unchanged\":{\"%s\":5}," SIGNATURE "}")},
      {&expiries, "{\"expiries\":{\"%s\":5}}"},
  };
  sc_storage_parsed_reply parsed = {0};
  char body[512];
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    sc_storage_parsed_reply_free(&parsed);
    snprintf(body, sizeof body, places[i].form, CAST_HASH_2);
    OK(parse(&parsed, t, places[i].request, body));
    for (size_t j = 0; j < sizeof no_hashes / sizeof no_hashes[0]; j++) {
      sc_storage_parsed_reply_free(&parsed);
      snprintf(body, sizeof body, places[i].form, no_hashes[j]);
      if (places[i].request == &expiries) {
        FAILS(SC_ERR_STORAGE_REPLY, parse(&parsed, t, places[i].request, body));
      } else {
        OK(parse(&parsed, t, places[i].request, body));
        CHECK(parsed.reply.of.members.list[0].failed);
      }
    }
  }
done:
  sc_storage_parsed_reply_free(&parsed);
}

/* Memory for small allocations only. */
static void *allocate_little(void *user, size_t size) {
  size_t *refused = user;
  *refused += size > (size_t)8 * 1024 * 1024;
  return size > (size_t)8 * 1024 * 1024 ? NULL : malloc(size);
}

static void release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

/* An empty item takes two bytes of bt, and a change sixteen times as many in memory. */
static void an_empty_list_takes_no_memory(sc_test *t) {
  enum { count = 1000000 };
  size_t refusals = 0;
  const sc_env env = {.user = &refusals, .allocate = allocate_little, .release = release};
  sc_storage_request sweep = cast_any(SC_STORAGE_DELETE_ALL);
  sc_storage_parsed_reply parsed = {0};
  sc_buffer body;
  uint8_t *list;
  sc_buffer_init(&body, t->env);
  for (int all = 0; all < 2; all++) {
    sweep.of.sweep.where.all = all != 0;
    sc_buffer_clear(&body);
    OK(sc_buffer_append(&body, sc_bytes_text(all ? "d5:swarmd64:" NODE_A "d7:deletedd1:0l"
                                                 : "d5:swarmd64:" NODE_A "d7:deletedl")));
    OK(sc_buffer_extend(&list, &body, 2 * count));
    for (size_t i = 0; i < count; i++)
      memcpy(list + 2 * i, "0:", 2);
    OK(sc_buffer_append(&body, sc_bytes_text(all ? "ee9:signature64:" : "e9:signature64:")));
    OK(sc_buffer_extend(&list, &body, 64));
    memset(list, 's', 64);
    OK(sc_buffer_append(&body, sc_bytes_text("eee")));
    OK(sc_storage_reply_parse(&parsed, &env, &sweep, sc_buffer_bytes(&body)));
    CHECK(refusals == 0 && parsed.reply.of.members.list[0].failed);
    sc_storage_parsed_reply_free(&parsed);
  }
done:
  sc_buffer_free(&body);
}

/* It arrives in bt and will be sent on in JSON. */
static void a_reason_must_be_utf_8(sc_test *t) {
  sc_storage_request store = cast_any(SC_STORAGE_STORE);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &store,
           "d5:swarmd64:" NODE_A "d6:failedi1e6:reason2:\xc3\xa9"
           "eee"));
  SAME(sc_bytes_text("\xc3\xa9"), parsed.reply.of.members.list[0].reason);
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &store,
           "d5:swarmd64:" NODE_A "d6:failedi1e6:reason2:\xc3\xff"
           "eee"));
  CHECK(parsed.reply.of.members.list[0].failed && parsed.reply.of.members.list[0].reason.len == 0);
done:
  sc_storage_parsed_reply_free(&parsed);
}

#define MESSAGE(hash, data)                                                                                  \
  "{\"hash\":\"" hash "\",\"timestamp\":1700000000000,\"expiration\":1701209600000,\"data\":" data "}"

static void the_known_messages_are_read(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_storage_parsed_reply parsed = {0};
  request.of.retrieve.number = 0;
  OK(parse(&parsed, t, &request,
           "{\"messages\":[" MESSAGE(
               CAST_HASH_0, "\"aGVsbG8gd29ybGQ=\"") "],\"more\":true,\"t\":1700000005000,\"hf\":[19,6]}"));
  const sc_storage_messages *messages = &parsed.reply.of.messages;
  CHECK(messages->count == 1 && messages->more && !messages->list[0].dropped);
  CHECK(messages->list[0].timestamp == cast_now && messages->list[0].expiry == 1701209600000);
  SAME(sc_bytes_text("hello world"), messages->list[0].data);
  SAME(cast_hashes[0], messages->list[0].hash);
done:
  sc_storage_parsed_reply_free(&parsed);
}

/* Their hashes still serve as the cursor. */
static void messages_that_do_not_match_their_hash_are_dropped(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_storage_parsed_reply parsed = {0};
  request.of.retrieve.number = 0;
  OK(parse(&parsed, t, &request,
           "{\"messages\":[" MESSAGE(CAST_HASH_2, "\"aGVsbG8gd29ybGQ=\"") "," MESSAGE(CAST_HASH_0,
                                                                                      "\"aGVsbG8=\"") "]}"));
  CHECK(parsed.reply.of.messages.count == 2 && !parsed.reply.of.messages.more);
  CHECK(parsed.reply.of.messages.list[0].dropped && parsed.reply.of.messages.list[1].dropped);
  SAME(cast_hashes[1], parsed.reply.of.messages.list[0].hash);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_duplicate_message_is_dropped(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_storage_parsed_reply parsed = {0};
  request.of.retrieve.number = 0;
#define GENUINE MESSAGE(CAST_HASH_0, "\"aGVsbG8gd29ybGQ=\"")
  OK(parse(&parsed, t, &request,
           "{\"messages\":[" GENUINE "," MESSAGE(CAST_HASH_2, "\"\"") "," GENUINE "," GENUINE "]}"));
  const sc_storage_message *list = parsed.reply.of.messages.list;
  CHECK(!list[0].dropped && list[1].dropped && list[2].dropped && list[3].dropped);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void an_invalid_message_list_is_refused(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  REFUSED(&request, "{}", "{\"messages\":{}}", "{\"messages\":7}", "{\"messages\":[],\"more\":2}",
          "{\"messages\":[],\"more\":\"yes\"}");
done:;
}

/* A message without a hash gives no cursor; one with a hash does. */
static void one_malformed_message_does_not_affect_the_others(sc_test *t) {
  static const char *const without_hash[] = {"7",
                                             "null",
                                             "{}",
                                             "[]",
                                             "{\"hash\":7,\"timestamp\":1,\"expiration\":1,\"data\":\"\"}",
                                             MESSAGE("x", "\"\"")};
  static const char *const with_hash[] = {
      MESSAGE(CAST_HASH_2, "\"a\""),
      MESSAGE(CAST_HASH_2, "\"aGk-\""),
      MESSAGE(CAST_HASH_2, "7"),
      "{\"hash\":\"" CAST_HASH_2 "\"}",
      "{\"hash\":\"" CAST_HASH_2 "\",\"timestamp\":-1,\"expiration\":1,\"data\":\"\"}",
      "{\"hash\":\"" CAST_HASH_2 "\",\"timestamp\":1,\"expiry\":1,\"data\":\"\"}",
  };
  sc_storage_request request = cast_any(SC_STORAGE_RETRIEVE);
  sc_storage_parsed_reply parsed = {0};
  char body[1024];
  request.of.retrieve.number = 0;
  for (size_t i = 0; i < sizeof without_hash / sizeof without_hash[0]; i++) {
    sc_storage_parsed_reply_free(&parsed);
    snprintf(body, sizeof body, "{\"messages\":[%s," GENUINE "],\"more\":1}", without_hash[i]);
    OK(parse(&parsed, t, &request, body));
    const sc_storage_messages *messages = &parsed.reply.of.messages;
    CHECK(messages->count == 1 && messages->more && !messages->list[0].dropped);
  }
  for (size_t i = 0; i < sizeof with_hash / sizeof with_hash[0]; i++) {
    sc_storage_parsed_reply_free(&parsed);
    snprintf(body, sizeof body, "{\"messages\":[" GENUINE ",%s],\"more\":0}", with_hash[i]);
    OK(parse(&parsed, t, &request, body));
    const sc_storage_messages *messages = &parsed.reply.of.messages;
    CHECK(messages->count == 2 && !messages->more && !messages->list[0].dropped);
    CHECK(messages->list[1].dropped && messages->list[1].data.len == 0);
    SAME(cast_hashes[1], messages->list[1].hash);
  }
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void surplus_expiries_are_refused(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_GET_EXPIRIES);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &request, "{\"expiries\":{\"" CAST_HASH_0 "\":5}}"));
  CHECK(parsed.reply.of.expiries.count == 1 && parsed.reply.of.expiries.list[0].expiry == 5);
  CHECK(!parsed.reply.clock.has_time && !parsed.reply.clock.has_fork);
  REFUSED(&request, "{}", "{\"expiries\":[]}", "{\"expiries\":{\"" CAST_HASH_0 "\":-1}}",
          "{\"expiries\":{\"" CAST_HASH_0 "\":1,\"" CAST_HASH_2 "\":2,\"" CAST_HASH_11 "\":3}}");
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void revoked_tokens_are_read(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_REVOKED);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &request,
           "{\"revoked_subaccounts\":[\"AwMAAKCapfR6Z1mAL/lV+NwtKhSlyZ0jvpf4ZBJ/+Tg0VaTw\"]," CLOCK "}"));
  CHECK(parsed.reply.of.tokens.count == 1 && parsed.reply.of.tokens.list[0][35] == 0xf0);
  REFUSED(&request, "{}", "{\"revoked_subaccounts\":[\"AwMA\"]}", "{\"revoked_subaccounts\":{}}",
          "{\"revoked_subaccounts\":[7]}");
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void info_gives_the_clock(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_INFO);
  sc_storage_parsed_reply parsed = {0};
  int64_t offset;
  OK(parse(&parsed, t, &request,
           "{\"version\":[2,8,0],\"timestamp\":1700000000123,\"t\":1700000000123,\"hf\":[19,5]}"));
  CHECK(parsed.reply.of.info.version[1] == 8 && parsed.reply.of.info.timestamp == 1700000000123);
  CHECK(sc_storage_clock_offset(&offset, &parsed.reply.clock, 1700000000000, 1700000000200) && offset == 23);
  CHECK(sc_storage_clock_offset(&offset, &parsed.reply.clock, 1700000001000, 1700000001000) &&
        offset == -877);
  CHECK(!sc_storage_clock_offset(&offset, &parsed.reply.clock, 2, 1));
  const uint64_t ten_years = 3652 * cast_day, now = parsed.reply.clock.time;
  CHECK(sc_storage_clock_offset(&offset, &parsed.reply.clock, now - ten_years, now - ten_years));
  CHECK(!sc_storage_clock_offset(&offset, &parsed.reply.clock, now - ten_years - 1, now - ten_years - 1));
  CHECK(sc_storage_clock_offset(&offset, &parsed.reply.clock, now + ten_years, now + ten_years));
  CHECK(!sc_storage_clock_offset(&offset, &parsed.reply.clock, now + ten_years + 1, now + ten_years + 1));
  CHECK(!sc_storage_clock_offset(&offset, &(sc_storage_clock){0}, 1, 2));
  CHECK(!sc_storage_clock_offset(&offset, &(sc_storage_clock){.has_time = true, .time = UINT64_MAX}, 1, 2));
  REFUSED(&request, "{}", "{\"version\":[2,8],\"timestamp\":1}", "{\"version\":[2,8,0]}",
          "{\"version\":\"2.8.0\",\"timestamp\":1}", "{\"version\":[2,8,-1],\"timestamp\":1}");
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_name_may_be_unregistered(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_NAME);
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &request, "{\"result\":{}," CLOCK "}"));
  CHECK(!parsed.reply.of.name.registered);
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &request,
           "{\"result\":{\"encrypted_value\":\"00ff\",\"nonce\":"
           "\"000102030405060708090a0b0c0d0e0f1011121314151617\"}}"));
  CHECK(parsed.reply.of.name.registered && parsed.reply.of.name.nonce[23] == 0x17);
  SAME(sc_bytes_make("\x00\xff", 2), parsed.reply.of.name.encrypted);
  REFUSED(&request, "{}", "{\"result\":[]}", "{\"result\":{\"encrypted_value\":\"00ff\"}}",
          "{\"result\":{\"encrypted_value\":\"0\",\"nonce\":"
          "\"000102030405060708090a0b0c0d0e0f1011121314151617\"}}",
          "{\"result\":{\"encrypted_value\":\"zz\",\"nonce\":"
          "\"000102030405060708090a0b0c0d0e0f1011121314151617\"}}",
          "{\"result\":{\"encrypted_value\":\"00\",\"nonce\":\"00\"}}");
done:
  sc_storage_parsed_reply_free(&parsed);
}

/* Three different requests, whose replies may differ too. */
static void each_part_of_a_batch_has_its_own_result(sc_test *t) {
  sc_storage_request parts[] = {cast_any(SC_STORAGE_INFO), cast_any(SC_STORAGE_GET_EXPIRIES),
                                cast_any(SC_STORAGE_DELETE), cast_any(SC_STORAGE_INFO)};
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {parts, 4}};
  sc_storage_parsed_reply parsed = {0};
  OK(parse(&parsed, t, &batch,
           "{\"results\":[{\"code\":200,\"body\":{\"version\":[2,8,0],\"timestamp\":1}},"
           "{\"code\":406,\"body\":\"Timestamp error: check your clock\"},"
           "{\"code\":404,\"body\":{\"swarm\":{\"" NODE_A "\":{\"deleted\":[]," SIGNATURE "}}}},"
           "{\"code\":200,\"body\":{\"version\":7}}]}"));
  const sc_storage_result *r = parsed.reply.of.results.list;
  CHECK(parsed.reply.of.results.count == 4);
  CHECK(r[0].code == 200 && r[0].reply != NULL && r[0].reply->of.info.version[1] == 8);
  CHECK(r[1].code == 406 && r[1].reply == NULL && r[1].swarm == NULL);
  SAME(sc_bytes_text("Timestamp error: check your clock"), r[1].text);
  CHECK(r[2].code == 404 && r[2].reply != NULL && r[2].reply->of.members.count == 1);
  CHECK(r[3].status == SC_ERR_STORAGE_REPLY && r[3].reply == NULL);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_batch_has_every_result_and_a_sequence_may_stop_early(sc_test *t) {
  sc_storage_request parts[] = {cast_any(SC_STORAGE_INFO), cast_any(SC_STORAGE_INFO)};
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {parts, 2}}, sequence = batch;
  sc_storage_parsed_reply parsed = {0};
#define RESULT "{\"code\":500,\"body\":\"x\"}"
  sequence.method = SC_STORAGE_SEQUENCE;
  OK(parse(&parsed, t, &sequence, "{\"results\":[" RESULT "]}"));
  CHECK(parsed.reply.of.results.count == 1);
  REFUSED(&sequence, "{\"results\":[" RESULT "," RESULT "," RESULT "]}");
  REFUSED(&batch, "{}", "{\"results\":{}}", "{\"results\":[" RESULT "]}",
          "{\"results\":[" RESULT "," RESULT "," RESULT "]}");
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void an_unreadable_result_fails_alone(sc_test *t) {
  static const char *const bad[] = {"{\"code\":99,\"body\":\"x\"}",
                                    "{\"code\":600,\"body\":\"x\"}",
                                    "{\"code\":\"200\",\"body\":\"x\"}",
                                    "{\"code\":200}",
                                    "{\"body\":\"x\"}",
                                    "7",
                                    "null"};
  sc_storage_request parts[] = {cast_any(SC_STORAGE_INFO), cast_any(SC_STORAGE_INFO)};
  sc_storage_request batch = {.method = SC_STORAGE_BATCH, .of.batch = {parts, 2}};
  sc_storage_parsed_reply parsed = {0};
  char body[128];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sc_storage_parsed_reply_free(&parsed);
    snprintf(body, sizeof body, "{\"results\":[%s," RESULT "]}", bad[i]);
    OK(parse(&parsed, t, &batch, body));
    const sc_storage_result *r = parsed.reply.of.results.list;
    CHECK(r[0].status == SC_ERR_STORAGE_REPLY && r[0].reply == NULL && r[0].swarm == NULL);
    CHECK(r[1].status == SC_OK && r[1].code == 500);
    SAME(sc_bytes_text("x"), r[1].text);
  }
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_branch_reports_which_way_it_took(sc_test *t) {
  sc_storage_request info = cast_any(SC_STORAGE_INFO);
  sc_storage_request branch = {.method = SC_STORAGE_BRANCH};
  sc_storage_parsed_reply parsed = {0};
  branch.of.branch.then = &info;
  OK(parse(&parsed, t, &branch,
           "{\"hf\":[19,6],\"v\":[2,8,0],\"height\":5,\"condition\":true,\"result\":{\"code\":200,\"body\":"
           "{\"version\":[2,8,0],\"timestamp\":1}}}"));
  CHECK(parsed.reply.of.outcome.condition && parsed.reply.of.outcome.height == 5);
  CHECK(parsed.reply.of.outcome.version[0] == 2 && parsed.reply.of.outcome.result->reply != NULL);
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &branch, "{\"condition\":false}"));
  CHECK(parsed.reply.of.outcome.result == NULL);
  REFUSED(&branch, "{}", "{\"condition\":2}", "{\"condition\":false,\"result\":{\"code\":200,\"body\":{}}}",
          "{\"condition\":true,\"v\":[1]}", "{\"condition\":true,\"height\":-1}");
  sc_storage_parsed_reply_free(&parsed);
  OK(parse(&parsed, t, &branch, "{\"condition\":1,\"result\":7}"));
  CHECK(parsed.reply.of.outcome.condition);
  CHECK(parsed.reply.of.outcome.result->status == SC_ERR_STORAGE_REPLY);
done:
  sc_storage_parsed_reply_free(&parsed);
}

static void a_reply_over_the_limit_is_refused(sc_test *t) {
  sc_storage_request request = cast_any(SC_STORAGE_INFO);
  sc_storage_parsed_reply parsed;
  sc_storage_parsed_swarm swarm;
  sc_bytes large = sc_bytes_make("{", SC_STORAGE_MAX_BYTES + 1);
  FAILS(SC_ERR_TOO_LARGE, sc_storage_reply_parse(&parsed, t->env, &request, large));
  FAILS(SC_ERR_TOO_LARGE, sc_storage_swarm_parse(&swarm, t->env, large));
done:;
}

SUITE(network_storage_reply_read, "network/storage/reply_read",
      {"the known swarm of a store is read", the_known_swarm_of_a_store_is_read},
      {"an invalid swarm is refused", an_invalid_swarm_is_refused},
      {"a malformed member fails alone", a_malformed_member_fails_alone},
      {"flags may be numbers", flags_may_be_numbers},
      {"a malformed failure is still a failure", a_malformed_failure_is_still_a_failure},
      {"an invalid clock is ignored", an_invalid_clock_is_ignored},
      {"deletions list the deleted hashes", deletions_list_the_deleted_hashes},
      {"a sweep of all namespaces lists hashes by namespace",
       a_sweep_of_all_namespaces_lists_hashes_by_namespace},
      {"an expire reports the times it set", an_expire_reports_the_times_it_set},
      {"only complete hashes are accepted", only_complete_hashes_are_accepted},
      {"an empty list takes no memory", an_empty_list_takes_no_memory},
      {"a reason must be UTF-8", a_reason_must_be_utf_8},
      {"the known messages are read", the_known_messages_are_read},
      {"messages that do not match their hash are dropped",
       messages_that_do_not_match_their_hash_are_dropped},
      {"a duplicate message is dropped", a_duplicate_message_is_dropped},
      {"an invalid message list is refused", an_invalid_message_list_is_refused},
      {"one malformed message does not affect the others", one_malformed_message_does_not_affect_the_others},
      {"surplus expiries are refused", surplus_expiries_are_refused},
      {"revoked tokens are read", revoked_tokens_are_read}, {"info gives the clock", info_gives_the_clock},
      {"a name may be unregistered", a_name_may_be_unregistered},
      {"each part of a batch has its own result", each_part_of_a_batch_has_its_own_result},
      {"a batch has every result, and a sequence may stop early",
       a_batch_has_every_result_and_a_sequence_may_stop_early},
      {"an unreadable result fails alone", an_unreadable_result_fails_alone},
      {"a branch reports which way it took", a_branch_reports_which_way_it_took},
      {"a reply over the limit is refused", a_reply_over_the_limit_is_refused});
