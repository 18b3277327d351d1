import SessionBase
import SessionCore
import SessionMessaging

extension Command {
  static let export = Command(
    name: "export",
    summary: "write conversations into plain files, which are not encrypted",
    discussion: """
      jsonl has one JSON object in each line: first one of type export, then the messages as 'session show --json' writes
      them. text is for reading and printing. html makes pages that open in a browser without a network; they run no script
      and load nothing from elsewhere. Times are local, and in JSON milliseconds since 1970 in UTC.

      One conversation without files goes into the file FILE, or to standard output for a dash. Pages, several conversations
      and --with-files make a new folder. Files that are not on this machine are left out; exit code 65 means that some were.
      Disappearing messages are left out unless --with-disappearing is given.
      """,
    arguments: [
      .init(
        name: "CHAT", summary: "the conversations; see 'session help names'", isOptional: true,
        isRepeated: true)
    ],
    options: [
      .init(name: "all", summary: "all conversations, hidden ones included"),
      .init(name: "format", value: "jsonl|html|text", summary: "what to write", isRequired: true),
      .init(
        name: "to", value: "FILE|DIR|-", summary: "a file or folder that is not there yet", isRequired: true),
      .init(
        name: "since", value: "DATE", summary: "only messages from this day or time on: 2026-03-01 [14:05]"),
      .init(name: "until", value: "DATE", summary: "only messages before this day or time"),
      .init(name: "with-files", summary: "write files, too"),
      .init(name: "with-disappearing", summary: "include disappearing messages"),
      .init(name: "yes", summary: "confirm that the files are not encrypted"), .account, .json,
    ],
    examples: [
      .init(
        line: "session export alice --format text --to alice.txt --yes",
        summary: "write a conversation for reading"),
      .init(
        line: "session export --all --format html --with-files --to export --yes",
        summary: "write everything as pages for a browser"),
    ],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let request = try ExportRequest(invocation)
    return try await cancelledBySignals {
      try await invocation.reading(io) { messenger in try await request.run(messenger, io) }
    }
  }
}

/// What the options of `export` ask for.
private struct ExportRequest: Sendable {
  private let invocation: Invocation
  private let format: ExportFormat
  private let target: String
  private var range = PlainExport.Range()

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    guard let format = ExportFormat(rawValue: invocation.required("format")) else {
      throw invocation.misuse("--format is jsonl, html or text")
    }
    self.format = format
    target = invocation.required("to")
    guard invocation.has("all") != !invocation.arguments.isEmpty else {
      throw invocation.misuse("name conversations, or give --all")
    }
    range.hasDisappearing = invocation.has("with-disappearing")
    if let since = try invocation.moment("since") { range.since = since }
    if let until = try invocation.moment("until") { range.until = until }
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "everybody who can read the exported files can read the messages",
        advice: "--yes writes them. For an encrypted file, run: session archive create FILE")
    }
    guard target != "-" || !isFolder else {
      throw invocation.misuse("only one conversation without files goes to standard output, and no pages")
    }
  }

  private var isFolder: Bool {
    format == .html || invocation.has("with-files") || invocation.has("all") || invocation.arguments.count > 1
  }

  func run(_ messenger: Messenger, _ io: CommandIO) async throws -> CommandOutput {
    let export = PlainExport(
      messenger: messenger, format: format, range: range, hasFiles: invocation.has("with-files"),
      now: Int64(clamping: io.now()))
    let conversations = try await conversations(messenger, io)
    let report: PlainExport.Report
    if !isFolder {
      report = try await export.write(conversations[0], to: target == "-" ? nil : target) { text in
        try io.write(Array(text.utf8).span)
      }
    } else if conversations.count == 1, !invocation.has("all") {
      report = try await export.write(conversations[0], into: target)
    } else {
      report = try await export.write(conversations, into: target)
    }
    var output = target == "-" ? CommandOutput() : report.output(target, asJSON: invocation.has("json"))
    output.status = report.missing.isEmpty ? .success : .data
    return output
  }

  private func conversations(_ messenger: Messenger, _ io: CommandIO) async throws -> [ConversationView] {
    guard !invocation.has("all") else {
      return try await messenger.conversations() + messenger.hiddenConversations()
    }
    let directory = try await Directory(of: messenger)
    var found: [ConversationView] = []
    for word in invocation.arguments {
      guard let view = try await messenger.conversation(try directory.conversation(word, io)) else {
        throw CommandFailure(
          status: .noUser, message: "there is no conversation with \(DisplayText.line(word))",
          advice: "'session chats' lists the conversations.")
      }
      if !found.contains(where: { $0.id == view.id }) { found.append(view) }
    }
    return found
  }
}

extension PlainExport.Report {
  fileprivate func output(_ path: String, asJSON isJSON: Bool) -> CommandOutput {
    guard !isJSON else {
      return CommandOutput(json: [
        "type": .string("exported"), "path": .string(path), "conversations": .integer(UInt64(conversations)),
        "messages": .integer(UInt64(messages)), "files": .integer(UInt64(files)),
        "missing": .strings(missing),
      ])
    }
    var output = CommandOutput(fields: [
      ("conversations", .text("\(conversations)")), ("messages", .text("\(messages)")),
      ("files", .text("\(files)")),
    ])
    for name in missing { output.data.append(.text("missing: \(DisplayText.line(name))\n")) }
    output.notes = ["The files in \(DisplayText.line(path)) are not encrypted."]
    return output
  }
}

extension Invocation {
  /// The time of an option, in milliseconds since 1970; nil if it is not given.
  func moment(_ name: String) throws(CommandFailure) -> Int64? {
    guard let text = self[name] else { return nil }
    guard let time = LocalMoment.parse(text) else {
      throw misuse("--\(name) is a day or time, such as 2026-03-01 or '2026-03-01 14:05'")
    }
    return time
  }
}
