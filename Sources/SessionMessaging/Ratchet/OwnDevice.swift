import Glibc
import SessionCore
import SessionStorage

// This device's identity and prekeys.

extension Ratchet {
  /// The most one-time prekeys of a generation that are used before the next one begins early, and how long after the last
  /// one at least: strangers could force them otherwise.
  private static let mostUsed = 24
  private static let earliestRotation = 6 * Time.hour

  /// Returns this device's row, made now if there is none.
  func obtainSelf(in transaction: borrowing WriteTransaction) throws -> RatchetSelfRecord {
    if let own = try transaction.ratchetSelf() { return own }
    let own = RatchetSelfRecord(
      deviceSeed: try .random(count: 32), createdAt: jobTime, host: try host(),
      mark: try nextMark(after: [], in: transaction))
    try transaction.put(own)
    return own
  }

  /// Identifies this machine for this account. A folder that was copied to another machine must not go on there.
  func host() throws -> [UInt8] {
    var digest = ContentDigest()
    try digest.add("session host".utf8)
    try digest.add(environment.machine.utf8)
    try digest.add(own.bytes)
    return digest.bytes
  }

  /// True if the database was copied from another machine, so that its keys may be in use there.
  func isForeign(_ own: RatchetSelfRecord) throws -> Bool { try own.host != host() }

  /// Gives this device a new identity, and forgets its sessions. The old one is declared removed by the next bundle.
  func renewIdentity(in transaction: borrowing WriteTransaction) throws {
    guard let old = try transaction.ratchetSelf() else { return }
    let device = try old.device(of: account)
    var former = RatchetDeviceRecord(device.id, of: own.address, .removed, at: jobTime)
    former.removedAt = jobTime
    try transaction.put(former)
    try transaction.forgetRatchetKeys()
    var new = RatchetSelfRecord(
      deviceSeed: try .random(count: 32), createdAt: jobTime, host: try host(),
      mark: try nextMark(after: old.mark, in: transaction))
    // The slot, which is ours, and where its sequence has to go on.
    (new.slot, new.isClosed) = (old.slot, old.isClosed)
    try transaction.put(new)
  }

  /// True if a new generation of prekeys is due.
  func needsRotation(
    _ own: RatchetSelfRecord, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    guard let newest = try transaction.ratchetPrekey(own.generation), newest.replacedAt == nil else {
      return true
    }
    let age = jobTime - newest.createdAt
    if age >= Time.fresh || age < 0 { return true }
    return try age >= Self.earliestRotation
      && transaction.usedOneTimeKeys(of: own.generation) >= Self.mostUsed
  }

  /// Makes the next bundle of this device, with new prekeys if they are due. Stores what it reveals before it is
  /// published.
  func makeBundle(
    _ own: inout RatchetSelfRecord, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws -> [UInt8] {
    if try needsRotation(own, in: transaction) {
      own.generation += 1
      own.mark = try nextMark(after: own.mark, in: transaction)
      try transaction.insert(try .generate(UInt32(clamping: own.generation)), at: jobTime)
    }
    guard let prekeys = try transaction.ratchetPrekeys(UInt32(clamping: own.generation)) else {
      preconditionFailure("a generation that was made is stored")
    }
    let device = try own.device(of: account)
    let statement = try statement(of: device, own, in: transaction)
    own.sequence += 1
    let bundle = try RatchetBundle(
      prekeys, sequence: UInt64(clamping: own.sequence), signedAtSeconds: now.seconds,
      capabilities: statement.capabilities, roster: statement.roster, removed: statement.removed)
    let bytes = try bundle.bytes(of: device, of: account)
    own.bundleDigest = try Self.digest(of: bytes)
    try transaction.put(own)
    return bytes
  }

  /// What the bundle of this device says besides its prekeys.
  private struct Statement {
    let capabilities: RatchetBundle.Capabilities
    let roster: [[UInt8]]
    let removed: [[UInt8]]
  }

  private func statement(
    of device: RatchetDevice, _ own: RatchetSelfRecord, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Statement {
    let others = try transaction.ratchetDevices(of: self.own.address)
    let linked = others.filter { $0.status == .accepted }.map(\.device).suffix(RatchetBundle.maxRoster - 1)
    let removed = others.filter { $0.status == .removed }
      .sorted { ($0.removedAt ?? 0, $0.id) > ($1.removedAt ?? 0, $1.id) }.prefix(RatchetBundle.maxRemoved)
    return Statement(
      capabilities: own.isClosed ? [.receives, .closedRoster] : [.receives],
      roster: ([device.id] + linked).sorted { $0.lexicographicallyPrecedes($1) },
      removed: removed.map(\.device))
  }

  /// True if a bundle of this device says what it would say now.
  func isCurrent(
    _ bundle: RatchetBundle, _ own: RatchetSelfRecord, in transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    let statement = try statement(of: own.device(of: account), own, in: transaction)
    return !bundle.isWithdrawal && bundle.capabilities == statement.capabilities
      && bundle.roster == statement.roster && bundle.removed == statement.removed
  }

  /// Makes the message that takes this device's bundle back.
  func makeWithdrawal(
    _ own: inout RatchetSelfRecord, at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws -> [UInt8] {
    own.sequence += 1
    let bytes = try RatchetBundle(withdrawalAt: now.seconds, sequence: UInt64(clamping: own.sequence))
      .bytes(of: own.device(of: account), of: account)
    own.bundleDigest = try Self.digest(of: bytes)
    try transaction.put(own)
    return bytes
  }

  static func digest(of bytes: [UInt8]) throws -> [UInt8] {
    var digest = ContentDigest()
    try digest.add(bytes)
    return digest.bytes
  }
}

extension MessengerEnvironment {
  /// What the system calls this machine; empty if it has no such name.
  public static let machineID: String = {
    guard let file = fopen("/etc/machine-id", "re") else { return "" }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 64)
    guard fgets(&text, Int32(text.count), file) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}
