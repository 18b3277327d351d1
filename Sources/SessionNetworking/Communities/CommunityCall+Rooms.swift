import SessionBase
public import SessionCore

// A room is named by its place, whose name is in normal form, so that it can stand in a path.

extension CommunityCall where Answer == CommunityCapabilities {
  public static var capabilities: CommunityCall {
    CommunityCall(CommunityRequest(.get, "/capabilities")) { reply throws(NetworkFailure) in
      try CommunityCapabilities(try reply.json())
    }
  }
}

extension CommunityCall where Answer == [CommunityRoom] {
  private static var maxRooms: Int { 1000 }

  /// The rooms that we may see. One that cannot be read is left out.
  public static var rooms: CommunityCall {
    CommunityCall(CommunityRequest(.get, "/rooms")) { reply throws(NetworkFailure) in
      guard case .array(let elements) = try reply.json() else { throw .malformed("it has no list of rooms") }
      return elements.prefix(maxRooms).compactMap { try? CommunityRoom($0) }
    }
  }
}

extension CommunityCall where Answer == CommunityRoom {
  public static func room(_ room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.get, "/room/\(room.room)")) { reply throws(NetworkFailure) in
      try CommunityRoom(try reply.json())
    }
  }
}

extension CommunityCall where Answer == CommunityPoll {
  /// The state of a room, with its description unless that is the one with this number.
  public static func poll(_ room: Community.Place, knowing infoUpdates: Int64) -> CommunityCall {
    CommunityCall(CommunityRequest(.get, "/room/\(room.room)/pollInfo/\(infoUpdates)")) {
      reply throws(NetworkFailure) in
      try CommunityPoll(try reply.json())
    }
  }

  /// The state of a room with its description, whether or not that has changed.
  public static func description(of room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.get, "/room/\(room.room)")) { reply throws(NetworkFailure) in
      CommunityPoll(try CommunityRoom(try reply.json()))
    }
  }
}

// MARK: - Messages

/// A part of the messages of a room.
public enum CommunitySpan: Hashable, Sendable {
  /// The newest, the last one first.
  case recent
  /// Older than a message, the last one first.
  case before(number: Int64)
  /// All changes after a sequence number, the first one first.
  case since(sequence: Int64)

  fileprivate var path: String {
    switch self {
    case .recent: "recent"
    case .before(let number): "before/\(number)"
    case .since(let sequence): "since/\(sequence)"
    }
  }
}

extension CommunityCall where Answer == CommunityPage {
  /// The most messages in a page that we ask for.
  public static var pageSize: Int { 100 }

  public static func messages(
    _ span: CommunitySpan, in room: Community.Place, limit: Int = pageSize
  ) -> CommunityCall {
    let request = CommunityRequest(
      .get, "/room/\(room.room)/messages/\(span.path)", query: "t=r&reactors=5&limit=\(limit)")
    return CommunityCall(request) { reply throws(NetworkFailure) in
      try CommunityMessage.page(try reply.json(), bytes: reply.body.count)
    }
  }
}

extension CommunityCall where Answer == CommunityMessage {
  public static func message(_ number: Int64, in room: Community.Place) -> CommunityCall {
    let request = CommunityRequest(.get, "/room/\(room.room)/message/\(number)", query: "reactors=5")
    return CommunityCall(request) { reply throws(NetworkFailure) in
      guard let message = CommunityMessage(try reply.json()), message.number == number else {
        throw .malformed("it is not the message")
      }
      return message
    }
  }
}

extension CommunityCall where Answer == CommunityReceipt {
  /// Posts the padded and signed bytes of a message; `files` are numbers of uploaded files.
  public static func post(
    _ data: [UInt8], signature: [UInt8], files: [Int64] = [], whisper: CommunityPost.Whisper? = nil,
    in room: Community.Place
  ) -> CommunityCall {
    var members = JSONValue.members(ofPost: data, signature, files)
    switch whisper {
    case nil: break
    case .moderators?: members.append(.init("whisper_mods", true))
    case .person(let id)?: members.append(.init("whisper_to", .string(id.description)))
    }
    let body = JSONValue.object(members).description
    return CommunityCall(CommunityRequest(.post, "/room/\(room.room)/message", body: .json(body))) {
      reply throws(NetworkFailure) in
      try CommunityReceipt(try reply.json())
    }
  }
}

