public import SessionCore

/// A message that a node stores for an account.
public struct SwarmMessage: Hashable, Sendable {
  public let hash: String
  public let data: [UInt8]
  /// The time when it was stored.
  public let storedAt: MessageTime
  /// When the node deletes it.
  public let expiresAt: MessageTime

  public init(hash: String, data: [UInt8], storedAt: MessageTime, expiresAt: MessageTime) {
    self.hash = hash
    self.data = data
    self.storedAt = storedAt
    self.expiresAt = expiresAt
  }

  init(_ stored: Storage.StoredData) {
    self.init(hash: stored.hash, data: stored.data, storedAt: stored.timestamp, expiresAt: stored.expiry)
  }
}

extension SwarmMessage {
  /// The tolerance for a node's clock, and the longest lifetime of a message, in milliseconds.
  private static let (mostAhead, mostKept): (UInt64, UInt64) = (60_000, 30 * 24 * 3_600_000)

  /// The message with a time that is possible now. Nodes can claim any time; keys and configs of groups, which expire
  /// by it, must not go because of one.
  public func plausible(at now: MessageTime) -> SwarmMessage {
    let latest = now.milliseconds + Self.mostAhead
    let earliest = now.milliseconds - min(now.milliseconds, Self.mostKept)
    guard !(earliest...latest).contains(storedAt.milliseconds),
      let time = try? MessageTime(milliseconds: min(max(storedAt.milliseconds, earliest), latest))
    else { return self }
    return SwarmMessage(hash: hash, data: data, storedAt: time, expiresAt: expiresAt)
  }
}

/// Data to store in a swarm.
public struct SwarmItem: Hashable, Sendable {
  public let namespace: StorageNamespace
  public let data: [UInt8]
  /// The lifetime, at least ``shortestLifetime``.
  public let lifetime: Duration

  /// Nodes refuse shorter lifetimes.
  public static let shortestLifetime = Duration.seconds(10)

  public init(_ data: [UInt8], in namespace: StorageNamespace = .messages, for lifetime: Duration) {
    self.data = data
    self.namespace = namespace
    self.lifetime = max(lifetime, Self.shortestLifetime)
  }

  /// Its hash in the swarm of an account.
  public func hash(in swarm: SessionID) -> String {
    Storage.Store(data, to: swarm, in: namespace, lifetime: lifetime).hash
  }
}
