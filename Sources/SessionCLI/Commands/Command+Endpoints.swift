import SessionBase
import SessionCore
import SessionDaemon
import SessionHTTP
import SessionMessaging
import SessionNetworking
import SessionStorage

extension Command {
  static let endpoints = Command(
    name: "endpoints",
    summary: "list what this program contacts for an account, and where it keeps files",
    discussion: """
      Lists what is in force: the network of the account, its servers, the rooms that it has joined, and the settings.
      Nothing is contacted for this. docs/endpoints.md explains each entry, when it is contacted, what is sent, and how to
      switch it off.
      """,
    options: [.account, .json],
    examples: [.init(line: "session endpoints", summary: "see which servers an account uses")],
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let reach = try book.network(of: account, io: io).reach(io: io)
    let found = try await invocation.reading(io) { messenger in
      try await UsedEndpoint.all(of: messenger, account, reach, io)
    }
    guard !invocation.has("json") else { return CommandOutput(lines: found.map(\.json)) }
    return CommandOutput(
      data: TextTable(
        head: ["what", "address", "how"], rows: found.map { [$0.name, $0.address, $0.way.words] }
      )
      .parts)
  }
}

/// Something that an account uses outside of its program.
private struct UsedEndpoint: Sendable {
  enum Way: String, CaseIterable {
    /// Datagrams from this machine.
    case direct
    /// Through three nodes, which hide the address of this machine.
    case onion
    case https
    case proxy
    case file

    var words: String {
      switch self {
      case .direct: "directly"
      case .onion: "through the network"
      case .https: "directly, HTTPS"
      case .proxy: "through the proxy, HTTPS"
      case .file: "on this machine"
      }
    }
  }

  let name: String
  let address: String
  let way: Way

  var json: JSONObject {
    [
      "type": .string("endpoint"), "name": .string(name), "address": .string(address),
      "way": .string(way.rawValue),
    ]
  }

  static func all(
    of messenger: Messenger, _ account: AccountFolder, _ reach: AccountNetwork.Reach, _ io: CommandIO
  ) async throws -> [UsedEndpoint] {
    let seeds = reach.options.seeds.isEmpty ? reach.options.kind.seeds : reach.options.seeds
    var found = seeds.map { UsedEndpoint(name: "seed node", address: "\($0.address)", way: .direct) }
    found.append(UsedEndpoint(name: "guards", address: "'session net guards list'", way: .direct))
    let files =
      reach.file.map { $0.services[NetworkService.fileServer]?.url }
      ?? FileServer.official.map { "\($0.scheme == .http ? "http" : "https")://\($0.host)" }
    if let files { found.append(UsedEndpoint(name: "file server", address: files, way: .onion)) }
    let rooms = try await messenger.rooms().map(\.server)
    let offered = try reach.defaultCommunity()?.url
    for server in Set(rooms + [offered].compactMap(\.self)).sorted() {
      let name = rooms.contains(server) ? "community server" : "community server, when its rooms are listed"
      found.append(UsedEndpoint(name: name, address: server, way: .onion))
    }
    if try await messenger.settings().linkPreviews != .off {
      // As for any host of which nothing else is said.
      let proxy = try io.siteAccess().proxy("example.org")
      let address = "the site of each link that you send" + (proxy.map { ", by \($0)" } ?? "")
      found.append(
        UsedEndpoint(name: "previews of links", address: address, way: proxy == nil ? .https : .proxy))
    }
    let roots = try io.roots()
    found += [
      ("account", account.data), ("settings", roots.config), ("state", roots.state), ("cache", roots.cache),
    ].map { UsedEndpoint(name: $0, address: DisplayText.line($1), way: .file) }
    return found
  }
}

extension JSONForm {
  static let endpoint = JSONForm(
    name: "endpoint", summary: "something that an account uses outside of its program",
    commands: ["endpoints"],
    members: [
      .type("endpoint"), .required("name", .text, "what it is"),
      .required("address", .text, "its address, or the path of a folder"),
      .required("way", .word(UsedEndpoint.Way.allCases.map(\.rawValue)), "how it is reached"),
    ])
}
