import SessionBase
import SessionDaemon

extension Command {
  static let logShow = Command(
    name: "log show",
    summary: "show what programs noted for finding faults",
    discussion: """
      Every session program appends to the same log: failures, and what it did about them. The log contains no texts, no
      names and no complete ids: people and groups are the first and last digits of their ids, accounts are numbers, in
      the order in which they were made. It is kept for \(LogFolder.days) days, or log_days of 'session help daemon-config', and
      never longer than 15 MiB.
      """,
    options: [
      .init(name: "follow", summary: "keep showing new lines until interrupted"),
      .init(
        name: "level", value: "LEVEL", summary: "the least important lines: error, warn or info, the default"),
      .init(name: "since", value: "TIME", summary: "only lines of this last span of time, such as 1h"),
      .json,
    ],
    examples: [
      .init(line: "session log show --since 1h", summary: "show the last hour"),
      .init(line: "session log show --follow --level warn", summary: "wait for trouble"),
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let showing = try LogShowing(invocation, io)
    try await cancelledBySignals { try await showing.run() }
    return CommandOutput()
  }

  static let logExport = Command(
    name: "log export",
    summary: "write the log to a file that may be given to others",
    discussion: """
      Writes a text with the version, the system, the results of the checks of 'session doctor' that concern this
      machine, and the log, in which people and groups are P1, P2 and so on. Nothing is sent anywhere. Read the file
      before you pass it on.
      """,
    options: [
      .init(name: "to", value: "FILE", summary: "the file to make", isRequired: true),
      .init(name: "since", value: "TIME", summary: "only lines of this last span of time, such as 1h"),
    ],
    examples: [.init(line: "session log export --to report.txt", summary: "write the whole log to a file")],
    rpc: .none(.isLocal)
  ) { invocation, io in
    let path = invocation.required("to")
    let export = LogExport(io: io, roots: try io.roots(), since: try invocation.earliest(io))
    try await WorkerQueue("session.log.export").run { try export.write(to: path) }
    return CommandOutput(notes: ["wrote \(path), which only you can read; nothing was sent anywhere"])
  }
}

extension OwnMethod {
  /// The most lines in one result.
  private static let maxLines: Int64 = 1000

  static let logShow = OwnMethod(
    name: "log.show", summary: "get the newest lines of the log", scope: .admin,
    parameters: [
      .optional(
        "level", .word(ClientLog.Level.allCases.map(\.rawValue)),
        "the least important lines; info by default"),
      .optional("since_ms", .number, "only lines of this last span of time"),
      .optional("limit", .number, "the most lines, 1 to \(maxLines), the default"),
    ], form: "log line", isList: true
  ) { call, arguments, io in
    try call.access.requireAllAccounts(for: "the log")
    let word = try arguments.text("level") ?? "info"
    guard let level = ClientLog.Level(rawValue: word) else {
      let words = ClientLog.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw RPCError.wrongParameter("level", "one of \(words)")
    }
    let span = try arguments.number("since_ms", 0...1 << 53)
    let since = span.map { Int64(clamping: io.now()) - $0 } ?? .min
    let limit = Int(try arguments.number("limit", 1...maxLines) ?? maxLines)
    let folder = LogFolder(in: try io.roots())
    let (lines, hasMore) = try await WorkerQueue("session.log.reading").run {
      () throws(FileError) in
      var (reader, lines, hasMore) = (LogReader(folder), [LogRecord](), false)
      while case let records = try reader.next(), !records.isEmpty {
        lines += records.filter { $0.level <= level && $0.time >= since }
        guard lines.count > limit else { continue }
        lines.removeFirst(lines.count - limit)
        hasMore = true
      }
      return (lines, hasMore)
    }
    return JSONObject(members: [
      ("items", .objects(lines.map(\.json))), ("more", .boolean(hasMore)),
    ])
  }
}

/// The command `log show`.
private struct LogShowing: Sendable {
  let io: CommandIO
  let folder: LogFolder
  let level: ClientLog.Level
  let since: Int64
  let isFollowing, isJSON: Bool

  /// How often it looks for new lines.
  private static let interval = Duration.milliseconds(250)

  init(_ invocation: Invocation, _ io: CommandIO) throws {
    self.io = io
    folder = LogFolder(in: try io.roots())
    guard let level = ClientLog.Level(rawValue: invocation["level"] ?? "info") else {
      throw invocation.misuse(
        "--level is \(ClientLog.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.level = level
    since = try invocation.earliest(io)
    isFollowing = invocation.has("follow")
    isJSON = invocation.has("json")
  }

  func run() async throws {
    let queue = WorkerQueue("session.log.reading")
    var reader = LogReader(folder)
    while true {
      let (next, records) = try await queue.run { [reader] () throws(FileError) in
        var reader = reader
        let records = try reader.next()
        return (reader, records)
      }
      reader = next
      for record in records where record.level <= level && record.time >= since {
        let output = isJSON ? CommandOutput(json: record.json) : CommandOutput(text: record.text() + "\n")
        try SessionTool.write(output, to: io)
      }
      guard records.isEmpty else { continue }
      guard isFollowing else { return }
      try await Task.sleep(for: Self.interval)
    }
  }
}

extension Invocation {
  /// The beginning of the time that `--since` names, in milliseconds since 1970.
  fileprivate func earliest(_ io: CommandIO) throws(CommandFailure) -> Int64 {
    guard let text = self["since"] else { return .min }
    guard let span = TimeSpan(text) else { throw misuse("--since is a span of time, such as 10m or 2h") }
    let now = Int64(clamping: io.now())
    return now - min(span.seconds, now / 1000) * 1000
  }
}
