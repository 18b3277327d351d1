import SessionNode

extension JSONForm {
  /// What commands write about the servers of a network.
  static let servers: [JSONForm] =
    [
      JSONForm(
        name: "public key", summary: "the key that others know something by",
        commands: [
          "node init", "node key", "node registry init", "server file init", "server file key",
        ],
        members: [key]),
      JSONForm(
        name: "node state", summary: "how a storage node is", commands: ["node status"],
        members: [
          key, .required("address", .text, "where it listens"),
          .required("version", .text, "the version that it announces"),
          .required("ready", .boolean, "whether it is of use now"),
          .optional("reason", .text, "why it is of none"),
          .optional("https", .text, "where it listens for HTTPS, if it does"),
          .optional("swarm", .text, "its swarm, in hexadecimal digits; not there while it has none"),
          .required("members", .objects("swarm member"), "the other nodes of that swarm"),
          .required("height", .number, "of its list of nodes; 0 while it has none"),
          .required("listed_nodes", .number, "how many nodes are in that list"),
          .required("messages", .number, "how many it keeps"),
          .required("subscriptions", .number, "number of subscriptions to new messages"),
          .required("debts", .number, "how many requests it owes other nodes"),
          .required("transfers", .number, "to how many nodes it hands its store over"), requests, memory,
          uptime,
        ]),
      JSONForm(
        name: "swarm member", summary: "another node of a node's swarm",
        members: [
          key, .required("address", .text, "where it is reached"),
          .optional(
            "reachable", .boolean, "whether it answered the last time; not there before it was called"),
        ]),
      JSONForm(
        name: "registry state", summary: "how a registry is, and the nodes of its network",
        commands: ["node registry status"],
        members: [
          .required("name", .text, "what the network is called"),
          .required("operator", .text, "the key of its operator, in hexadecimal digits"),
          .required("address", .text, "where it listens"),
          .required("network_file", .text, "the file with the list that it has signed"),
          .required("height", .number, "of that list"),
          .required("allowed", .number, "how many nodes may join"),
          .required(
            "awaits_confirmation", .boolean,
            "whether 'session node registry confirm' has to be called, to throw out most of the nodes"),
          .required("nodes", .objects("registered node"), "the nodes of the network"), uptime,
        ]),
      JSONForm(
        name: "registered node", summary: "a node that a registry knows",
        members: [
          key, .required("address", .text, "where it is reached"),
          .required(
            "state", .word(RegistryStatus.Node.State.allCases.map(\.rawValue)),
            "whether it serves, is silent or not reached by most others, or leaves"),
          .required("silent_seconds", .number, "since it last announced itself"),
          .required("reported_by", .number, "how many others do not reach it"),
          .optional("swarm", .text, "its swarm, in hexadecimal digits; not there while it has none"),
        ]),
      JSONForm(
        name: "file server state", summary: "how a file server is", commands: ["server file status"],
        members: [
          key, .required("url", .text, "what clients call it by"),
          .required("address", .text, "where it listens"), .required("files", .number, "how many it keeps"),
          .required("bytes", .number, "how large they are together"),
          .required("max_bytes", .number, "how large they may be together"), requests, memory, uptime,
        ]),
    ] + devnets

  private static let devnets: [JSONForm] = [
    JSONForm(
      name: "devnet", summary: "the private network that runs on this machine",
      commands: ["devnet up", "devnet status"],
      members: [
        .required("network_file", .text, "the file that clients learn of it from"), memory,
        .required("nodes", .objects("devnet node"), "its nodes"),
        .required("servers", .objects("devnet server"), "its servers"),
      ]),
    JSONForm(
      name: "devnet node", summary: "a node of the private network",
      members: [
        .required("number", .number, "the number that commands take"), key,
        .required("address", .text, "where it is reached"),
        .required("swarm", .text, "its swarm, in hexadecimal digits"),
        .required("alive", .boolean, "whether it runs"),
        .required("messages", .number, "how many it keeps; 0 while it does not run"),
        .required("delay_ms", .number, "how many milliseconds what is sent to it takes"),
        .required("loss", .number, "what part of that never arrives, from 0 to 1"),
      ]),
    JSONForm(
      name: "devnet server", summary: "a server of the private network",
      members: [
        .required("name", .text, "what kind of server it is"),
        .required("url", .text, "what clients call it by"),
        key, .required("summary", .text, "what it keeps, in a few words"),
      ]),
  ]

  private static let key = Member.required("key", .text, "its key, in hexadecimal digits")
  private static let requests = Member.required("requests", .number, "how many it has answered")
  private static let memory = Member.required("memory", .number, "how many bytes its process has")
  private static let uptime = Member.required("uptime_seconds", .number, "since it began")
}
