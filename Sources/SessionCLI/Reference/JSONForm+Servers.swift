import SessionNode

extension JSONForm {
  /// The objects about the nodes and servers of a network.
  static let servers: [JSONForm] =
    [
      JSONForm(
        name: "public key", summary: "the public key of a node, a registry's operator or a server",
        commands: [
          "node init", "node key", "node registry init", "server file init", "server file key",
          "server community init", "server community key",
        ],
        members: [key]),
      JSONForm(
        name: "node state", summary: "the state of a storage node", commands: ["node status"],
        members: [
          key, .required("address", .text, "where it listens"),
          .required("version", .text, "the version that it reports to others"),
          .required("ready", .boolean, "true if it can serve requests"),
          .optional("reason", .text, "why it cannot"),
          .optional("https", .text, "where it listens for HTTPS, if it does"),
          .optional("swarm", .text, "its swarm, in hexadecimal digits; not there while it has none"),
          .required("members", .objects("swarm member"), "the other nodes of that swarm"),
          .required("height", .number, "the height of its list of nodes; 0 without a list"),
          .required("listed_nodes", .number, "number of nodes in that list"),
          .required("messages", .number, "number of stored messages"),
          .required("subscriptions", .number, "number of subscriptions to new messages"),
          .required("debts", .number, "number of requests that it still has to send to other nodes"),
          .required("transfers", .number, "number of nodes that it transfers its store to"), requests, memory,
          uptime,
        ]),
      JSONForm(
        name: "swarm member", summary: "another node of a node's swarm",
        members: [
          key, .required("address", .text, "where it is reached"),
          .optional(
            "reachable", .boolean, "true if it replied to the last call; missing before the first call"),
        ]),
      JSONForm(
        name: "registry state", summary: "the state of a registry, and the nodes of its network",
        commands: ["node registry status"],
        members: [
          .required("name", .text, "the name of the network"),
          .required("operator", .text, "the key of its operator, in hexadecimal digits"),
          .required("address", .text, "where it listens"),
          .required("network_file", .text, "the file with the signed list of nodes"),
          .required("height", .number, "the height of that list"),
          .required("allowed", .number, "number of nodes that may join"),
          .required(
            "awaits_confirmation", .boolean,
            "true if 'session node registry confirm' is needed to remove most of the nodes"),
          .required("nodes", .objects("registered node"), "the nodes of the network"), uptime,
        ]),
      JSONForm(
        name: "registered node", summary: "a node that a registry knows",
        members: [
          key, .required("address", .text, "where it is reached"),
          .required(
            "state", .word(RegistryStatus.Node.State.allCases.map(\.rawValue)),
            "serving, silent, unreachable for most other nodes, or leaving"),
          .required("silent_seconds", .number, "seconds since it last announced itself"),
          .required("reported_by", .number, "number of nodes that report it as unreachable"),
          .optional("swarm", .text, "its swarm, in hexadecimal digits; not there while it has none"),
        ]),
      JSONForm(
        name: "file server state", summary: "the state of a file server", commands: ["server file status"],
        members: [
          key, .required("url", .text, "its URL for clients"),
          .required("address", .text, "where it listens"),
          .required("files", .number, "number of stored files"),
          .required("bytes", .number, "total size of the files"),
          .required("max_bytes", .number, "limit of the total size"), requests, memory, uptime,
        ]),
    ] + communities + devnets

