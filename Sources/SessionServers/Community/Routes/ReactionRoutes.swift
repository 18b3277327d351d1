import SessionBase
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Reactions to messages.
  mutating func addReactions() {
    write(.put, "/room/{room}/reaction/{number}/{emoji}") { visit in try visit.react(adds: true) }
    write(.delete, "/room/{room}/reaction/{number}/{emoji}") { visit in try visit.react(adds: false) }
    write(.delete, "/room/{room}/reactions/{number}") { visit in try visit.removeReactions(nil) }
    write(.delete, "/room/{room}/reactions/{number}/{emoji}") { visit in
      try visit.removeReactions(try visit.emoji())
    }
    read("/room/{room}/reactors/{number}/{emoji}") { visit in
      let (number, emoji) = (try visit.number("number"), try visit.emoji())
      let limit = try visit.query("limit", 1...1000, default: 1000)
      return { transaction, caller in
        let (room, rights) = try visit.room(in: transaction, caller, needs: .read)
        guard try transaction.message(number, of: room.id, for: MessageReader(caller, rights)) != nil else {
          throw CommunityRefusal.noMessage
        }
        let reactors = try transaction.reactors(number, emoji, limit: limit)
        return .json(
          .array(reactors.map { .array([.string($0.id), .decimal(Double($0.at) / 1000)]) }))
      }
    }
  }
}

extension CommunityVisit {
  /// Characters of an emoji, emojis of a person on a message, and emojis of a message.
  static let maxEmojiScalars = 12
  static let maxOwnEmojis = 20
  static let maxEmojis = 50

  /// The emoji of the path: few characters, none of them a control character or a slash. Throws 400.
  fileprivate func emoji() throws(CommunityRefusal) -> String {
    let emoji = self["emoji"]
    guard Self.isEmoji(emoji) else { throw .invalid("Invalid reaction") }
    return emoji
  }

  static func isEmoji(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    return (1...maxEmojiScalars).contains(scalars.count)
      && scalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
  }

  fileprivate func react(adds: Bool) throws -> CommunityRoute.Writes {
    try countChange()
    let (number, emoji) = (try number("number"), try emoji())
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .signedRead)
      guard let person = caller?.person.id,
        let message = try transaction.message(number, of: room.id, for: MessageReader(caller, rights)),
        !message.isFiltered, !message.isWhisper
      else { throw CommunityRefusal.noMessage }
      let name = adds ? "added" : "removed"
      guard try transaction.hasReaction(number, emoji, of: person) != adds else {
        return .unchanged([name: false, "seqno": .integer(message.sequence)])
      }
      let sequence: Int64
      if adds {
        let counts = try transaction.emojiCounts(number, of: person)
        let isNew = try !transaction.hasReaction(number, emoji)
        guard counts.own < Self.maxOwnEmojis, counts.all < Self.maxEmojis || !isNew else {
          throw CommunityRefusal(429, "Too many reactions")
        }
        sequence = try transaction.react(emoji, to: message, of: room.id, by: person, now: now)
      } else {
        try transaction.removeReactions(to: number, emoji: emoji, of: person)
        sequence = try transaction.noteReactions(to: number, of: room.id)
      }
      return .json([name: true, "seqno": .integer(sequence)])
    }
  }

  fileprivate func removeReactions(_ emoji: String?) throws -> CommunityRoute.Writes {
    try countChange()
    let number = try number("number")
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .moderator)
      guard let message = try transaction.message(number, of: room.id, for: MessageReader(caller, rights))
      else { throw CommunityRefusal.noMessage }
      let count = try transaction.removeReactions(to: number, emoji: emoji)
      guard count > 0 else { return .unchanged(["removed": 0, "seqno": .integer(message.sequence)]) }
      let sequence = try transaction.noteReactions(to: number, of: room.id)
      try transaction.log("reactions removed", room: room.id, by: caller, number: number, now: now)
      return .json(["removed": .integer(Int64(count)), "seqno": .integer(sequence)])
    }
  }
}
