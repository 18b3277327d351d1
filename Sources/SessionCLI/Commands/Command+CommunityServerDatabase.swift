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
    guard !invocation.has("json") else {
      return CommandOutput(json: [
        "tables": .objects(tables.map { ["table": .string($0.name), "rows": .integer(UInt64($0.rows))] })
      ])
    }
    return CommandOutput(fields: tables.map { ($0.name, .text("\($0.rows)")) })
  }
}
