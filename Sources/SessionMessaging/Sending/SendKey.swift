import SessionCore
import SessionStorage

/// A name that a program gives to a message it sends. Repeating the call with the same key never sends a second
/// message, even after a crash.
public struct SendKey: Hashable, Sendable {
  public let text: String

  /// The longest key, in bytes.
  public static let maxLength = 128

  /// Nil unless the key has 1 to 128 characters out of `A-Z a-z 0-9 . _ : / -`.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...Self.maxLength).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
    self.text = text
  }

  /// A key that no other call has.
  package static var random: SendKey {
    let numbers = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    return SendKey(unchecked: "session:" + numbers.joined())
  }

  private init(unchecked text: String) { self.text = text }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._:/-".utf8.contains(byte)
    }
  }
}

extension SendKey: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let key = SendKey(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no key of a message")
    }
    self = key
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A message that was sent under a key.
public struct KeyedMessage: Hashable, Sendable {
  public let id: MessageView.ID
  /// True if an earlier call with the same key wrote the message.
  public let isRepeated: Bool
}

/// A key with the digest of the content it stands for.
struct KeyedContent: Sendable {
  let key: SendKey
  let digest: [UInt8]

  init(
    _ key: SendKey, _ text: OutgoingText, _ files: [OutgoingFile], to conversation: Conversation.ID
  ) async throws {
    self.key = key
    var digest = ContentDigest()
    try digest.add(conversation.address.utf8)
    try digest.add(text.body.utf8)
    try digest.add("\(text.answering?.rawValue ?? 0)".utf8)
    // What a site says may change between two calls.
    let preview = text.preview?.isMade == true ? nil : text.preview
    for part in [preview?.url, preview?.title] { try digest.add((part ?? "").utf8) }
    switch text.whisper {
    case nil: break
    case .moderators?: try digest.add("moderators".utf8)
    case .person(let id)?: try digest.add(id.address.utf8)
    }
    for file in files + (preview?.image.map { [$0] } ?? []) {
      try digest.add(try await file.digest())
      for part in [file.name, file.contentType, file.caption] { try digest.add((part ?? "").utf8) }
    }
    self.digest = digest.bytes
  }
}

extension OutgoingFile {
  fileprivate func digest() async throws -> [UInt8] {
    var digest = ContentDigest()
    switch content {
    case .bytes(let bytes): try digest.add(bytes)
    case .path(let path): for try await piece in FilePieces(path) { try digest.add(piece) }
    case .attachment(let id): try digest.add("attachment \(id.rawValue)".utf8)
    }
    return digest.bytes
  }
}

extension Reading where Self: ~Copyable {
  /// The message that was sent under a key. Throws `keyConflict` if its content differs.
  func message(sentAs content: KeyedContent) throws -> MessageView.ID? {
    guard let known = try sendKey(content.key.text) else { return nil }
    if let scheduled = known.scheduledID, known.interactionID.rawValue == 0 {
      throw MessengerError(
        .keyConflict,
        "the key '\(content.key.text)' is that of a scheduled message, number \(scheduled.rawValue)")
    }
    guard known.digest == content.digest else {
      throw MessengerError(
        .keyConflict,
        "the key '\(content.key.text)' was used for another message, number \(known.interactionID.rawValue)")
    }
    return MessageView.ID(known.interactionID)
  }
}
