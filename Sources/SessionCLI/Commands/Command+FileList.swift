import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let filesList = Command(
    name: "files list",
    summary: "list the files of a conversation, or of all, newest first",
    discussion:
      "Shows the files of stored messages, downloaded or not; 'attachment save' saves those of a message.",
    arguments: [
      .init(name: "CHAT", parameter: "chat", summary: "the conversation; all by default", isOptional: true)
    ],
    options: [
      .init(
        name: "kind", value: "image|video|voice|file|link",
        summary: "only files of this kind, or the links that have a preview"),
      .init(name: "state", value: "ready|remote|failed|unusable", summary: "only files in this state"),
      .init(name: "from", value: "WHO", summary: "only files of this person; 'me' for your own"),
      .init(name: "since", value: "DATE", summary: "only files from this day or time on: 2026-03-01 [14:05]"),
      .init(name: "before", value: "ID", summary: "only files of messages before this one"),
      .init(
        name: "behind", value: "N", summary: "with --before, also files of that message behind this number"),
      .init(name: "limit", value: "N", summary: "how many, at most 500; 20 by default"), .account, .json,
    ],
    examples: [
      .init(
        line: "session files list alice --kind image", summary: "list the newest pictures of a conversation"),
      .init(line: "session files list --state remote", summary: "list what was not downloaded"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let limit = try invocation.limit(20)
    var filter = try invocation.fileFilter()
    filter.before = try invocation.messageNumber("before")
    filter.behind = try invocation.fileNumber()
    return try await invocation.reading(io) { [filter] messenger in
      var filter = filter
      let directory = try await Directory(of: messenger)
      filter.conversation = try invocation.arguments.first.map { try directory.conversation($0, io) }
      filter.author = try invocation["from"].map { try directory.person($0, io) }
      guard invocation["kind"] != "link" else {
        return try await invocation.links(filter, limit: limit, messenger)
      }
      let files = try await messenger.files(filter, limit: limit)
      var hasMore = false
      if files.count == limit, let last = files.last {
        (filter.before, filter.behind) = (last.message, last.number)
        hasMore = try await !messenger.files(filter, limit: 1).isEmpty
      }
      guard !invocation.has("json") else {
        var output = CommandOutput(lines: files.map(\.json))
        output.hasMore = hasMore
        return output
      }
      guard !files.isEmpty else { return CommandOutput(notes: ["No files."]) }
      let shown = try await Directory(of: messenger, showing: files.map(\.conversation))
      var table = TextTable(head: ["message", "file", "date", "from", "size", "state", "name"])
      table.rows = files.map { file in
        let row = file.numbered.row
        return [row[0], row[1], LocalTime.text(file.sentAt), shown.name(file.author)] + row[2...]
      }
      var output = CommandOutput(data: table.parts)
      if hasMore, let last = files.last {
        output.notes.append("More: --before \(last.message.rawValue) --behind \(last.number)")
      }
      return output
    }
  }

  static let filesDelete = Command(
    name: "files delete",
    summary: "delete the content of files, and keep their messages",
    discussion: """
      Frees disk space. Files that a server still has can be downloaded again. Profile pictures, files of drafts and files
      that are being sent stay. Prints the number of bytes that were freed.
      """,
    options: [
      .init(
        name: "older-than", value: "TIME",
        summary: "only files of messages older than this, such as 30d or 8w"),
      .init(name: "larger-than", value: "SIZE", summary: "only larger files, such as 500k or 10M"),
      .init(name: "in", value: "CHAT", summary: "only files of this conversation"),
      .init(name: "yes", summary: "confirm the deletion"), .account, .json,
    ],
    examples: [
      .init(
        line: "session files delete --older-than 8w --larger-than 1M --yes", summary: "delete old large files"
      )
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let age = try invocation["older-than"].map { (text) throws(CommandFailure) in
      guard let span = TimeSpan(text), span.seconds >= 0, span.seconds < 1 << 40 else {
        throw invocation.misuse("--older-than is a time, such as 30d or 8w")
      }
      return span.seconds * 1000
    }
    let size = try invocation["larger-than"].map { (text) throws(CommandFailure) in
      guard let size = ByteCount.parse(text) else {
        throw invocation.misuse("--larger-than is a size, such as 500k or 10M")
      }
      return size
    }
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "this deletes the content of files on this machine", advice: "--yes deletes it; the messages stay.")
    }
    let now = Int64(clamping: io.now())
    return try await invocation.editing(io) { messenger in
      let chat: Conversation.ID? =
        if let word = invocation["in"] {
          try await Directory(of: messenger).conversation(word, io)
        } else {
          nil
        }
      let bytes = try await messenger.deleteFiles(
        sentBefore: age.map { now - $0 } ?? .max, largerThan: size ?? -1, in: chat)
      guard !invocation.has("json") else {
        return CommandOutput(json: [
          "type": .string("deleted-files"), "bytes": .integer(UInt64(clamping: bytes)),
        ])
      }
      return CommandOutput(text: "\(bytes)\n")
    }
  }
}

