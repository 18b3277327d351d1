import SessionBase
import SessionCore
import SessionDaemon
import SessionServers
import SessionService
import SessionStorage

extension Command {
  static let communityServerInit = Command(
    name: "server community init",
    summary: "prepare a community server: a folder with its key and a configuration file",
    discussion: """
      Writes DIR/community-server.toml and a new key, readable only by you, and shows the public key. The key is the
      address of the server for its members: with another one they do not find it again. An existing key is kept.
      """,
    options: [
      .init(name: "dir", value: "DIR", summary: "the folder to create", isRequired: true),
      .init(
        name: "listen", value: "ADDRESS:PORT", summary: "where the server listens", isRequired: true,
        isRepeated: true),
      .init(name: "url", value: "URL", summary: "where clients find it, if that is another address"),
      .init(
        name: "database", value: "ADDRESS",
        summary: "keep rows in PostgreSQL: postgresql://USER@HOST/NAME, without the password"),
      .json,
    ],
    examples: [
      .init(
        line: "session server community init --dir chat --listen 192.0.2.5:80 --url http://chat.example",
        summary: "prepare a community server")
    ],
    rpc: .none(.isServer)
  ) { invocation, _ in
    let folder = invocation.required("dir")
    let addresses = try invocation.all("listen").map { try invocation.address("listen", $0) }
    let url = invocation["url"]
    guard url.map(isServerURL) ?? true else { throw invocation.misuse("--url is \(serverURLWords)") }
    let database: PostgreSQLAddress?
    do { database = try invocation["database"].map { text in try PostgreSQLAddress(text) } } catch {
      throw invocation.misuse("--database: \(error)")
    }
    let config = folder + "/community-server.toml"
    let key = try await WorkerQueue("session.command").run {
      let key = try CommunityServer.prepare(folder: folder, database: database)
      let settings = [("url", url), ("database", database?.text)].compactMap { name, value in
        value.map { (name, $0) }
      }
      try writeConfiguration(
        config, [("folder", ".")] + settings,
        lists: [("listen", addresses.map { "\($0)" })])
      return key
    }
    return invocation.publicKey(
      key,
      notes: [
        "add a room with 'session server community room add TOKEN --name NAME --config \(config)'",
        "start it with 'session server community run --config \(config)'",
      ])
  }

  static let communityServerRun = Command(
    name: "server community run",
    summary: "run a community server in this process",
    discussion: """
      Serves rooms that people read and write in. The server sees all messages of its rooms, and the blinded ids of their
      authors lead to their Session IDs.

      A room that everybody may read is public: people who are banned from it can still read it without an id.

      Runs until interrupted. It finishes the requests in progress before it stops, and logs to standard error.
      """,
    options: [.communityServerConfig],
    examples: [
      .init(
        line: "session server community run --config chat/community-server.toml",
        summary: "run until interrupted")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let configuration = try CommunityServerConfiguration(invocation.required("config"), io: io)
    OpenFileLimit.raise()
    let options = configuration.options.fitting(files: OpenFileLimit.now)
    return try await cancelledBySignals {
      try await runUntilCancelled {
        try CommunityServer(options)
      } control: { server in
        try CommunityControl(server, folder: configuration.folder)
      }
    }
  }

  static let communityServerStatus = Command(
    name: "server community status",
    summary: "show the state of a community server on this machine",
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try CommunityServerConfiguration(invocation.required("config"), io: io).folder
    let (status, reach) = try await cancelledBySignals {
      let remote = try CommunityRemote(folder: folder)
      let result: Result<(CommunityStatus, CommunityReach), any Error>
      do { result = .success((try await remote.status(), try await remote.reach())) } catch {
        result = .failure(error)
      }
      await remote.close()
      return try result.get()
    }
    return invocation.has("json")
      ? CommandOutput(json: status.json(reach)) : CommandOutput(fields: status.fields(reach))
  }

  static let communityServerKey = Command(
    name: "server community key",
    summary: "show the public key of a community server",
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try CommunityServerConfiguration(invocation.required("config"), io: io).folder
    return invocation.publicKey(try CommunityServer.key(of: folder))
  }
}

extension Command.Option {
  static let communityServerConfig = Self(
    name: "config", value: "FILE", summary: "the configuration; see 'session help community-server-config'",
    isRequired: true)
}

extension Invocation {
  /// Has a community server carry out an order, whether it runs or not.
  func order(_ order: CommunityOrder, _ io: CommandIO) async throws -> CommunityReport {
    let options = try CommunityServerConfiguration(required("config"), io: io).options
    do {
      return try await cancelledBySignals { try await CommunityServer.carryOut(order, options) }
    } catch ServiceFailure.request(let words) {
      throw CommandFailure.data(words)
    }
  }
}
