import SessionCore
import SessionMessaging

/// A swarm that keeps configs for the devices of these tests.
struct Swarm {
  private var stored: [(name: ConfigName, hash: String, message: [UInt8], time: MessageTime)] = []
  private var milliseconds: UInt64 = 1_700_000_000_000

  var now: MessageTime {
    get throws { try MessageTime(milliseconds: milliseconds) }
  }

  func count(_ name: ConfigName) -> Int { stored.filter { $0.name == name }.count }

  /// Stores what a device has to push, confirms it, and deletes what is obsolete.
  mutating func take(from store: ConfigStore) throws {
    for batch in try store.pendingPushes(at: now) {
      for push in batch.pushes { try store.confirm(push, hashes: keep(push)) }
      stored.removeAll { batch.obsolete.contains($0.hash) && $0.name.owner == batch.owner }
      store.confirmDeletion(of: batch.obsolete, in: batch.owner)
    }
  }

  /// Stores a push; the hashes of its messages.
  mutating func keep(_ push: ConfigPush) throws -> [String] {
    try push.messages.map { message in
      if let same = stored.first(where: { $0.name == push.name && $0.message == message }) {
        return same.hash
      }
      milliseconds += 1
      let hash = "hash\(milliseconds)"
      stored.append((push.name, hash, message, try now))
      return hash
    }
  }

  /// Gives a device all there is of a config.
  @discardableResult
  func give(_ name: ConfigName, to store: ConfigStore) throws -> ConfigMerge {
    try store.merge(messages(name), into: name, at: now)
  }

  /// All there is of a config.
  func messages(_ name: ConfigName) -> [ConfigMessage] {
    stored.filter { $0.name == name }.map {
      ConfigMessage(hash: $0.hash, stored: $0.message, storedAt: $0.time)
    }
  }
}