extension ConversationLink {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("listed-link"), "message": .integer(UInt64(clamping: message.rawValue)),
      "conversation": .string(conversation.description), "from": .string(author.description),
      "sent_at": .time(sentAt), "url": .string(url),
    ]
    object["title"] = title.map { .string($0) }
    return object
  }
}

extension ConversationFile {
  var numbered: NumberedAttachment {
    NumberedAttachment(message: message, conversation: conversation, number: number, file: file)
  }

  fileprivate var json: JSONObject {
    var object = numbered.json
    object["from"] = .string(author.description)
    object["sent_at"] = .time(sentAt)
    return object
  }
}

extension Invocation {
  /// The number of a file that `--behind` gives.
  fileprivate func fileNumber() throws(CommandFailure) -> Int? {
    guard let text = self["behind"] else { return nil }
    guard let number = Int(text), number > 0 else {
      throw misuse("--behind takes the number of a file, as 'session files list' prints it")
    }
    guard self["before"] != nil, self["kind"] != "link" else {
      throw misuse("--behind needs --before, and files")
    }
    return number
  }

  /// The list of links.
  fileprivate func links(
    _ filter: FileFilter, limit: Int, _ messenger: Messenger
  ) async throws -> CommandOutput {
    guard filter.state == nil else { throw misuse("links have no --state") }
    let links = try await messenger.links(filter, limit: limit)
    guard !has("json") else {
      var output = CommandOutput(lines: links.map(\.json))
      output.hasMore = links.count == limit
      return output
    }
    guard !links.isEmpty else { return CommandOutput(notes: ["No links."]) }
    let shown = try await Directory(of: messenger, showing: links.map(\.conversation))
    let rows = links.map { link in
      [
        "#\(link.message.rawValue)", LocalTime.text(link.sentAt), shown.name(link.author),
        DisplayText.line(link.title ?? ""), DisplayText.line(link.url),
      ]
    }
    return CommandOutput(
      data: TextTable(head: ["message", "date", "from", "title", "address"], rows: rows).parts)
  }

  func fileFilter() throws(CommandFailure) -> FileFilter {
    var filter = FileFilter()
    switch self["kind"] {
    case nil: break
    case "image": filter.kind = .image
    case "video": filter.kind = .video
    case "voice": filter.kind = .voice
    case "file": filter.kind = .file
    case "link": break
    default: throw misuse("--kind is image, video, voice, file or link")
    }
    switch self["state"] {
    case nil: break
    case "ready": filter.state = .ready
    case "remote": filter.state = .remote
    case "failed": filter.state = .failed
    case "unusable": filter.state = .unusable
    default: throw misuse("--state is ready, remote, failed or unusable")
    }
    if let since = try moment("since") { filter.since = since }
    return filter
  }
}
