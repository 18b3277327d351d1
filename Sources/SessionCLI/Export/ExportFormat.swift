import SessionMessaging

/// What a conversation is exported as.
enum ExportFormat: String, CaseIterable, Sendable {
  case jsonl
  case html
  case text
}

/// An exported message: its view, and the names of its files that were written.
struct ExportedMessage: Sendable {
  let message: MessageView
  /// The paths of files, relative to the folder of the export, by their numbers.
  let paths: [Int: String]
}

/// Writes the messages of one conversation in a format.
protocol ExportWriter {
  /// What stands before the first message.
  mutating func begin() -> String
  mutating func text(of message: ExportedMessage) -> String
  /// What stands behind the last message of a file.
  mutating func end() -> String
}

/// A conversation that is exported, for the beginning of its files.
struct ExportHead: Sendable {
  /// The id of the account.
  let account: String
  let conversation: ConversationView
  /// Its name for people.
  let name: String
  let created: Int64
  let directory: Directory
}

/// One object of JSON in each line.
struct ExportedJSON: ExportWriter {
  /// The version of the form. Members are added without a new one.
  static let version: UInt64 = 1

  let head: ExportHead

  func begin() -> String {
    JSONObject(members: [
      ("type", .string("export")), ("version", .integer(Self.version)), ("account", .string(head.account)),
      ("created", .time(head.created)), ("conversation", .string(head.conversation.id.description)),
      ("name", .string(head.name)),
    ]).text + "\n"
  }

  func text(of exported: ExportedMessage) -> String {
    var object = exported.message.json(head.directory, isFull: true)
    let files = exported.message.numberedAttachments.map { file in
      var object: JSONObject = [
        "type": .string(file.file.contentType), "size": .integer(UInt64(clamping: file.file.size)),
      ]
      object["name"] = file.file.name.map { .string($0) }
      object["path"] = exported.paths[file.number].map { .string($0) }
      return object
    }
    if !files.isEmpty { object["files"] = .objects(files) }
    return object.text + "\n"
  }

  func end() -> String { "" }
}

/// Lines for people.
struct ExportedText: ExportWriter {
  let head: ExportHead

  func begin() -> String { "" }

  func text(of exported: ExportedMessage) -> String {
    let message = exported.message
    var lines = message.exportedText(head.directory).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if message.kind == .message {
      if lines == [""], !message.attachments.isEmpty { lines = [] }
      lines += message.numberedAttachments.map { file in
        let place = exported.paths[file.number].map { ": \($0)" } ?? ""
        return
          "[file \(DisplayText.line(file.file.name ?? "file")), \(ByteCount.text(file.file.size))\(place)]"
      }
    }
    let author = DisplayText.line(head.directory.name(message.author))
    return "\(LocalTime.text(message.sentAt)) \(author): " + lines.joined(separator: "\n  ") + "\n"
  }

  func end() -> String { "" }
}

extension MessageView {
  /// Its whole text, or a description of its content.
  func exportedText(_ directory: Directory) -> String {
    kind == .message ? DisplayText.lines(fullBody) : shownText(directory)
  }
}
