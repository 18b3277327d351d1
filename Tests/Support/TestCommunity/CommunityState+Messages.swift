import SessionBase
import SessionCore
import SessionNetworking

extension CommunityState {
  /// The number of posts of one person in a room in this time, in milliseconds.
  private static let maxPosts = 5
  private static let postInterval: Int64 = 16_000

  mutating func post(_ json: JSONValue, in token: String, by author: String) throws(Refusal) -> CommunityReply
  {
    guard var room = rooms[token], room.allows(author, \.canWrite), room.muted[author] ?? 0 <= now() else {
      throw Refusal(status: 403)
    }
    guard let text = json["data"]?.string, let data = try? [UInt8](base64: text.utf8),
      let text = json["signature"]?.string, let signature = try? [UInt8](base64: text.utf8),
      signature.count == 64
    else { throw Refusal(status: 400) }
    let now = now()
    room.posts.removeAll { $0.at <= now - Self.postInterval }
    guard room.admins.contains(author) || room.posts.count(where: { $0.author == author }) < Self.maxPosts
    else { throw Refusal(status: 429, text: "Rate limited") }
    let isWhisper = json["whisper_to"] != nil || json["whisper_mods"]?.boolean == true
    guard !isWhisper || room.isModerator(author) else { throw Refusal(status: 403) }
    room.posts.append((author, now))
    room.sequence += 1
    var message = Message(
      number: nextNumber(), author: author, posted: now + postError, createdAs: room.sequence,
      sequence: room.sequence, textSequence: room.sequence, data: data, signature: signature)
    message.whisperTo = json["whisper_to"]?.string
    message.isWhisperToModerators = json["whisper_mods"]?.boolean ?? false
    message.isFiltered = room.hidesPosts
    if case .array(let numbers)? = json["files"] { message.files = numbers.compactMap(\.integer) }
    room.messages.append(message)
    rooms[token] = room
    return .json(describe(message, for: author), status: 201)
  }

  mutating func edit(_ number: Int64, _ json: JSONValue, in token: String, by author: String) throws(Refusal)
    -> CommunityReply
  {
    guard let room = rooms[token], room.allows(author, \.canWrite) else { throw Refusal(status: 403) }
    // As the reference server, which fails there.
    guard let index = room.messages.firstIndex(where: { $0.number == number && $0.data != nil }) else {
      throw Refusal(status: 500)
    }
    guard room.messages[index].author == author else { throw Refusal(status: 403) }
    guard let text = json["data"]?.string, let data = try? [UInt8](base64: text.utf8),
      let text = json["signature"]?.string, let signature = try? [UInt8](base64: text.utf8)
    else { throw Refusal(status: 400) }
    let now = now()
    change(index, in: token) { message, sequence in
      (message.data, message.signature, message.edited) = (data, signature, now)
      message.textSequence = sequence
    }
    return .json([:])
  }

  mutating func delete(_ number: Int64, in token: String, by caller: String) throws(Refusal)
    -> CommunityReply
  {
    guard let room = rooms[token],
      let index = room.messages.firstIndex(where: { $0.number == number && $0.data != nil })
    else { throw Refusal(status: 404) }
    let isOwn = room.messages[index].author == caller
    guard room.isModerator(caller) || (isOwn && room.allows(caller, \.canWrite)) else {
      throw Refusal(status: 403)
    }
    erase(index, in: token)
    return .json([:])
  }

  mutating func deleteAll(_ author: String, in token: String, by caller: String) throws(Refusal)
    -> CommunityReply
  {
    guard let room = rooms[token], room.isModerator(caller) else { throw Refusal(status: 403) }
    let indices = room.messages.indices.filter {
      room.messages[$0].author == author && room.messages[$0].data != nil
    }
    guard !indices.isEmpty else { throw Refusal(status: 404) }
    for index in indices { erase(index, in: token) }
    return .json([:])
  }

  mutating func deleteEverywhere(_ author: String, by caller: String?) throws(Refusal) -> CommunityReply {
    let caller = try require(caller)
    for token in rooms.keys { _ = try? deleteAll(author, in: token, by: caller) }
    return .json(["total": 0, "rooms": [:]])
  }

  private mutating func erase(_ index: Int, in token: String) {
    change(index, in: token) { message, _ in
      (message.data, message.signature, message.reactions) = (nil, nil, [])
    }
  }

  /// Changes a message, which gets a new number in the order of changes.
  private mutating func change(
    _ index: Int, in token: String, _ body: (inout Message, _ sequence: Int64) -> Void
  ) {
    rooms[token]?.sequence += 1
    let sequence = rooms[token]?.sequence ?? 0
    rooms[token]?.messages[index].sequence = sequence
    guard var message = rooms[token]?.messages[index] else { return }
    body(&message, sequence)
    rooms[token]?.messages[index] = message
  }

  // MARK: - Reactions and pins

  mutating func react(
    _ emoji: String, to number: Int64, in token: String, by caller: String, adds: Bool
  ) throws(Refusal) -> CommunityReply {
    guard let room = rooms[token],
      let index = room.messages.firstIndex(where: { $0.number == number && $0.data != nil })
    else { throw Refusal(status: 404) }
    guard (1...12).contains(emoji.unicodeScalars.count) else { throw Refusal(status: 400) }
    let others = room.messages[index].reactions.first { $0.emoji == emoji }?.by ?? []
    let isChanged = others.contains(caller) != adds
    if isChanged {
      change(index, in: token) { message, _ in
        let place = message.reactions.firstIndex { $0.emoji == emoji }
        switch (place, adds) {
        case (let place?, true): message.reactions[place].by.append(caller)
        case (nil, true): message.reactions.append((emoji, [caller]))
        case (let place?, false):
          message.reactions[place].by.removeAll { $0 == caller }
          if message.reactions[place].by.isEmpty { message.reactions.remove(at: place) }
        case (nil, false): break
        }
      }
    }
    let sequence = rooms[token]?.messages[index].sequence ?? 0
    return .json([adds ? "added" : "removed": .boolean(isChanged), "seqno": .integer(sequence)])
  }

  mutating func removeReactions(_ emoji: String?, from number: Int64, in token: String, by caller: String)
    throws(Refusal) -> CommunityReply
  {
    guard let room = rooms[token], room.isModerator(caller) else { throw Refusal(status: 403) }
    guard let index = room.messages.firstIndex(where: { $0.number == number }) else {
      throw Refusal(status: 404)
    }
    change(index, in: token) { message, _ in
      message.reactions.removeAll { emoji == nil || $0.emoji == emoji }
    }
    return .json(["removed": 1, "seqno": .integer(rooms[token]?.messages[index].sequence ?? 0)])
  }

  mutating func pin(_ what: String, in token: String, by caller: String, adds: Bool) throws(Refusal)
    -> CommunityReply
  {
    guard let room = rooms[token], room.admins.contains(caller) else { throw Refusal(status: 403) }
    if what == "all" {
      rooms[token]?.pins = []
    } else {
      guard let number = Int64(what), room.messages.contains(where: { $0.number == number }) else {
        throw Refusal(status: 404)
      }
      rooms[token]?.pins.removeAll { $0.number == number }
      if adds { rooms[token]?.pins.append((number, now(), caller)) }
    }
    rooms[token]?.infoUpdates += 1
    return .json(["info_updates": .integer(rooms[token]?.infoUpdates ?? 0)])
  }
}
