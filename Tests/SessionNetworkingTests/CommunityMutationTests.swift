import Foundation
import SeededNumbers
import SessionBase
import SessionCore
import Testing

@testable import SessionNetworking

/// Replies of community servers with random changes give an answer or a failure with a name, and never a value beyond its
/// limits. `MUTATIONS` says how many of each seed.
@Suite struct CommunityMutationTests {
  private static let count = ProcessInfo.processInfo.environment["MUTATIONS"].flatMap { Int($0) } ?? 600

  private static let author = "15" + String(repeating: "ab", count: 32)
  private static let other = "05" + String(repeating: "cd", count: 32)

  /// A reply of each kind.
  private static let texts = [
    #"{"capabilities":["sogs","blind","reactions"],"missing":["x"]}"#,
    """
    [{"token":"Lounge","name":"Lounge","description":"…","info_updates":7,"message_sequence":12345,
    "created":1650000000.25,"active_users":210,"image_id":"88","read":true,"write":true,"upload":true,
    "pinned_messages":[{"id":12,"pinned_at":1650000100.5,"pinned_by":"\(author)"}],
    "moderators":["\(author)"],"admins":["\(other)"],"hidden_admins":["\(author)"]}]
    """,
    """
    {"token":"lounge","active_users":3,"read":true,"write":true,"upload":false,"moderator":true,
    "details":{"token":"lounge","name":"L","info_updates":7,"read":true,"created":1.5,"active_users":1}}
    """,
    """
    [{"id":1,"seqno":1,"session_id":"\(author)","posted":1650000000.123,"edited":1650000001.5,"data":"aGVsbG+A",
    "signature":"\(String(repeating: "A", count: 86))==","whisper":true,"whisper_to":"\(other)",
    "reactions":{"🦆":{"index":1,"count":2,"reactors":["\(author)"],"you":true}}},
    {"id":2,"seqno":3,"reactions":{"a":{"index":0,"count":0,"reactors":[]}}},{"id":3,"seqno":4,"data":null,"deleted":true}]
    """,
    #"[{"id":1,"message":"AAQ==","sender":"\#(author)","recipient":"\#(author)","posted_at":1.5,"expires_at":2}]"#,
    #"{"id":7,"posted":1650000000.5,"seqno":8,"filtered":true,"posted_at":1.5,"expires_at":3}"#,
    #"{"added":true,"removed":2,"seqno":9,"id":5}"#,
    #"""
    [{"code":200,"headers":{"content-type":"application/json"},"body":[{"id":1}]},
    {"code":404,"headers":{},"body":"bm8="},{"code":500,"content-type":"text/plain","body":""}]
    """#,
  ]

  private static let pieces = [
    "null", "-1", "0", "1e308", "-1e308", "1e-5", "[]", "{}", "\"\"", "true", "false", "\\u0000", "\\ud800",
    "9223372036854775807", "9007199254740993", "\"9007199254740993\"", ",", "}", "]", ":", "\"", "[[[[", "🦆",
    "\"15\(String(repeating: "ff", count: 32))\"", "\"25\(String(repeating: "00", count: 32))\"",
  ]

  private func mutated(_ text: String, using numbers: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...5, using: &numbers) {
      if bytes.isEmpty { bytes = [0x5b] }
      let place = Int.random(in: 0..<bytes.count, using: &numbers)
      let end = min(bytes.count, place + 1 + Int.random(in: 0..<24, using: &numbers))
      switch Int.random(in: 0..<6, using: &numbers) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
      case 1: bytes.insert(contentsOf: Self.pieces.randomElement(using: &numbers)!.utf8, at: place)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.replaceSubrange(place..<end, with: Self.pieces.randomElement(using: &numbers)!.utf8)
      case 4: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
      default:
        // Values in place of whole numbers and texts.
        let isValue: (UInt8) -> Bool = { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ",") }
        guard let colon = bytes[place...].firstIndex(where: isValue) else { continue }
        let rest = bytes[(colon + 1)...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
        bytes.replaceSubrange(
          (colon + 1)..<(rest ?? bytes.count), with: Self.pieces.randomElement(using: &numbers)!.utf8)
      }
    }
    return bytes
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func changedRepliesAreReadOrRefused(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let room = try Community.Place(server: "https://example.org", room: "lobby")
    for _ in 0..<Self.count {
      let text = try #require(Self.texts.randomElement(using: &numbers))
      let status = [200, 201, 304, 400, 403, 429, 500].randomElement(using: &numbers) ?? 200
      let reply = CommunityReply(
        status: status == 200 || Bool.random(using: &numbers) ? 200 : status,
        body: mutated(text, using: &numbers))
      checkBatch(reply)
      try checkRooms(reply, room)
      checkMessages(reply, room)
      checkReceipts(reply, room)
    }
  }

  private func checkBatch(_ reply: CommunityReply) {
    for isInOrder in [true, false] {
      guard let replies = try? reply.replies(toBatchOf: 3, inOrder: isInOrder) else { continue }
      #expect(replies.count <= 3 && (isInOrder || replies.count == 3))
    }
  }

  private func checkRooms(_ reply: CommunityReply, _ place: Community.Place) throws {
    if let found = try? CommunityCall<CommunityCapabilities>.capabilities.answer(from: reply) {
      #expect(found.names.count <= 64 && found.names.allSatisfy { $0.utf8.count <= 64 })
    }
    var rooms = (try? CommunityCall<[CommunityRoom]>.rooms.answer(from: reply)) ?? []
    if let room = try? CommunityCall<CommunityRoom>.room(place).answer(from: reply) { rooms.append(room) }
    if let poll = try? CommunityCall<CommunityPoll>.poll(place, knowing: 0).answer(from: reply) {
      #expect(poll.activeUsers >= 0)
      if let details = poll.details { rooms.append(details) }
    }
    for room in rooms {
      #expect(room.infoUpdates >= 0 && room.activeUsers >= 0 && (room.imageID ?? 0) >= 0)
      #expect(
        room.pins.count <= CommunityRoom.maxPins && room.moderators.count <= CommunityRoom.maxModerators)
      #expect(room.name.unicodeScalars.count <= CommunityRoom.maxName)
      // Its name can stand in a path.
      _ = try Community.Place(server: place.server, room: room.token)
    }
  }

  private func checkMessages(_ reply: CommunityReply, _ room: Community.Place) {
    for span in [CommunitySpan.recent, .since(sequence: 4), .before(number: 4)] {
      guard let page = try? CommunityCall<CommunityPage>.messages(span, in: room).answer(from: reply) else {
        continue
      }
      #expect(page.count <= 256 && page.messages.count <= page.count)
      for message in page.messages {
        #expect(message.number > 0 && message.sequence >= 0)
        #expect((message.reactions ?? []).allSatisfy { $0.count >= $0.reactors.count && $0.count > 0 })
        #expect((message.reactions ?? []).allSatisfy { (1...12).contains($0.emoji.unicodeScalars.count) })
      }
    }
    _ = try? CommunityCall<CommunityMessage>.message(1, in: room).answer(from: reply)
    for call in [CommunityCall<CommunityLetterPage>.inbox(since: 0), .outbox(since: 0)] {
      guard let page = try? call.answer(from: reply) else { continue }
      #expect(page.letters.allSatisfy { $0.number > 0 } && page.letters.count <= page.count)
      #expect(page.count <= 256)
    }
  }

  private func checkReceipts(_ reply: CommunityReply, _ room: Community.Place) {
    if let receipt = try? CommunityCall<CommunityReceipt>.post([1], signature: [2], in: room).answer(
      from: reply)
    {
      #expect(receipt.number > 0 && receipt.sequence >= 0)
    }
    if let id = SessionID(Self.author),
      let receipt = try? CommunityCall<CommunityLetterReceipt>.send([1], to: id).answer(from: reply)
    {
      #expect(receipt.number >= 0)
    }
    _ = try? CommunityCall<CommunityReactionChange>.react("🦆", to: 1, in: room).answer(from: reply)
    if let file = try? CommunityCall<Int64>.upload([1], name: nil, to: room).answer(from: reply) {
      #expect(file >= 0)
    }
    if let bytes = try? CommunityCall<[UInt8]>.file(1, in: room, upTo: 10).answer(from: reply) {
      #expect(bytes.count <= 10)
    }
  }
}