  private static let communities: [JSONForm] = [
    JSONForm(
      name: "community server state", summary: "the state of a community server",
      commands: ["server community status"],
      members: [
        key, .required("url", .text, "its URL for clients"),
        .required(
          "url_answers", .text,
          "what answers there: `server`, `other` without the key of the server, or `nothing`"),
        .required("addresses", .texts, "where it listens"),
        .required("rooms", .number, "number of rooms"),
        .required("people", .number, "number of people who have come or were named"),
        .required("messages", .number, "number of messages"),
        .required("file_bytes", .number, "total size of the files"),
        .required("max_file_bytes", .number, "limit of the total size"), requests, memory, uptime,
      ]),
    JSONForm(
      name: "served room", summary: "a room of a community server on this machine",
      commands: [
        "server community room add", "server community room list", "server community room show",
        "server community room set", "server community room image",
      ],
      members: [
        .required("room", .text, "its name in links"), .required("name", .text, "its name"),
        .optional("description", .text, "its description"),
        .required("link", .text, "the link by which people join it"),
        .required("permissions", .text, "the letters of what everybody may do: r, w, u, a"),
        .required("changes", .number, "number of changes so far: posts, edits, deletions, reactions"),
        .required("active_users", .number, "number of people who have read it lately"),
        .required("picture", .boolean, "true if it has a picture"),
        .required("slow_seconds", .number, "the least time between two posts of a person"),
        .required("newcomer_write_minutes", .number, "minutes in which newcomers only read"),
        .required("newcomer_upload_minutes", .number, "minutes in which newcomers upload nothing"),
        .optional("retention_days", .number, "days that messages are kept; not there if for ever"),
      ]),
    JSONForm(
      name: "served link", summary: "the link of a room of a community server on this machine",
      commands: ["server community link"],
      members: [
        .required("room", .text, "its name in links"),
        .required("link", .text, "the link by which people join it"),
      ]),
    JSONForm(
      name: "carried out order", summary: "a change on a community server that was made",
      commands: [
        "server community room delete", "server community moderator add", "server community moderator remove",
        "server community ban", "server community unban", "server community messages delete",
      ],
      members: [
        .required("count", .number, "number of rooms, people or messages that it was made for")
      ]),
    JSONForm(
      name: "served person", summary: "a person on a community server on this machine",
      commands: [
        "server community moderator list", "server community bans", "server community permission",
        "server community members",
      ],
      members: [
        .required("id", .text, "the id that they signed with last, or that they were named by"),
        .optional("room", .text, "the room; not there for the whole server"),
        .optional("role", .word(["moderator", "admin"]), "the role"),
        .optional("hidden", .boolean, "true if members do not see the role"),
        .optional("banned", .boolean, "true if they are banned"),
        .optional("until", .time, "when the ban ends"),
        .optional("last_active", .time, "when they read the room last"),
        .optional("created", .time, "when they came first"),
        .optional("permissions", .text, "what they may do and others not, +w, and the other way round, -w"),
      ]),
    JSONForm(
      name: "moderation", summary: "an action of a moderator or the operator",
      commands: ["server community log"],
      members: [
        .required("id", .number, "its number"), .required("at", .time, "when it was"),
        .required("what", .text, "what was done"),
        .optional("room", .text, "the room; not there for the whole server"),
        .optional("by", .text, "who did it; not there for the operator"),
        .optional("whom", .text, "to whom it was done"),
        .optional("message", .number, "the number of the message, or of messages"),
        .optional("until", .time, "when it ends by itself"),
      ]),
    JSONForm(
      name: "former text", summary: "a text of a message that was deleted or edited",
      commands: ["server community history"],
      members: [
        .required("at", .time, "when it was deleted or edited"),
        .optional("by", .text, "who did it; not there for the operator"),
        .required("data", .text, "the content of the message in base64, as it was signed"),
      ]),
    JSONForm(
      name: "backup", summary: "a backup of a community server that was written",
      commands: ["server community backup"],
      members: [
        .required("rooms", .number, "number of rooms"), .required("messages", .number, "number of messages"),
        .required("files", .number, "number of files"),
        .required("lost_files", .number, "number of files whose content was missing or damaged"),
        .required("bytes", .number, "size of the database and the files"),
      ]),
    JSONForm(
      name: "restored server", summary: "a community server that was restored from a backup",
      commands: ["server community restore"],
      members: [
        key, .required("created", .time, "when the backup was written"),
        .required("files", .number, "number of files"),
      ]),
    JSONForm(
      name: "imported server", summary: "a community server that was imported",
      commands: ["server community import"],
      members: [
        key, .required("tables", .objects("imported table"), "the tables of the old server"),
        .required("left_out", .objects("row left out"), "the rows that were left out"),
        .required("wrong_signatures", .number, "number of messages whose signature is wrong"),
        .required("banned_moderators", .texts, "people with a role who are banned"),
        .required("settings", .texts, "lines of the configuration for the old settings"),
        .required("unknown_settings", .texts, "old settings without a counterpart"),
      ]),
    JSONForm(
      name: "imported table", summary: "the rows of a table of the old server",
      members: [
        .required("table", .text, "the name of the table"), .required("old", .number, "number of its rows"),
        .required("new", .number, "number of them that were taken over"),
      ]),
    JSONForm(
      name: "row left out", summary: "a row of the old server that was left out",
      members: [
        .required("table", .text, "the name of the table"), .optional("number", .number, "its number"),
        .required("reason", .text, "why it was left out"),
      ]),
  ]

  private static let devnets: [JSONForm] = [
    JSONForm(
      name: "copied database", summary: "the rows of a server that were moved or exported",
      commands: ["server community database move", "server community database export"],
      members: [.required("tables", .objects("copied table"), "the tables")]),
    JSONForm(
      name: "copied table", summary: "a table that was moved or exported",
      members: [
        .required("table", .text, "its name"), .required("rows", .number, "number of its rows"),
      ]),
    JSONForm(
      name: "devnet", summary: "the private network that runs on this machine",
      commands: ["devnet up", "devnet status"],
      members: [
        .required("network_file", .text, "the network file for clients"), memory,
        .required("nodes", .objects("devnet node"), "its nodes"),
        .required("servers", .objects("devnet server"), "its servers"),
      ]),
    JSONForm(
      name: "devnet node", summary: "a node of the private network",
      members: [
        .required("number", .number, "the number that commands take"), key,
        .required("address", .text, "where it is reached"),
        .required("swarm", .text, "its swarm, in hexadecimal digits"),
        .required("alive", .boolean, "true if it runs"),
        .required("messages", .number, "number of stored messages; 0 if it does not run"),
        .required("delay_ms", .number, "delay of datagrams to it, in milliseconds"),
        .required("loss", .number, "share of datagrams to it that are dropped, from 0 to 1"),
      ]),
    JSONForm(
      name: "devnet server", summary: "a server of the private network",
      members: [
        .required("name", .text, "the kind of server"),
        .required("url", .text, "its URL for clients"),
        key, .required("summary", .text, "a short description of what it stores"),
      ]),
  ]

  private static let key = Member.required("key", .text, "its key, in hexadecimal digits")
  private static let requests = Member.required("requests", .number, "number of requests it has replied to")
  private static let memory = Member.required("memory", .number, "memory of its process in bytes")
  private static let uptime = Member.required("uptime_seconds", .number, "seconds since its start")
}
