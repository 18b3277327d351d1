import Glibc
import SessionBase
import SessionCore
import SessionMessaging

/// Writes conversations into files that everybody can read. Writing waits for the disk, so all of it runs on a queue.
actor PlainExport {
  /// Which messages are exported.
  struct Range: Sendable {
    /// In milliseconds since 1970; the end is not in it.
    var since = Int64.min
    var until = Int64.max
    /// True if messages are exported that disappear.
    var hasDisappearing = false

    func contains(_ message: MessageView) -> Bool {
      message.sentAt >= since && message.sentAt < until
        && (hasDisappearing || (message.timer == nil && message.disappearsAt == nil))
    }
  }

  /// What was written.
  struct Report: Sendable {
    var conversations = 0
    var messages = 0
    var files = 0
    /// Files that are not on this machine, or could not be read.
    var missing: [String] = []
  }

  private let messenger: Messenger
  private let format: ExportFormat
  private let range: Range
  private let hasFiles: Bool
  private let now: Int64
  let queue = WorkerQueue("session.export")

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(messenger: Messenger, format: ExportFormat, range: Range, hasFiles: Bool, now: Int64) {
    (self.messenger, self.format, self.range) = (messenger, format, range)
    (self.hasFiles, self.now) = (hasFiles, now)
  }

  /// The messages that are read at once.
  private static let page = 200
  /// The folder of files, next to the text.
  private static let filesFolder = "files"

  /// Writes one conversation into a file; without a path, to `output`.
  func write(
    _ conversation: ConversationView, to path: String?, output: @Sendable (String) throws -> Void
  ) async throws -> Report {
    var report = Report(conversations: 1)
    let head = try await head(of: conversation)
    var writer = writer(for: head)
    guard let path else {
      try output(writer.begin())
      try await each(conversation.id, &report, in: nil) { try output(writer.text(of: $0)) }
      return report
    }
    let file = try pending(path)
    try put(writer.begin(), file)
    try await each(conversation.id, &report, in: nil) { try put(writer.text(of: $0), file) }
    try commit(file)
    return report
  }

  /// Writes one conversation into a folder, with its files.
  func write(_ conversation: ConversationView, into folder: String) async throws -> Report {
    try make(folder)
    guard format == .html else {
      var report = Report(conversations: 1)
      let head = try await head(of: conversation)
      var writer = writer(for: head)
      let file = try pending("\(folder)/messages.\(format == .jsonl ? "jsonl" : "txt")")
      try put(writer.begin(), file)
      try await each(conversation.id, &report, in: folder) { try put(writer.text(of: $0), file) }
      try commit(file)
      return report
    }
    return try await writePages(conversation, into: folder)
  }

  /// Writes several conversations, each into a folder of its own, and a page that lists them.
  func write(_ conversations: [ConversationView], into folder: String) async throws -> Report {
    try make(folder)
    var (report, links) = (Report(), [String]())
    for (index, conversation) in conversations.enumerated() {
      let head = try await head(of: conversation)
      let name = "\(index + 1)-" + ExportedName.cleaned(head.name)
      let part = try await write(conversation, into: "\(folder)/\(name)")
      report.conversations += part.conversations
      report.messages += part.messages
      report.files += part.files
      report.missing += part.missing.map { "\(name)/\($0)" }
      let address = ExportedName.escaped(name) + "/" + ExportedPage.name(1)
      links.append("<p><a href=\"\(address)\"><bdi>\(head.name.escapedHTML)</bdi></a></p>\n")
    }
    if format == .html {
      let file = try pending("\(folder)/index.html")
      try put(ExportedPage.beginning("Conversations") + links.joined() + ExportedPage.ending, file)
      try commit(file)
    }
    return report
  }

  // MARK: - Pages

  private func writePages(_ conversation: ConversationView, into folder: String) async throws -> Report {
    var report = Report(conversations: 1)
    let head = try await head(of: conversation)
    var page = ExportedPage(head: head, number: 1)
    var (text, count) = ("", 0)
    try await each(conversation.id, &report, in: folder) { exported in
      if count == ExportedPage.messagesTogether {
        // Only now it is known that another one follows.
        page.hasNext = true
        try write(page, text, folder)
        page = ExportedPage(head: head, number: page.number + 1)
        (text, count) = ("", 0)
      }
      text += page.text(of: exported)
      count += 1
    }
    try write(page, text, folder)
    return report
  }

  private func write(_ page: ExportedPage, _ text: String, _ folder: String) throws {
    let file = try pending("\(folder)/\(ExportedPage.name(page.number))")
    for part in [page.begin(), text, page.end()] { try put(part, file) }
    try commit(file)
  }

  // MARK: - Messages

  private func head(of conversation: ConversationView) async throws -> ExportHead {
    let directory = try await Directory(of: messenger, showing: [conversation.id])
    return ExportHead(
      account: messenger.id.description, conversation: conversation,
      name: DisplayText.line(
        conversation.kind == .noteToSelf ? "Note to Self" : conversation.name), created: now,
      directory: directory)
  }

  private func writer(for head: ExportHead) -> any ExportWriter {
    format == .jsonl ? ExportedJSON(head: head) : ExportedText(head: head)
  }

  /// Gives the messages of a conversation, oldest first, with the files that were written into a folder.
  private func each(
    _ conversation: Conversation.ID, _ report: inout Report, in folder: String?,
    _ body: (ExportedMessage) throws -> Void
  ) async throws {
    var last: MessageView?
    while true {
      try Task.checkCancellation()
      let messages = try await messenger.messages(
        in: conversation, after: last, sentFrom: range.since, limit: Self.page)
      guard let newest = messages.last else { return }
      last = newest
      for message in messages where range.contains(message) {
        let paths = try await writeFiles(of: message, into: folder, &report)
        try body(ExportedMessage(message: message, paths: paths))
        report.messages += 1
      }
      guard newest.sentAt < range.until else { return }
    }
  }

  private func writeFiles(
    of message: MessageView, into folder: String?, _ report: inout Report
  ) async throws -> [Int: String] {
    guard hasFiles, let folder, message.kind == .message else { return [:] }
    var paths: [Int: String] = [:]
    for file in message.numberedAttachments {
      let name = "\(Self.filesFolder)/" + ExportedName.of(file)
      guard file.file.isHere else {
        report.missing.append(name)
        continue
      }
      try make("\(folder)/\(Self.filesFolder)", mayExist: true)
      do {
        try await messenger.export(file.file.id, to: "\(folder)/\(name)")
      } catch let error as SessionError
        where error.code.family == .attachment || error.code == .fileUnreadable
      {
        report.missing.append(name)
        continue
      }
      paths[file.number] = name
      report.files += 1
    }
    return paths
  }

  // MARK: - Files

  private func make(_ folder: String, mayExist: Bool = false) throws {
    guard mkdir(folder, 0o700) == 0 || (mayExist && errno == EEXIST) else {
      throw CommandFailure(
        status: .cannotCreate,
        message: "cannot create the folder \(DisplayText.line(folder)): \(String(cString: strerror(errno)))",
        advice: errno == EEXIST ? "Name a folder that is not there yet." : nil)
    }
  }

  private func pending(_ path: String) throws -> PendingFile {
    do throws(FileError) { return try PendingFile(for: path) } catch { throw SessionError(error) }
  }

  private func put(_ text: String, _ file: borrowing PendingFile) throws {
    let bytes = Array(text.utf8)
    do throws(FileError) { try file.write(bytes.span) } catch { throw SessionError(error) }
  }

  private func commit(_ file: consuming PendingFile) throws {
    do throws(FileError) { try file.commit() } catch { throw SessionError(error) }
  }
}
