extension Topic {
  static let daemonHTTP = Topic(
    name: "daemon-http",
    summary: "the daemon over HTTP, and tokens",
    discussion: """
      'session daemon --http 127.0.0.1:8190', or http in 'session help daemon-config', serves the methods of 'session help
      bots' over HTTP, to programs on this machine only. Each of them shows a token of 'session daemon token new' in the
      header 'Authorization: Bearer TOKEN'. A token has the scopes read and send unless told otherwise, and may begin 10 calls
      a second that send, after a burst of 50. Web pages are refused but those of http_origins.

      Without the scope admin a token uses readers that have its own name, or begin with it and a colon: 'bot' has the readers
      bot and bot:alerts. This keeps a program from acknowledging another's events.

      The stream of events resumes behind the header Last-Event-ID. With reader=NAME the reader continues behind its last
      acknowledgement; with ack=auto an event is acknowledged when it was written to the connection, else by events.ack. A
      comment every 15 seconds shows that the connection lives.

      There is no TLS: from another machine, use ssh.
      """,
    rows: [
      ("POST /v1/rpc", "a call of JSON-RPC 2.0, or a batch, as application/json"),
      ("GET /v1/events?account=A", "events as Server-Sent Events; also reader, from, kinds=A,B, ack=auto"),
      (
        "POST /v1/files?name=N", "takes the content of a file for \"attach\":[{\"file\":...}]; the scope send"
      ),
      ("GET /v1/attachments/M/N?account=A", "the content of file N of message M"),
      ("GET /v1/health", "204, or 503 while an account is opening or has failed; needs no token"),
      (
        "GET /v1/metrics", "measurements for Prometheus: accounts by number, readers by name, calls by method"
      ),
      ("read", "scope: lists, messages, events and status"),
      ("send", "scope: send, react, delete, read and resend"),
      ("manage", "scope: people, groups, conversations, the profile, settings and jobs"),
      ("admin", "scope: the daemon, and paths of any file"),
    ],
    examples: [
      .init(
        line: "session daemon token new grafana --scope read > token", summary: "let a program read"),
      .init(
        line:
          "curl -H \"Authorization: Bearer $(cat token)\" --json @call.json http://127.0.0.1:8190/v1/rpc",
        summary: "one call"),
    ])
}
