import SessionCore
import SessionNetworking
import Testing

@testable import SessionMessaging

// Messages that any member of a group can store in its swarm.

/// Puts what a client of `sender` would send to a group into its swarm, sealed with the key that `reader` has. Returns its hash.
@discardableResult
func put(
  _ content: MessageContent, by sender: Account, in group: SessionID, keyOf reader: Messenger,
  at time: Int64? = nil, _ world: World
) throws -> String {
  let sentAt = try MessageTime(milliseconds: UInt64(time ?? world.clock.now))
  let key = try #require(try reader.author.messageKey(of: group))
  let bytes = try sender.encode(Message(content, sentAt: sentAt), for: .group(group, key: key))
  return world.swarms.put(bytes, to: group, in: .groupMessages)
}

func put(
  _ update: GroupUpdate, by sender: Account, in group: SessionID, keyOf reader: Messenger,
  at time: Int64? = nil, _ world: World
) throws {
  try put(
    .groupUpdate(GroupUpdateMessage(update)), by: sender, in: group, keyOf: reader, at: time, world)
}

/// Does the same with an admin's signature for `signedAt`.
func put(
  signing update: GroupUpdate, with key: GroupAdminKey, for signedAt: Int64? = nil, by sender: Account,
  in group: SessionID, keyOf reader: Messenger, at time: Int64? = nil, _ world: World
) throws {
  let signed = try MessageTime(milliseconds: UInt64(signedAt ?? time ?? world.clock.now))
  try put(
    .groupUpdate(GroupUpdateMessage(signing: update, with: key, sentAt: signed)), by: sender, in: group,
    keyOf: reader, at: time, world)
}
