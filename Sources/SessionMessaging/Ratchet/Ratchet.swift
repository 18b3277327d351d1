import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Forward secrecy in messages to people: this device's prekeys, the devices of others, and the sessions with them.
///
/// All changes of sessions happen inside one write transaction, from rows loaded in it. No object holds a session across
/// transactions.
final class Ratchet: AccountPart {
  /// Times in milliseconds.
  enum Time {
    static let minute: Int64 = 60_000
    static let hour: Int64 = 60 * minute
    static let day: Int64 = 24 * hour
    /// How old the bundle of a device may be that gets messages.
    static let live = 31 * day
    /// How long a bundle is used after it was fetched.
    static let usable = 48 * hour
    /// How long a bundle is not fetched again.
    static let fresh = 24 * hour
    /// How long it counts that nothing is published.
    static let absent = hour
    /// How long a new device is watched before it settles.
    static let settling = 14 * day
    /// How long devices that nothing vouches for are held after one of them was contradicted.
    static let wary = 30 * day
    /// How long devices have to be silent before another protocol counts as a move to it.
    static let silence = 72 * hour
    /// How long an account may give no sign of life before the protocol is left.
    static let longestSilence = 60 * day
  }

  let context: AccountContext
  /// Where the account keeps its files; nil in memory.
  let folder: String?

  var handlers: [JobHandler] {
    [
      makeBundlePublishing(), makeBundleFetching(), makeRatchetUpkeep(), makeLateSealing(), makeLogEmptying(),
    ]
  }

  init(_ context: AccountContext, folder: String?) {
    self.context = context
    self.folder = folder
  }
}

extension Reading where Self: ~Copyable {
  /// This device, with its keys; nil if it takes no part in the protocol.
  func ownDevice(of account: Account) throws -> RatchetDevice? {
    try ratchetSelf().map { own in try own.device(of: account) }
  }

  /// The other devices of our own account that this one was linked with, and that live.
  func siblings(of own: SessionID, at now: Int64) throws -> [RatchetDeviceRecord] {
    try ratchetDevices(of: own.address).filter { $0.status == .accepted && $0.isLive(at: now) }
  }
}

extension RatchetSelfRecord {
  func device(of account: Account) throws(SessionError) -> RatchetDevice {
    try RatchetDevice(of: account, seed: deviceSeed, createdAtSeconds: UInt64(clamping: createdAt / 1000))
  }
}

extension RatchetDeviceRecord {
  /// How a message begins that takes a bundle back.
  private static let withdrawalPrefix = Array("d0:1:T".utf8)

  /// True if its owner took it out of the protocol.
  var isWithdrawn: Bool { bundle?.starts(with: Self.withdrawalPrefix) ?? false }

  /// True if it published prekeys not long ago.
  func isLive(at now: Int64) -> Bool { bundle != nil && !isWithdrawn && now - signedAt <= Ratchet.Time.live }

  var allows: RatchetBundle.Capabilities {
    RatchetBundle.Capabilities(rawValue: UInt64(bitPattern: capabilities))
  }

  /// True if it says that it and all other devices of its account take part.
  var takesPart: Bool { allows.isSuperset(of: [.receives, .closedRoster]) }

  /// Its newest bundle, which was verified when it was received; nil if it has none.
  func currentBundle() -> RatchetBundle? {
    guard let bundle, let id = SessionID(account) else { return nil }
    return try? RatchetBundle(opening: bundle, of: id, atSeconds: UInt64(clamping: signedAt / 1000))
  }

  /// The devices that it ever endorsed.
  var endorsed: [[UInt8]] { roster.keys }
}

extension [UInt8] {
  /// The keys of 32 bytes that these bytes are made of.
  var keys: [[UInt8]] {
    stride(from: 0, to: count - count % 32, by: 32).map { Array(self[$0..<$0 + 32]) }
  }
}
