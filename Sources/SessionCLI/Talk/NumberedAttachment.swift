import SessionCore
import SessionMessaging

/// A file of a message, by the number that people give for it.
struct NumberedAttachment: Sendable {
  let message: MessageView.ID
  let conversation: Conversation.ID
  /// From one.
  let number: Int
  let file: AttachmentView

  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("attachment"), "message": .integer(UInt64(clamping: message.rawValue)),
      "conversation": .string(conversation.description),
      "number": .integer(UInt64(number)), "kind": .string(file.kind.word),
      "content_type": .string(file.contentType), "size": .integer(UInt64(clamping: file.size)),
      "state": .string(file.state.word), "here": .boolean(file.isHere),
    ]
    object["name"] = file.name.map { .string($0) }
    object["caption"] = file.caption.map { .string($0) }
    object["width"] = file.width.map { .integer(UInt64(clamping: $0)) }
    object["height"] = file.height.map { .integer(UInt64(clamping: $0)) }
    object["duration_ms"] = file.milliseconds.map { .integer(UInt64(clamping: $0)) }
    return object
  }

  static let columns = ["message", "file", "size", "state", "name"]

  /// For eyes, in a table.
  var row: [String] {
    ["#\(message.rawValue)", "\(number)", ByteCount.text(file.size), file.state.shown, shownName]
  }

  /// For eyes, below the text of its message.
  var text: String {
    let state = file.isHere && file.state == .ready ? "" : ", \(file.state.shown)"
    let caption = file.caption.map { ": \(DisplayText.line($0))" } ?? ""
    let length = file.milliseconds.map { "\(SoundLength.text($0)), " } ?? ""
    return "[\(number)] \(shownName)  (\(length)\(ByteCount.text(file.size))\(state))\(caption)"
  }

  var shownName: String { DisplayText.line(file.name ?? file.kind.word) }

  /// The default name to save it under.
  var savedName: String {
    SavedName.of(file.name, contentType: file.contentType, message: message.rawValue, number: number)
  }
}

extension MessageView {
  var numberedAttachments: [NumberedAttachment] {
    attachments.enumerated().map {
      NumberedAttachment(message: id, conversation: conversation, number: $0 + 1, file: $1)
    }
  }
}

extension AttachmentView.Kind {
  fileprivate var word: String {
    switch self {
    case .file: "file"
    case .image: "image"
    case .voiceMessage: "voice-message"
    }
  }
}

extension AttachmentView.State {
  fileprivate var word: String {
    switch self {
    case .remote: "remote"
    case .downloading: "downloading"
    case .uploading: "uploading"
    case .ready: "ready"
    case .failed: "failed"
    case .unusable: "unusable"
    }
  }

  /// For eyes.
  fileprivate var shown: String {
    switch self {
    case .remote: "not here yet"
    case .downloading: "coming"
    case .uploading: "on its way"
    case .ready: "here"
    case .failed: "failed"
    case .unusable: "cannot be had"
    }
  }
}
