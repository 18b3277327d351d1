import FoundationEssentials
import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let attachmentList = Command(
    name: "attachment list",
    summary: "list attachments of a message or a conversation",
    discussion:
      "Shows the files of stored messages, downloaded or not; 'attachment save' downloads them.",
    arguments: [
      .init(
        name: "ID|CHAT",
        summary: "the number of a message, as 'session show' prints it, or a conversation")
    ],
    options: [
      .init(name: "limit", value: "N", summary: "number of messages with files, at most 500; 20 by default"),
      .account, .json,
    ],
    examples: [
      .init(line: "session attachment list 12", summary: "list the files of one message"),
      .init(
        line: "session attachment list alice",
        summary: "list the newest files of a conversation, newest last"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let limit = try invocation.limit(20)
    return try await invocation.reading(io) { messenger in
      let files = try await invocation.files(messenger, io, limit: limit)
      guard !invocation.has("json") else { return CommandOutput(lines: files.map(\.json)) }
      guard !files.isEmpty else { return CommandOutput(notes: ["No files."]) }
      return CommandOutput(
        data: TextTable(head: NumberedAttachment.columns, rows: files.map(\.row)).parts)
    }
  }

  static let attachmentSave = Command(
    name: "attachment save",
    summary: "save attachments of a message, downloading them if needed",
    discussion: """
      Saves all files of the message, or one, decrypted and readable only by you, and prints the path of each. A file
      appears when it is complete; existing files are never overwritten. Names come from the sender, with dangerous
      characters removed. After downloading a file of a contact the command tells the contact that the file was saved,
      as other clients do.
      """,
    arguments: [
      .message, .init(name: "NUMBER", summary: "the number of the file; all by default", isOptional: true),
    ],
    options: [
      .init(name: "to", value: "FILE|FOLDER", summary: "the destination; the current folder by default"),
      .init(
        name: "timeout", value: "TIME", summary: "how long to wait for the network; 10m by default"),
      .account, .json,
    ],
    examples: [
      .init(line: "session attachment save 12 --to ~/Pictures", summary: "save all files of a message"),
      .init(
        line: "session attachment save 12 1 --to photo.jpg",
        summary: "save the first file under another name"),
    ],
    rpc: .method(.admin)
  ) { invocation, io in
    let saving = try FileSaving(invocation, io)
    if io.served != nil, saving.target.place?.hasPrefix("/") != true {
      throw invocation.misuse("'to' is the path of a file or folder that begins with /")
    }
    let files = try await invocation.reading(io) { messenger in try await saving.files(messenger) }
    let paths = try saving.target.paths(for: files)
    guard files.allSatisfy(\.file.isHere) else {
      return try await invocation.working(io) { opened in
        try await FileFetching(io: io, timeout: saving.timeout).fetch(
          files.filter { !$0.file.isHere }, opened.messenger)
        return try await saving.save(files, to: paths, opened.messenger)
      }
    }
    return try await cancelledBySignals {
      try await invocation.reading(io) { messenger in try await saving.save(files, to: paths, messenger) }
    }
  }
}

/// The command `attachment save`.
private struct FileSaving: Sendable {
  let io: CommandIO
  let message: MessageView.ID
  let number: Int?
  let target: FileTarget
  let timeout: Duration
  let isJSON: Bool

  init(_ invocation: Invocation, _ io: CommandIO) throws(CommandFailure) {
    self.io = io
    message = try invocation.messageNumber(at: 0)
    number = try invocation.fileNumber(at: 1)
    target = FileTarget(place: invocation["to"])
    timeout = try invocation.timeout(usual: .seconds(600))
    isJSON = invocation.has("json")
  }

  /// The files that are meant.
  func files(_ messenger: Messenger) async throws -> [NumberedAttachment] {
    let files = try await messenger.knownMessage(message).numberedAttachments
    guard !files.isEmpty else {
      throw CommandFailure.data(
        "message \(message.rawValue) has no files",
        advice: "'session attachment list CHAT' lists messages with files.")
    }
    guard let number else { return files }
    guard let file = files.first(where: { $0.number == number }) else {
      throw CommandFailure.data(
        "message \(message.rawValue) has \(files.count) files, not \(number)",
        advice: "'session attachment list \(message.rawValue)' shows them.")
    }
    return [file]
  }

  func save(_ files: [NumberedAttachment], to paths: [String], _ messenger: Messenger) async throws
    -> CommandOutput
  {
    var output = CommandOutput(isList: isJSON)
    for (file, path) in zip(files, paths) {
      try await messenger.save(file.file.id, to: path)
      if isJSON {
        var object = file.json
        object["path"] = .string(path)
        object["here"] = .boolean(true)
        object["state"] = .string("ready")
        output.data += CommandOutput(json: object).data
      } else {
        output.data.append(.text("\(path)\n"))
      }
    }
    return output
  }
}

extension Invocation {
  /// The number of a file of a message that an argument gives; nil without one.
  func fileNumber(at index: Int) throws(CommandFailure) -> Int? {
    guard let text = arguments.dropFirst(index).first else { return nil }
    guard let number = Int(text), number > 0 else {
      throw misuse("'\(text)' is not the number of a file; 'session attachment list' shows them")
    }
    return number
  }
}

extension OutgoingFile {
  /// A regular file that this user may read.
  init(existing path: String) throws(CommandFailure) {
    let mode: UInt32
    do { mode = try OpenFile.mode(ofReadable: path) } catch { throw CommandFailure(error) }
    let kind: String
    switch mode & S_IFMT {
    case S_IFREG:
      self.init(path: path)
      return
    case S_IFDIR:
      throw .data("\(path) is a folder", advice: "Only files can be sent: pack the folder into an archive.")
    case S_IFIFO: kind = "a FIFO"
    case S_IFSOCK: kind = "a socket"
    default: kind = "a device"
    }
    throw .data(
      "\(path) is \(kind), not a regular file", advice: "Only files can be sent: save its content to a file.")
  }
}

extension Messenger {
  /// A message that has to be there.
  nonisolated func knownMessage(_ id: MessageView.ID) async throws -> MessageView {
    guard let message = try await message(id) else {
      throw CommandFailure.data(
        "there is no message \(id.rawValue)", advice: "'session show CHAT' shows the numbers of messages.")
    }
    return message
  }
}

extension Invocation {
  /// The files of the message or conversation that the argument means, the newest message last.
  fileprivate func files(
    _ messenger: Messenger, _ io: CommandIO, limit: Int
  ) async throws -> [NumberedAttachment] {
    if let id = Self.messageNumber(arguments[0]) {
      return try await messenger.knownMessage(id).numberedAttachments
    }
    let chat = try await Directory(of: messenger).conversation(arguments[0], io)
    var found: [MessageView] = []
    var last: MessageView.ID?
    while true {
      let page = try await messenger.messages(in: chat, before: last, limit: Messenger.maxPage)
      found += page.filter { !$0.attachments.isEmpty }
      last = page.last?.id
      if found.count >= limit || page.isEmpty { break }
    }
    return found.prefix(limit).reversed().flatMap(\.numberedAttachments)
  }
}
