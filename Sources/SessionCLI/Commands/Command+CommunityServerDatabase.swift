import SessionBase
import SessionCore
import SessionServers
import SessionService
import SessionStorage

extension Command {
  static let serverDatabaseCheck = Command(
    name: "server community database check",
    summary: "check what a community server stores",
    discussion: """
      Looks for damage of the database, rows that contradict each other, and files without content. The server may run
      meanwhile. The command ends with 65 if it finds something; restore a backup if the database is damaged.
      """,
    options: [.communityServerConfig, .json],
    examples: [
      .init(
        line: "session server community database check --config chat/community-server.toml",
        summary: "check the database and the files")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let configuration = try CommunityServerConfiguration(invocation.required("config"), io: io)
    let options = configuration.options
    let report = try await cancelledBySignals {
      try await CommunityCheck(
        ofFolder: configuration.folder, database: options.database, files: options.files
      ).run()
    }
    return report.output(invocation)
  }

  static let serverDatabaseExport = Command(
    name: "server community database export",
    summary: "copy the rows of a community server into an SQLite file that is not encrypted",
    discussion: """
      For your own queries: the server's file is encrypted with its key. The server may run meanwhile; the copy is of one
      moment, and nothing is read back from it. The texts of messages are in it, so keep it as safe as the server.
      """,
    arguments: [.init(name: "FILE", summary: "the file to write; it must not exist")],
    options: [.communityServerConfig, .json],
    examples: [
      .init(
        line: "session server community database export chat.sqlite --config chat/community-server.toml",
        summary: "write a copy for sqlite3")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let configuration = try CommunityServerConfiguration(invocation.required("config"), io: io)
    let path = invocation.arguments[0]
    guard !OpenFile.exists(path) else {
      throw CommandFailure(
        status: .cannotCreate, message: "\(path) already exists", advice: "Choose another name.")
    }
    let tables = try await cancelledBySignals {
      try await CommunityExport(ofFolder: configuration.folder, database: configuration.options.database)
        .write(to: path)
    }
    return tables.output(invocation)
  }

  static let serverDatabaseMove = Command(
    name: "server community database move",
    summary: "move the rows of a community server to PostgreSQL, or back into a file",
    discussion: """
      Copies all rows, compares them, and changes the configuration. Stop the server before. The rows stay in the old
      database; a file gets a name that ends in .moved. Files of rooms stay where they are.
      """,
    options: [
      .init(
        name: "to", value: "ADDRESS",
        summary: "an empty database, postgresql://USER@HOST/NAME; or the word file",
        isRequired: true),
      .communityServerConfig, .json,
    ],
    examples: [
      .init(
        line: """
          session server community database move --to postgresql://session@db.example/chat --config \
          chat/community-server.toml
          """,
        summary: "move to PostgreSQL")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let word = invocation.required("to")
    let address: PostgreSQLAddress?
    do { address = word == "file" ? nil : try PostgreSQLAddress(word) } catch {
      throw invocation.misuse("--to: \(error)")
    }
    let path = invocation.required("config")
    let options = try CommunityServerConfiguration(path, io: io).options
    let text = try Configuration.text(of: path, io)
    let tables: [CommunityTable]
    do {
      tables = try await CommunityServer.moveDatabase(options, to: address) {
        do {
          let changed = try ConfigText.setting("database", to: address.map { .text($0.text) }, in: text)
          try PendingFile.write(Array(changed.utf8).span, to: path, replacing: true, ownerOf: path)
        } catch {
          throw CommandFailure.data(
            "\(path) cannot be changed, so the server still uses the old rows; run this again: \(error)")
        }
      }
    } catch ServiceFailure.request(let words) {
      throw CommandFailure.data(words)
    }
    return tables.output(invocation)
  }
}

extension [CommunityTable] {
  fileprivate func output(_ invocation: Invocation) -> CommandOutput {
    guard !invocation.has("json") else {
      return CommandOutput(json: [
        "tables": .objects(map { ["table": .string($0.name), "rows": .integer(UInt64($0.rows))] })
      ])
    }
    return CommandOutput(fields: map { ($0.name, .text("\($0.rows)")) })
  }
}
