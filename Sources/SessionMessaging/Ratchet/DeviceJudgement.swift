import SessionCore
import SessionStorage

/// Decides which devices of an account are trusted, by what they published. A value without any access to rows, so that
/// every case can be tested.
///
/// Time alone gives no device a say over others: a thief of the recovery phrase can publish new devices, but neither
/// vouch for them nor remove the owner's.
struct DeviceJudgement {
  /// What changed, for notes and for verification.
  enum Change: Hashable {
    case added([UInt8], isEndorsed: Bool)
    case removed([UInt8])
    case suspended([UInt8])
    case disagreement
  }

  /// The number of endorsed devices that are remembered of one device.
  static let maxEndorsed = 32

  private(set) var devices: [RatchetDeviceRecord]
  private(set) var changes: [Change] = []
  /// True if an unlisted device was contradicted.
  private(set) var hasContradiction = false
  private let now: Int64
  private let account: String
  /// The newest bundles, by device.
  private var bundles: [[UInt8]: RatchetBundle] = [:]

  init(of account: String, _ devices: [RatchetDeviceRecord], at now: Int64) {
    self.account = account
    self.devices = devices
    self.now = now
    for device in devices { bundles[device.device] = device.currentBundle() }
  }

  /// Takes the bundles that were found. On first use all are trusted. Devices of another account are not in here.
  mutating func take(_ found: [PublishedBundle], isFirstUse: Bool) {
    for published in found { take(published, isFirstUse: isFirstUse) }
    endorse()
    remove()
    contradict()
    settle()
  }

  private mutating func take(_ published: PublishedBundle, isFirstUse: Bool) {
    let bundle = published.bundle
    guard let index = devices.firstIndex(where: { $0.device == bundle.device }) else {
      guard devices.count(where: { $0.status != .removed }) < RatchetDeviceRecord.limit else { return }
      var device = RatchetDeviceRecord(
        bundle.device, of: account, isFirstUse ? .accepted : .provisional, at: now)
      if isFirstUse { device.settledAt = now }
      device.take(published, at: now)
      devices.append(device)
      bundles[bundle.device] = bundle
      if !isFirstUse, !bundle.isWithdrawal { changes.append(.added(bundle.device, isEndorsed: false)) }
      return
    }
    var device = devices[index]
    if isFirstUse, device.status == .provisional {
      // Known by a message of its own until now.
      (device.status, device.settledAt) = (.accepted, now)
    }
    defer { devices[index] = device }
    guard device.bundle != published.bytes else {
      device.fetchedAt = now
      return
    }
    guard Int64(clamping: bundle.sequence) > device.sequence else { return }
    if let known = bundles[bundle.device], !known.isWithdrawal, !bundle.isWithdrawal {
      // A generation has the same prekeys for ever, and generations go up.
      guard bundle.generation >= known.generation,
        bundle.generation > known.generation || bundle.hasPrekeys(of: known)
      else { return }
    }
    device.take(published, at: now)
    bundles[bundle.device] = bundle
  }

  // MARK: Vouching

  /// True if a device ever listed another one, or listed one that vouches for it. Only accepted devices in between count.
  private func vouches(_ device: RatchetDeviceRecord, for other: [UInt8]) -> Bool {
    listed(from: [device]).contains(other)
  }

  /// What these devices ever listed, and what the accepted ones among that listed.
  private func listed(from devices: [RatchetDeviceRecord]) -> Set<[UInt8]> {
    var (seen, left): (Set<[UInt8]>, [RatchetDeviceRecord]) = ([], devices)
    while let next = left.popLast() {
      for key in next.endorsed where seen.insert(key).inserted {
        left += self.devices.filter { $0.device == key && $0.status == .accepted }
      }
    }
    return seen
  }

  /// Accepts what accepted devices list.
  private mutating func endorse() {
    while let index = devices.indices.first(where: { isEndorsed(devices[$0]) }) {
      let key = devices[index].device
      // Later than it was seen, unlike those that were trusted on first use.
      (devices[index].status, devices[index].settledAt) = (
        .accepted, max(now, devices[index].firstSeenAt + 1)
      )
      changes.removeAll { $0 == .added(key, isEndorsed: false) }
      changes.append(.added(key, isEndorsed: true))
    }
  }

  /// True for a device that is not accepted yet, and that an accepted one lists. What was suspended has to be listed now,
  /// and no device that was ever accepted may disagree: the user decided that, or will.
  private func isEndorsed(_ device: RatchetDeviceRecord) -> Bool {
    let accepted = devices.filter { $0.status == .accepted }
    guard !accepted.contains(where: { removes($0, device) }) else { return false }
    switch device.status {
    case .accepted, .removed: return false
    case .provisional: return accepted.contains { $0.endorsed.contains(device.device) }
    case .suspended:
      let isDisputed = devices.contains { other in
        other.hadSay && (removes(other, device) || removes(device, other))
      }
      return !isDisputed && accepted.contains { bundles[$0.device]?.roster.contains(device.device) == true }
    }
  }

