import SessionBase
import SessionCore
import SessionServers

extension Command {
  static let serverImport = Command(
    name: "server community import",
    summary: "make the folder of a community server from a pysogs server",
    discussion: """
      PATH is the folder of the old server, its sogs.ini, or its database: a file, or the address of one of PostgreSQL, with
      --key and --uploads. The old server must not run; it is only read.
      Rooms, people, messages, files and their numbers stay, and so does the key: with the same URL members notice nothing.
      The output has the rows of each table of the old server, how many the new one has, and each row that was left out.
      """,
    arguments: [.init(name: "PATH", summary: "the folder, sogs.ini or database of the old server")],
    options: [
      .init(
        name: "dir", value: "DIR", summary: "the folder to create, which may be there if it is empty",
        isRequired: true),
      .init(
        name: "key", value: "FILE",
        summary: "the file of the old server's key, if it is not next to the database"),
      .init(name: "uploads", value: "DIR", summary: "the folder of its files, if that is elsewhere"),
      .init(
        name: "listen", value: "ADDRESS:PORT",
        summary: "where the new server listens; writes DIR/community-server.toml", isRepeated: true),
      .json,
    ],
    examples: [
      .init(
        line:
          "session server community import /var/lib/session-open-group-server --dir chat --listen 192.0.2.5:80",
        summary: "import a server that was installed as a package"),
      .init(
        line:
          "session server community import postgresql:///sogs --key key_x25519 --uploads uploads --dir chat",
        summary: "import one that keeps its rows in PostgreSQL"),
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let folder = invocation.required("dir")
    let addresses = try invocation.all("listen").map { try invocation.address("listen", $0) }
    let report = try await cancelledBySignals {
      try await CommunityImport(
        from: invocation.arguments[0], key: invocation["key"], uploads: invocation["uploads"],
        toFolder: folder
      ).run()
    }
    let config = folder + "/community-server.toml"
    if !addresses.isEmpty {
      try await WorkerQueue("session.command").run {
        try writeConfiguration(
          config, [("folder", ".")], lists: [("listen", addresses.map { "\($0)" })], others: report.settings)
      }
    }
    var output =
      invocation.has("json") ? CommandOutput(json: report.json) : CommandOutput(data: report.parts)
    output.notes = report.notes(written: addresses.isEmpty ? nil : config)
    return output
  }
}

extension CommunityImportReport {
  fileprivate var parts: [CommandOutput.Part] {
    let counts = TextTable(
      head: ["TABLE", "OLD", "NEW"], rows: tables.map { [$0.name, "\($0.old)", "\($0.new)"] })
    guard !leftOut.isEmpty else { return counts.parts }
    let rows = TextTable(
      head: ["LEFT OUT", "NUMBER", "WHY"],
      rows: leftOut.map { [$0.table, $0.number.map { "\($0)" } ?? "", $0.reason] })
    return counts.parts + [.text("\n")] + rows.parts
  }

  /// What the operator has to know or do; `config` is the configuration that was written.
  fileprivate func notes(written config: String?) -> [String] {
    var notes = bannedModerators.map {
      "\($0) has a role and is banned; to lift it: session server community unban \($0) --global"
    }
    if wrongSignatures > 0 {
      notes.append("\(wrongSignatures) messages have a wrong signature; clients do not show them")
    }
    notes += unknownSettings.map { "the setting \($0) has no counterpart" }
    if let config {
      notes.append("start it with 'session server community run --config \(config)'")
    } else {
      notes += settings.map { "for the configuration: \($0)" }
    }
    return notes
  }

  fileprivate var json: JSONObject {
    [
      "key": .string(server.hex),
      "tables": .objects(
        tables.map {
          ["table": .string($0.name), "old": .integer(UInt64($0.old)), "new": .integer(UInt64($0.new))]
        }),
      "left_out": .objects(
        leftOut.map { row in
          var object: JSONObject = ["table": .string(row.table)]
          object["number"] = row.number.map { .integer(UInt64(clamping: $0)) }
          object["reason"] = .string(row.reason)
          return object
        }), "wrong_signatures": .integer(UInt64(wrongSignatures)),
      "banned_moderators": .strings(bannedModerators), "settings": .strings(settings),
      "unknown_settings": .strings(unknownSettings),
    ]
  }
}
