package import SessionBase
public import SessionCore

/// A message of a room, or a change of one, as the server reports it.
public struct CommunityMessage: Hashable, Sendable {
  public enum Change: Hashable, Sendable {
    case post(CommunityPost)
    case deletion
    /// Only its reactions changed.
    case reactions
    /// It cannot be read, and never will be.
    case unreadable(Flaw)
  }

  /// Why a message cannot be read.
  public enum Flaw: String, Sendable, CaseIterable {
    case author, data, signature, time, whisper
  }

  /// Unique on the server, and larger than those of earlier messages of the room.
  public let number: Int64
  /// The number of the last change, which cursors use; 0 in some whispers.
  public let sequence: Int64
  public let change: Change
  /// All reactions to the message; nil if the server does not report them.
  public let reactions: [CommunityReaction]?

  /// Nil without usable numbers.
  init?(_ json: JSONValue) {
    guard let number = json["id"]?.count, number > 0, let sequence = json["seqno"]?.count else { return nil }
    self.number = number
    self.sequence = sequence
    reactions = CommunityReaction.all(in: json["reactions"])
    if json["deleted"]?.boolean == true || json["data"] == .null {
      change = .deletion
    } else if json["data"] == nil, reactions != nil {
      change = .reactions
    } else {
      do throws(CommunityPost.Malformed) { change = .post(try CommunityPost(json)) } catch {
        change = .unreadable(error.flaw)
      }
    }
  }

  /// The most messages in one reply.
  static let maxCount = 256

  /// The size in bytes from which on a server may have ended a page early.
  static let largePage = 1_000_000

  /// Reads a page from a reply of some bytes.
  static func page(_ json: JSONValue, bytes: Int) throws(NetworkFailure) -> CommunityPage {
    guard case .array(let elements) = json, elements.count <= maxCount else {
      throw .malformed("it is not a page of messages")
    }
    return CommunityPage(
      count: elements.count, isLarge: bytes >= largePage,
      messages: elements.compactMap { CommunityMessage($0) })
  }
}

/// A page of messages.
public struct CommunityPage: Hashable, Sendable {
  /// The number of messages that the server sent.
  public let count: Int
  /// True if the server may have ended the page before its limit, because of its size.
  public let isLarge: Bool
  /// Those with usable numbers.
  public let messages: [CommunityMessage]

  public init(count: Int, isLarge: Bool = false, messages: [CommunityMessage]) {
    self.count = count
    self.isLarge = isLarge
    self.messages = messages
  }

  /// True if there may be more messages than those of the page, which was asked for with a limit.
  public func isFull(limit: Int = CommunityCall<CommunityPage>.pageSize) -> Bool { isLarge || count >= limit }
}

/// A message as it was posted, not yet verified or opened.
public struct CommunityPost: Hashable, Sendable {
  /// The recipients of a message that not everyone sees.
  public enum Whisper: Hashable, Sendable {
    case moderators
    case person(SessionID)
  }

  struct Malformed: Error {
    let flaw: CommunityMessage.Flaw
  }

  public let author: SessionID
  public let postedAt: MessageTime
  public let editedAt: MessageTime?
  public let data: [UInt8]
  public let signature: [UInt8]
  public let whisper: Whisper?

  init(_ json: JSONValue) throws(Malformed) {
    guard let author = json["session_id"]?.author else { throw Malformed(flaw: .author) }
    guard let postedAt = json["posted"]?.time else { throw Malformed(flaw: .time) }
    guard let text = json["data"]?.string, let data = try? [UInt8](base64: text.utf8), !data.isEmpty else {
      throw Malformed(flaw: .data)
    }
    guard let text = json["signature"]?.string, let signature = try? [UInt8](base64: text.utf8),
      signature.count == 64
    else { throw Malformed(flaw: .signature) }
    self.author = author
    self.postedAt = postedAt
    self.data = data
    self.signature = signature
    editedAt = json["edited"]?.time
    // The time of an edit decides if a message is too old.
    if let editedAt, editedAt < postedAt { throw Malformed(flaw: .time) }
    if let recipient = json["whisper_to"], recipient != .null {
      guard let person = recipient.author else { throw Malformed(flaw: .whisper) }
      whisper = .person(person)
    } else if json["whisper_mods"]?.boolean == true {
      whisper = .moderators
    } else if json["whisper"]?.boolean == true {
      throw Malformed(flaw: .whisper)
    } else {
      whisper = nil
    }
  }

