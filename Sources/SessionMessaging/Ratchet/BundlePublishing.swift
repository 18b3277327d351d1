import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Keeps this device's bundle in its slot, and watches the slots of the account.
struct BundlePublishing: JobKind {
  static let kind = "bundlePublishing"
  static let queue = BundleFetching.queue
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]
  static let timesAreDelays = true

  var uniqueKey: String? { "" }

  /// How long the swarm keeps a bundle.
  static let lifetime = Duration.seconds(30 * 86_400)
  /// How often the slots are read, and how long after a bundle was stored, in milliseconds.
  static let interval = Ratchet.Time.hour
  static let check: Int64 = 30_000
  /// How long after its first store a device may find that another one took the slot at once, in milliseconds.
  static let race = 10 * check
}

extension Ratchet {
  /// What the slots of the account need.
  private enum Publication: Sendable {
    case store([UInt8], slot: Int)
    /// Forward secrecy was switched off.
    case withdraw([UInt8], slot: Int)
    case nothing
    /// Forward secrecy is off, and nothing of this device is left.
    case over
    /// All slots belong to other devices.
    case full
  }

  func makeBundlePublishing() -> JobHandler {
    JobHandler(BundlePublishing.self) { [self] _, job in
      let found = try await readBundles(of: own, askingAll: true)
      await context.learnTime()
      let now = try time()
      let publication = try await job.write { [self] transaction in
        try plan(found, at: now, in: transaction)
      }
      switch publication {
      case .over: return .done
      case .full:
        environment.log(.warn, .account, "no-slot-for-device")
        return .again(at: jobTime + BundlePublishing.interval)
      case .nothing: return .again(at: jobTime + BundlePublishing.interval)
      case .withdraw(let bytes, let slot):
        try await store(bytes, in: slot)
        return .done { [self] transaction in
          guard var row = try transaction.ratchetSelf() else { return }
          row.publishedAt = nil
          try transaction.put(row)
          try transaction.replaceRatchetPrekeys(at: jobTime)
        }
      case .store(let bytes, let slot):
        try await store(bytes, in: slot)
        let digest = try Self.digest(of: bytes)
        return .again(at: jobTime + BundlePublishing.check) { [self] transaction in
          guard var row = try transaction.ratchetSelf(), row.bundleDigest == digest else { return }
          let isFirst = row.publishedAt == nil
          row.publishedAt = jobTime
          try transaction.put(row)
          if isFirst { try transaction.tell(.securityChanged, MessengerEvent.Content(), at: now) }
        }
      }
    }
  }

  private func store(_ bytes: [UInt8], in slot: Int) async throws {
    let item = SwarmItem(bytes, in: StorageNamespace.bundles[slot], for: BundlePublishing.lifetime)
    try await environment.swarms.perform([.store(item)], in: own, as: .account(account)).check()
  }

  private func plan(
    _ found: [PublishedBundle], at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws -> Publication {
    let isOn = try transaction.forwardSecrecy() != .off
    let isPublished = try transaction.ratchetSelf()?.publishedAt != nil
    guard isOn || isPublished else { return .over }
    var row = try obtainSelf(in: transaction)
    guard try !isForeign(row) else { return .over }
    let device = try row.device(of: account).id
    let mine = found.filter { $0.bundle.device == device }
    if mine.contains(where: { isFromLater($0, than: row) }) {
      // This database is an older copy, and what was published since is used with keys that it does not have.
      environment.log(.warn, .account, "device-state-is-old")
      let sequence = mine.map { Int64(clamping: $0.bundle.sequence) }.max() ?? row.sequence
      try renewIdentity(in: transaction)
      guard var new = try transaction.ratchetSelf() else { return .over }
      new.sequence = sequence
      try transaction.put(new)
      row = new
    }
    try take(
      found.filter { $0.bundle.device != device }, of: own, isComplete: true, at: now, in: transaction)
    if try hasLostRace(for: row, found, mine, in: transaction) { row.slot = nil }
    guard let slot = try row.slot ?? freeSlot(among: found, for: device, in: transaction) else {
      return .full
    }
    row.slot = slot
    guard isOn else {
      return .withdraw(try makeWithdrawal(&row, at: now, in: transaction), slot: slot)
    }
    let stored = mine.last { $0.slot == slot }?.bundle
    if stored == nil, found.contains(where: { $0.slot == slot }), let storedAt = row.publishedAt {
      // Somebody with the recovery phrase uses the slot. It is taken back, but not as often as they can do the same.
      environment.log(.warn, .account, "slot-was-taken")
      guard jobTime - storedAt >= BundlePublishing.interval else { return .nothing }
      try transaction.tell(.devicesChanged, MessengerEvent.Content(person: own), at: now)
    }
    let isStated =
      try row.publishedAt != nil && stored.map { try isCurrent($0, row, in: transaction) } ?? false
    guard try !isStated || needsRotation(row, in: transaction) else { return .nothing }
    return .store(try makeBundle(&row, at: now, in: transaction), slot: slot)
  }

  /// True if two devices took the same slot at once, and this one has to move on: it finds the other one there at its first
  /// look, or later a linked one with a lower key. Against all others it keeps its slot.
  private func hasLostRace(
    for row: RatchetSelfRecord, _ found: [PublishedBundle], _ mine: [PublishedBundle],
    in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard !mine.contains(where: { $0.slot == row.slot }),
      let other = found.first(where: { $0.slot == row.slot })
    else { return false }
    let isNew = row.publishedAt.map { jobTime - $0 < BundlePublishing.race } ?? true
    guard row.sequence > 1 || !isNew else { return true }
    let device = try row.device(of: account).id
    return try transaction.ratchetDevice(other.bundle.device)?.status == .accepted
      && other.bundle.device.lexicographicallyPrecedes(device)
  }

  /// True for a bundle that this device signed, and of which this database knows nothing.
  private func isFromLater(_ published: PublishedBundle, than own: RatchetSelfRecord) -> Bool {
    let sequence = Int64(clamping: published.bundle.sequence)
    guard sequence >= own.sequence else { return false }
    return sequence > own.sequence || (try? Self.digest(of: published.bytes)) != own.bundleDigest
  }

  /// The lowest slot that no other device uses.
  private func freeSlot(
    among found: [PublishedBundle], for device: [UInt8], in transaction: borrowing WriteTransaction
  ) throws -> Int? {
    let removed = Set(
      try transaction.ratchetDevices(of: own.address).filter { $0.status == .removed }.map(\.device))
    let taken = found.filter { published in
      !published.bundle.isWithdrawal && published.bundle.device != device
        && !removed.contains(published.bundle.device)
    }.map(\.slot)
    return StorageNamespace.bundles.indices.first { !taken.contains($0) }
  }
}

extension WriteTransaction {
  /// Has the bundle of this device published again, now or after a while.
  func requestPublishing(at now: Int64, after delay: Int64 = 0) throws {
    try enqueue(BundlePublishing(), delay > 0 ? .at(now + delay) : JobRequest(), at: now)
  }
}