extension CommunityCall where Answer == Void {
  /// Replaces a message of ours.
  public static func edit(
    _ number: Int64, _ data: [UInt8], signature: [UInt8], files: [Int64] = [], in room: Community.Place
  ) -> CommunityCall {
    let body = JSONValue.object(JSONValue.members(ofPost: data, signature, files)).description
    return CommunityCall(
      CommunityRequest(.put, "/room/\(room.room)/message/\(number)", body: .json(body))
    ) { _ in }
  }

  /// Deletes a message of ours, or as a moderator anyone's.
  public static func delete(_ number: Int64, in room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.delete, "/room/\(room.room)/message/\(number)")) { _ in }
  }

  public static func pin(_ number: Int64, in room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.post, "/room/\(room.room)/pin/\(number)", body: .json("{}"))) { _ in }
  }

  public static func unpin(_ number: Int64, in room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.post, "/room/\(room.room)/unpin/\(number)", body: .json("{}"))) { _ in }
  }

  public static func unpinAll(in room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.post, "/room/\(room.room)/unpin/all", body: .json("{}"))) { _ in }
  }
}

extension JSONValue {
  fileprivate static func members(ofPost data: [UInt8], _ signature: [UInt8], _ files: [Int64]) -> [Member] {
    var members = [
      Member("data", .string(data.base64)), Member("signature", .string(signature.base64)),
    ]
    if !files.isEmpty { members.append(Member("files", .array(files.map { .integer($0) }))) }
    return members
  }
}

// MARK: - Reactions

/// What a reaction changed: the sequence number of the message after it.
public struct CommunityReactionChange: Hashable, Sendable {
  public let sequence: Int64
}

extension CommunityCall where Answer == CommunityReactionChange {
  /// Throws `rejected` for an emoji that a server cannot take.
  public static func react(
    _ emoji: String, to number: Int64, in room: Community.Place
  ) throws(NetworkFailure) -> CommunityCall {
    let path = "/room/\(room.room)/reaction/\(number)/\(try emoji.asPathSegment())"
    return CommunityCall(CommunityRequest(.put, path, body: .json("{}")), read: change)
  }

  public static func removeReaction(
    _ emoji: String, from number: Int64, in room: Community.Place
  ) throws(NetworkFailure) -> CommunityCall {
    let path = "/room/\(room.room)/reaction/\(number)/\(try emoji.asPathSegment())"
    return CommunityCall(CommunityRequest(.delete, path), read: change)
  }

  /// Removes everyone's reactions from a message, or those with one emoji, as a moderator.
  public static func removeAllReactions(
    _ emoji: String? = nil, from number: Int64, in room: Community.Place
  ) throws(NetworkFailure) -> CommunityCall {
    var path = "/room/\(room.room)/reactions/\(number)"
    if let emoji { path += "/\(try emoji.asPathSegment())" }
    return CommunityCall(CommunityRequest(.delete, path), read: change)
  }

  private static func change(_ reply: CommunityReply) throws(NetworkFailure) -> CommunityReactionChange {
    guard let sequence = try reply.json()["seqno"]?.count else {
      throw .malformed("it has no sequence number")
    }
    return CommunityReactionChange(sequence: sequence)
  }
}

extension String {
  /// The emoji as a part of a path, which is signed as it is.
  fileprivate func asPathSegment() throws(NetworkFailure) -> String {
    guard self != ".", self != "..", (1...CommunityReaction.maxCharacters).contains(unicodeScalars.count),
      !unicodeScalars.contains(where: {
        "/?#%".unicodeScalars.contains($0) || $0.value <= 32 || $0.value == 127
      })
    else { throw NetworkFailure(.rejected, "a community server cannot take this reaction") }
    return self
  }
}

// MARK: - Files

extension CommunityCall where Answer == Int64 {
  /// Uploads a file for a message, and returns its number. The longest name that servers keep has 60 characters.
  public static func upload(_ bytes: [UInt8], name: String?, to room: Community.Place) -> CommunityCall {
    CommunityCall(CommunityRequest(.post, "/room/\(room.room)/file", body: .file(bytes, name: name))) {
      reply throws(NetworkFailure) in
      guard let number = try reply.json()["id"]?.number, number > 0 else {
        throw .malformed("it has no number of the file")
      }
      return number
    }
  }
}

extension CommunityCall where Answer == [UInt8] {
  public static func file(_ number: Int64, in room: Community.Place, upTo limit: Int) -> CommunityCall {
    CommunityCall(CommunityRequest(.get, "/room/\(room.room)/file/\(number)")) {
      reply throws(NetworkFailure) in
      guard reply.body.count <= limit else {
        throw NetworkFailure(.tooLarge, "the file is larger than the limit")
      }
      return reply.body
    }
  }
}