  /// Throws `signature` unless the author signed the message.
  public func verify() throws(SessionError) { try author.verify(signature, of: data) }
}

/// All reactions to a message with one emoji.
public struct CommunityReaction: Hashable, Sendable {
  public let emoji: String
  /// The place among the emojis of the message.
  public let index: Int64
  public let count: Int64
  /// Some of those who reacted.
  public let reactors: [SessionID]
  /// True if we did.
  public let isOurs: Bool

  /// The most characters of an emoji, reactors of one emoji, and emojis of one message.
  public static let maxCharacters = 12
  public static let maxReactors = 20
  static let maxEmojis = 100

  /// Nil unless there are any.
  static func all(in json: JSONValue?) -> [CommunityReaction]? {
    guard case .object(let members)? = json else { return nil }
    let reactions = members.compactMap { CommunityReaction($0.name, $0.value) }
    return Array(reactions.sorted { ($0.index, $0.emoji) < ($1.index, $1.emoji) }.prefix(maxEmojis))
  }

  private init?(_ emoji: String, _ json: JSONValue) {
    guard (1...Self.maxCharacters).contains(emoji.unicodeScalars.count), let count = json["count"]?.count,
      count > 0
    else { return nil }
    var reactors: [SessionID] = []
    if case .array(let elements)? = json["reactors"] {
      for id in elements.lazy.compactMap(\.author) where !reactors.contains(id) {
        guard reactors.count < Self.maxReactors else { break }
        reactors.append(id)
      }
    }
    self.emoji = emoji
    self.reactors = reactors
    self.count = max(count, Int64(reactors.count))
    index = json["index"]?.count ?? 0
    isOurs = json["you"]?.boolean ?? false
  }
}

/// The server's confirmation of a message.
public struct CommunityReceipt: Hashable, Sendable {
  public let number: Int64
  public let postedAt: MessageTime
  public let sequence: Int64
  /// True if the server does not show the message to anyone else.
  public let isFiltered: Bool

  init(_ json: JSONValue) throws(NetworkFailure) {
    guard let number = json["id"]?.count, number > 0, let postedAt = json["posted"]?.time else {
      throw .malformed("it has no number of the message")
    }
    self.number = number
    self.postedAt = postedAt
    sequence = json["seqno"]?.count ?? 0
    isFiltered = json["filtered"]?.boolean ?? false
  }
}

/// A message between two people of a server, in our inbox or outbox there.
public struct CommunityLetter: Hashable, Sendable {
  public struct Content: Hashable, Sendable {
    public let sender: SessionID
    public let recipient: SessionID
    public let data: [UInt8]
    public let postedAt: MessageTime
    public let expiresAt: MessageTime
  }

  public let number: Int64
  /// Nil if it cannot be read.
  public let content: Content?

  /// Nil without a usable number.
  package init?(_ json: JSONValue) {
    guard let number = json["id"]?.count, number > 0 else { return nil }
    self.number = number
    guard let sender = json["sender"]?.author, let recipient = json["recipient"]?.author,
      let text = json["message"]?.string, let data = try? [UInt8](base64: text.utf8),
      let postedAt = json["posted_at"]?.time, let expiresAt = json["expires_at"]?.time
    else {
      content = nil
      return
    }
    content = Content(
      sender: sender, recipient: recipient, data: data, postedAt: postedAt, expiresAt: expiresAt)
  }

  /// Reads a page from a reply of some bytes.
  static func page(_ json: JSONValue, bytes: Int) throws(NetworkFailure) -> CommunityLetterPage {
    guard case .array(let elements) = json, elements.count <= CommunityMessage.maxCount else {
      throw .malformed("it is not a page of messages")
    }
    return CommunityLetterPage(
      count: elements.count, isLarge: bytes >= CommunityMessage.largePage,
      letters: elements.compactMap { CommunityLetter($0) })
  }
}

/// A page of an inbox or outbox.
public struct CommunityLetterPage: Hashable, Sendable {
  /// The number of messages that the server sent.
  public let count: Int
  /// True if the server may have ended the page before its limit, because of its size.
  public let isLarge: Bool
  /// Those with usable numbers.
  public let letters: [CommunityLetter]

  /// True if there may be more messages than those of the page, which was asked for with a limit.
  public func isFull(limit: Int = maxSize) -> Bool { isLarge || count >= limit }

  /// The most messages in a page that we ask for.
  public static let maxSize = 100

  static let empty = CommunityLetterPage(count: 0, isLarge: false, letters: [])
}
