import SessionBase
import SessionCore
import SessionServers

extension Command {
  static let fileServerInit = Command(
    name: "server file init",
    summary: "prepare a file server: a folder with its key and a configuration file",
    discussion: """
      Writes DIR/file-server.toml and a new key, readable only by you, and shows the public key, which clients need
      together with the URL. An existing key is kept.
      """,
    options: [
      .init(name: "dir", value: "DIR", summary: "the folder to create", isRequired: true),
      .init(name: "listen", value: "ADDRESS:PORT", summary: "where the server listens", isRequired: true),
      .init(name: "url", value: "URL", summary: "where clients find it, if that is another address"),
      .json,
    ],
    examples: [
      .init(
        line: "session server file init --dir files --listen 192.0.2.5:80 --url http://files.example",
        summary: "prepare a file server for a private network")
    ],
    rpc: .none(.isServer)
  ) { invocation, _ in
    let folder = invocation.required("dir")
    let listen = try invocation.address("listen", invocation.required("listen"))
    let url = invocation["url"]
    guard url.map(isServerURL) ?? true else { throw invocation.misuse("--url is \(serverURLWords)") }
    let config = folder + "/file-server.toml"
    let key = try await WorkerQueue("session.command").run {
      let key = try FileServer.prepare(folder: folder)
      try writeConfiguration(
        config, [("folder", "."), ("listen", "\(listen)")] + (url.map { [("url", $0)] } ?? []))
      return key
    }
    return invocation.publicKey(
      key,
      notes: [
        "start it with 'session server file run --config \(config)'",
        "nodes forward requests to it if proxy_hosts contains its host",
      ])
  }

  static let fileServerRun = Command(
    name: "server file run",
    summary: "run a file server in this process",
    discussion: """
      Stores encrypted files of clients until they expire. Clients reach it through the network, so the server learns
      neither who they are nor what the files contain.

      Runs until interrupted. It finishes the requests in progress before it stops, and logs to standard error.
      """,
    options: [.fileServerConfig],
    examples: [
      .init(
        line: "session server file run --config files/file-server.toml",
        summary: "run until interrupted")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let configuration = try FileServerConfiguration(invocation.required("config"), io: io)
    return try await cancelledBySignals {
      try await runUntilCancelled {
        try FileServer(configuration.options)
      } control: { server in
        try FileServerControl(server, folder: configuration.folder)
      }
    }
  }

  static let fileServerStatus = Command(
    name: "server file status",
    summary: "show the state of a file server on this machine",
    options: [.fileServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try FileServerConfiguration(invocation.required("config"), io: io).folder
    let status = try await cancelledBySignals {
      let remote = try FileServerRemote(folder: folder)
      let result: Result<FileServerStatus, any Error>
      do { result = .success(try await remote.status()) } catch { result = .failure(error) }
      await remote.close()
      return try result.get()
    }
    return invocation.has("json") ? CommandOutput(json: status.json) : status.table
  }

  static let fileServerKey = Command(
    name: "server file key",
    summary: "show the public key of a file server",
    options: [.fileServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = try FileServerConfiguration(invocation.required("config"), io: io).folder
    return invocation.publicKey(try FileServer.prepare(folder: folder))
  }
}

extension Command.Option {
  fileprivate static let fileServerConfig = Self(
    name: "config", value: "FILE", summary: "the configuration; see 'session help file-server-config'",
    isRequired: true)
}