  /// The devices that the newest bundle of a device declares removed, without those that the user accepted nevertheless.
  private func removals(by device: RatchetDeviceRecord) -> [[UInt8]] {
    let overruled = device.overruled.keys + [device.device]
    return (bundles[device.device]?.removed ?? []).filter { !overruled.contains($0) }
  }

  /// True if the newest bundle of a device declares another one removed.
  private func removes(_ device: RatchetDeviceRecord, _ other: RatchetDeviceRecord) -> Bool {
    device.device != other.device && removals(by: device).contains(other.device)
  }

  // MARK: Removing

  private mutating func remove() {
    let removing = devices.filter { $0.status == .accepted }.map { ($0, removals(by: $0)) }
    var (removed, disagreeing): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
    for (device, list) in removing {
      for other in devices where list.contains(other.device) && other.status != .removed {
        let answers = removing.contains { $0.0.device == other.device && $0.1.contains(device.device) }
        if other.status != .accepted || (vouches(other, for: device.device) && !answers) {
          removed.insert(other.device)
        } else {
          disagreeing.formUnion([device.device, other.device])
        }
      }
    }
    for index in devices.indices {
      let key = devices[index].device
      if disagreeing.contains(key) {
        devices[index].status = .suspended
      } else if removed.contains(key) {
        (devices[index].status, devices[index].removedAt) = (.removed, now)
        changes.append(.removed(key))
      }
    }
    if !disagreeing.isEmpty { changes.append(.disagreement) }
    if !removed.isEmpty { disown(removed) }
  }

  /// Makes devices provisional again that nothing vouches for but removed ones, directly or through each other.
  private mutating func disown(_ removed: Set<[UInt8]>) {
    let former = listed(from: devices.filter { removed.contains($0.device) })
    let firm = devices.filter { $0.status == .accepted && !$0.isEndorsedOnly }
    let vouchedFor = listed(from: firm).union(firm.map(\.device))
    for index in devices.indices where devices[index].status == .accepted {
      let key = devices[index].device
      guard former.contains(key), !vouchedFor.contains(key) else { continue }
      devices[index].beginAgain(at: now)
    }
  }

  // MARK: Contradicting

  /// Suspends devices that an accepted one, which knows of them, does not list.
  private mutating func contradict() {
    for index in devices.indices where devices[index].status == .provisional {
      guard isContradicted(devices[index], by: { $0.status == .accepted }) else { continue }
      devices[index].status = .suspended
      hasContradiction = true
      changes.append(.suspended(devices[index].device))
    }
  }

  private func isContradicted(
    _ device: RatchetDeviceRecord, by isMeant: (RatchetDeviceRecord) -> Bool
  ) -> Bool {
    devices.contains { other in
      guard isMeant(other), other.device != device.device, let bundle = bundles[other.device],
        !bundle.isWithdrawal
      else { return false }
      return other.signedAt >= device.firstSeenAt + Ratchet.Time.day && !bundle.roster.contains(device.device)
    }
  }

  private mutating func settle() {
    for index in devices.indices where devices[index].status == .provisional {
      let device = devices[index]
      guard device.settledAt == nil, device.isLive(at: now),
        now - device.firstSeenAt >= Ratchet.Time.settling,
        !isContradicted(device, by: { $0.status != .removed && $0.isLive(at: now) })
      else { continue }
      devices[index].settledAt = now
    }
  }
}

extension RatchetDeviceRecord {
  /// True if it is accepted, or was so before its account's devices disagreed.
  fileprivate var hadSay: Bool { status == .accepted || (status == .suspended && settledAt != nil) }

  /// True if it was accepted because another device listed it, and neither on first use nor by the user.
  fileprivate var isEndorsedOnly: Bool { settledAt.map { $0 > firstSeenAt } ?? true }

  /// Accepts it because the user said so.
  mutating func accept(at now: Int64) {
    (status, firstSeenAt, settledAt) = (.accepted, now, now)
  }

  fileprivate mutating func beginAgain(at now: Int64) {
    status = .provisional
    (firstSeenAt, settledAt) = (now, nil)
  }

  /// Takes a newer bundle.
  fileprivate mutating func take(_ published: PublishedBundle, at now: Int64) {
    let bundle = published.bundle
    sequence = Int64(clamping: bundle.sequence)
    signedAt = Int64(clamping: bundle.signedAtSeconds) * 1000
    self.bundle = published.bytes
    (slot, fetchedAt) = (published.slot, now)
    guard !bundle.isWithdrawal else { return }
    capabilities = Int64(bitPattern: bundle.capabilities.rawValue)
    let known = endorsed.filter { !bundle.roster.contains($0) }
    roster = Array((known + bundle.roster).suffix(DeviceJudgement.maxEndorsed).joined())
  }
}
