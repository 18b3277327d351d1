import SessionCore
import SessionNetworking
import SessionStorage

/// The reactions to a message of a room with one emoji. The server names some of those who reacted, and counts all.
struct RoomReaction: Hashable {
  let emoji: String
  var index: Int64
  var count: Int
  /// Addresses of those who are named, without us.
  var others: [String]
  var isOurs: Bool
}

extension RoomReaction {
  /// What a server reports. `ids` are ours there.
  init(_ reaction: CommunityReaction, ownIDs ids: Set<SessionID>) {
    let others = reaction.reactors.filter { !ids.contains($0) }
    let isOurs = reaction.isOurs || others.count < reaction.reactors.count
    let named = others.count + (isOurs ? 1 : 0)
    self.init(
      emoji: reaction.emoji, index: reaction.index, count: max(Int(clamping: reaction.count), named),
      others: others.map(\.address), isOurs: isOurs)
  }
}

extension [RoomReaction] {
  /// The same with a reaction of ours added or removed. Changes nothing where that is done already.
  func applying(_ pending: PendingReactionRecord) -> [RoomReaction] {
    var reactions = self
    let place = firstIndex { $0.emoji == pending.emoji }
    switch (place, pending.isRemoval) {
    case (let place?, false) where !reactions[place].isOurs:
      reactions[place].isOurs = true
      reactions[place].count += 1
    case (nil, false):
      reactions.append(
        RoomReaction(
          emoji: pending.emoji, index: (map(\.index).max() ?? -1) + 1, count: 1, others: [], isOurs: true))
    case (let place?, true) where reactions[place].isOurs:
      reactions[place].isOurs = false
      reactions[place].count -= 1
      // Those whom the server counted, but did not name, are named by the next report.
      if reactions[place].others.isEmpty { reactions.remove(at: place) }
    default: break
    }
    return reactions
  }
}

extension Reading where Self: ~Copyable {
  /// The reactions to a message of a room, as they are stored.
  func roomReactions(to id: InteractionRecord.ID, own: SessionID) throws -> [RoomReaction] {
    var found: [RoomReaction] = []
    for row in try reactions(to: id) {
      let place = found.firstIndex { $0.emoji == row.emoji }
      var reaction =
        place.map { found[$0] }
        ?? RoomReaction(emoji: row.emoji, index: row.sortID, count: 0, others: [], isOurs: false)
      reaction.count += row.count
      if row.author == own.address { reaction.isOurs = true } else { reaction.others.append(row.author) }
      if let place { found[place] = reaction } else { found.append(reaction) }
    }
    return found
  }
}

extension WriteTransaction {
  /// Replaces the reactions to a message. The first row of each emoji counts for all, and ours are stored under the id of
  /// the account. Returns false if nothing changes.
  @discardableResult
  func set(
    _ reactions: [RoomReaction], to id: InteractionRecord.ID, own: SessionID, at now: MessageTime
  ) throws -> Bool {
    let before = try self.reactions(to: id)
    let times = Dictionary(
      before.map { ("\($0.author) \($0.emoji)", $0.sentAt) }, uniquingKeysWith: { first, _ in first })
    var rows: [ReactionRecord] = []
    for reaction in reactions {
      let reactors = reaction.others + (reaction.isOurs ? [own.address] : [])
      for (place, reactor) in reactors.enumerated() {
        var row = ReactionRecord(
          to: id, by: reactor, emoji: reaction.emoji,
          sentAt: times["\(reactor) \(reaction.emoji)"] ?? now.stored)
        row.count = place == 0 ? max(reaction.count, reactors.count) : 0
        row.sortID = reaction.index
        rows.append(row)
      }
    }
    guard rows != before else { return false }
    try deleteReactions(to: id)
    for row in rows { try put(row) }
    return true
  }

  /// Replaces the reactions to a message by those that the server reports with a change, and those of ours that are later.
  func take(
    _ reports: [CommunityReaction], to message: InteractionRecord, number: Int64, sequence: Int64,
    own: SessionID, ids: Set<SessionID>, at now: MessageTime
  ) throws -> Bool {
    try deletePendingReactions(to: number, in: message.threadID, upTo: sequence)
    let reactions = try pendingReactions(to: number, in: message.threadID).reduce(
      reports.map { RoomReaction($0, ownIDs: ids) }
    ) { $0.applying($1) }
    return try set(reactions, to: message.id, own: own, at: now)
  }

  /// Takes back a reaction that the server did not take. Later ones that are still pending stay.
  func takeBack(_ id: PendingReactionRecord.ID, as own: SessionID) throws {
    guard let pending = try pendingReaction(id) else { return }
    try delete(id)
    let next = try pendingReactions(to: pending.serverID, in: pending.threadID).first {
      $0.id > id && $0.emoji == pending.emoji
    }
    // One that was to undo it has nothing to do any more.
    if let next, next.isRemoval != pending.isRemoval { try delete(next.id) }
    guard let message = try interaction(in: pending.threadID, serverID: pending.serverID) else { return }
    let opposite = PendingReactionRecord(
      to: pending.serverID, in: pending.threadID, pending.emoji, isRemoval: !pending.isRemoval)
    let before = try roomReactions(to: message.id, own: own).applying(opposite)
    let reactions = try pendingReactions(to: pending.serverID, in: pending.threadID).reduce(before) {
      $0.applying($1)
    }
    try set(reactions, to: message.id, own: own, at: try message.time)
  }
}
