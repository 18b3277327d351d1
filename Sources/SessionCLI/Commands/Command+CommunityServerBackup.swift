import SessionBase
import SessionCore
import SessionServers

extension Command {
  static let serverBackup = Command(
    name: "server community backup",
    summary: "write all that a community server stores into one file",
    discussion: """
      The server may run meanwhile. The file holds the rooms, messages, people and files of one moment, and the server's
      key, which is its address for members. It is encrypted with a passphrase unless you give --plain; it cannot be
      restored without the passphrase. The configuration is not in it.
      """,
    arguments: [.init(name: "FILE", summary: "the file to write; it must not exist")],
    options: [
      .backupPassphrase, .init(name: "plain", summary: "do not encrypt the backup"),
      .init(name: "without-key", summary: "leave the server's key out; keep a copy of it elsewhere"),
      .communityServerConfig, .json,
    ],
    examples: [
      .init(
        line:
          "session server community backup chat.backup --passphrase pw --config chat/community-server.toml",
        summary: "write a backup, with the passphrase in the file pw")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let isPlain = invocation.has("plain")
    guard !isPlain || invocation["passphrase"] == nil else {
      throw invocation.misuse("give --plain or --passphrase")
    }
    let configuration = try CommunityServerConfiguration(invocation.required("config"), io: io)
    let folder = configuration.folder
    let path = invocation.arguments[0]
    guard !OpenFile.exists(path) else {
      throw CommandFailure(
        status: .cannotCreate, message: "\(path) already exists", advice: "Choose another name.")
    }
    let passphrase =
      isPlain ? nil : try await BackupPassphrase(path: invocation["passphrase"], io: io).new()
    let report = try await cancelledBySignals {
      try await CommunityBackup(
        ofFolder: folder, database: configuration.options.database, files: configuration.options.files,
        passphrase: passphrase,
        includesKey: !invocation.has("without-key")
      ).write(to: path)
    }
    var output = invocation.has("json") ? CommandOutput(json: report.json) : CommandOutput()
    output.notes = [
      "\(report.rooms) rooms, \(report.messages) messages, \(report.files) files, "
        + ByteCount.text(Int64(report.bytes))
    ]
    if report.missing > 0 { output.notes.append("the content of \(report.missing) files is lost") }
    return output
  }

  static let serverRestore = Command(
    name: "server community restore",
    summary: "make the folder of a community server from a backup",
    discussion: """
      Members have seen more than the backup holds, so the numbers of rooms, messages, files and letters that come next
      move on by 1,000,000: what is new is then new for each of them. With --bump-only and without FILE, only that is
      done, to a database that another tool has restored and whose server does not run: the one in --dir, or that of
      --config.
      """,
    arguments: [.init(name: "FILE", summary: "the backup", isOptional: true)],
    options: [
      .init(
        name: "dir", value: "DIR", summary: "the folder to create, which may be there if it is empty"),
      .backupPassphrase,
      .init(name: "key", value: "FILE", summary: "the server's key, if the backup has none"),
      .init(name: "bump-only", summary: "only move the numbers on"),
      .init(name: "config", value: "FILE", summary: "with --bump-only: the configuration of the server"),
      .json,
    ],
    examples: [
      .init(
        line: "session server community restore chat.backup --dir chat",
        summary: "restore a backup; it prompts for the passphrase")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    guard invocation.has("bump-only") != !invocation.arguments.isEmpty else {
      throw invocation.misuse("give FILE or --bump-only")
    }
    guard let path = invocation.arguments.first else {
      switch (invocation["dir"], invocation["config"]) {
      case (let folder?, nil): try await CommunityRestore.skipNumbers(inFolder: folder)
      case (nil, let config?):
        let configuration = try CommunityServerConfiguration(config, io: io)
        try await CommunityRestore.skipNumbers(
          inFolder: configuration.folder, database: configuration.options.database)
      default: throw invocation.misuse("give --dir or --config with --bump-only")
      }
      return CommandOutput(notes: ["the numbers have moved on"])
    }
    guard let folder = invocation["dir"], invocation["config"] == nil else {
      throw invocation.misuse("give --dir with FILE, and no --config")
    }
    let passphrase = BackupPassphrase(path: invocation["passphrase"], io: io)
    let restore = CommunityRestore(toFolder: folder, key: invocation["key"])
    let report = try await cancelledBySignals {
      try await restore.restore(path) { try await passphrase.known() }
    }
    var output =
      invocation.has("json")
      ? CommandOutput(json: report.json)
      : CommandOutput(fields: [
        ("key", .text(report.server.hex)), ("written", .text(LocalTime.text(report.created))),
        ("files", .text("\(report.files)")),
      ])
    output.notes = [
      "write a configuration with 'session server community init --dir \(folder) --listen ADDRESS:PORT', "
        + "which keeps the key, or copy the old one"
    ]
    return output
  }
}

extension Command.Option {
  fileprivate static let backupPassphrase = Self(
    name: "passphrase", value: "FILE|-",
    summary: "read the passphrase from the first line of a file instead of the terminal")
}

extension CommunityBackup.Report {
  fileprivate var json: JSONObject {
    [
      "rooms": .integer(UInt64(rooms)), "messages": .integer(UInt64(messages)),
      "files": .integer(UInt64(files)), "lost_files": .integer(UInt64(missing)),
      "bytes": .integer(UInt64(bytes)),
    ]
  }
}

extension CommunityRestore.Report {
  fileprivate var json: JSONObject {
    [
      "key": .string(server.hex), "created": .integer(UInt64(clamping: created)),
      "files": .integer(UInt64(files)),
    ]
  }
}
