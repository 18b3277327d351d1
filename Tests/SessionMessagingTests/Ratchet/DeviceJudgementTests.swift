import SessionCore
import Testing

@testable import SessionMessaging
@testable import SessionStorage

/// The table that says whom to trust, without any network.
@Suite struct DeviceJudgementTests {
  private static let now: Int64 = 1_800_000_000_000
  private let account: Account

  init() throws { account = try .generate() }

  /// A device that publishes.
  private final class Publisher {
    let device: RatchetDevice
    let account: Account
    let slot: Int
    private let prekeys: RatchetPrekeys
    private var sequence: UInt64 = 0

    init(_ account: Account, slot: Int) throws {
      self.account = account
      self.slot = slot
      device = try RatchetDevice(of: account, seed: .random(count: 32), createdAtSeconds: 1)
      prekeys = try .generate(1, oneTimeCount: 0)
    }

    var id: [UInt8] { device.id }

    func publish(
      at time: Int64, listing others: [[UInt8]] = [], removing removed: [[UInt8]] = []
    ) throws -> PublishedBundle {
      sequence += 1
      let bundle = try RatchetBundle(
        prekeys, sequence: sequence, signedAtSeconds: UInt64(time / 1000),
        capabilities: [.receives, .closedRoster], roster: [id] + others, removed: removed)
      let bytes = try bundle.bytes(of: device, of: account)
      return PublishedBundle(
        bundle: try RatchetBundle(opening: bytes, of: account.id, atSeconds: UInt64(time / 1000)),
        bytes: bytes,
        slot: slot)
    }
  }

  private func publisher(_ slot: Int) throws -> Publisher { try Publisher(account, slot: slot) }

  private func judged(
    _ known: [RatchetDeviceRecord], _ found: [PublishedBundle], at time: Int64 = now, isFirstUse: Bool = false
  ) -> DeviceJudgement {
    var judgement = DeviceJudgement(of: account.id.description, known, at: time)
    judgement.take(found, isFirstUse: isFirstUse)
    return judgement
  }

  private func status(_ judgement: DeviceJudgement, _ publisher: Publisher) -> RatchetDeviceRecord.Status? {
    judgement.devices.first { $0.device == publisher.id }?.status
  }

  @Test func onFirstUseAllAreTrusted() throws {
    let (one, other) = (try publisher(0), try publisher(1))
    let judgement = judged(
      [], [try one.publish(at: Self.now), try other.publish(at: Self.now)], isFirstUse: true)
    #expect(judgement.devices.map(\.status) == [.accepted, .accepted])
    #expect(judgement.changes.isEmpty)
  }

  @Test func aLaterDeviceIsProvisionalUntilAnAcceptedOneListsIt() throws {
    let (one, other) = (try publisher(0), try publisher(1))
    let first = judged([], [try one.publish(at: Self.now)], isFirstUse: true)
    let second = judged(first.devices, [try other.publish(at: Self.now, listing: [one.id])])
    #expect(status(second, other) == .provisional)
    #expect(second.changes == [.added(other.id, isEndorsed: false)])
    let third = judged(second.devices, [try one.publish(at: Self.now + 1000, listing: [other.id])])
    #expect(status(third, other) == .accepted)
    #expect(third.changes == [.added(other.id, isEndorsed: true)])
  }

  @Test func vouchingGoesOverDevicesThatWereListedBefore() throws {
    let (one, middle, last) = (try publisher(0), try publisher(1), try publisher(2))
    let first = judged([], [try one.publish(at: Self.now)], isFirstUse: true)
    let second = judged(
      first.devices,
      [
        try one.publish(at: Self.now, listing: [middle.id]),
        try middle.publish(at: Self.now, listing: [last.id]),
        try last.publish(at: Self.now),
      ])
    #expect(status(second, last) == .accepted)
  }

  @Test func aThiefsDeviceIsSuspendedOnceTheOwnersPublishesAgain() throws {
    let (owner, thief) = (try publisher(0), try publisher(1))
    let first = judged([], [try owner.publish(at: Self.now)], isFirstUse: true)
    let second = judged(first.devices, [try thief.publish(at: Self.now, listing: [owner.id])])
    let soon = Self.now + Ratchet.Time.day - 1000
    #expect(status(judged(second.devices, [try owner.publish(at: soon)], at: soon), thief) == .provisional)
    let late = Self.now + Ratchet.Time.day
    let third = judged(second.devices, [try owner.publish(at: late)], at: late)
    #expect(status(third, thief) == .suspended && third.hasContradiction)
    #expect(third.changes == [.suspended(thief.id)])
  }

  @Test func timeAloneGivesADeviceNoSay() throws {
    let (owner, thief) = (try publisher(0), try publisher(1))
    let first = judged([], [try owner.publish(at: Self.now)], isFirstUse: true)
    let second = judged(first.devices, [try thief.publish(at: Self.now)])
    let late = Self.now + Ratchet.Time.settling
    let third = judged(second.devices, [try thief.publish(at: late, removing: [owner.id])], at: late)
    #expect(status(third, thief) == .provisional && status(third, owner) == .accepted)
    #expect(third.devices.first { $0.device == thief.id }?.isSettled == true)
  }

  @Test func aDisputedDeviceDoesNotSettle() throws {
    let (owner, thief) = (try publisher(0), try publisher(1))
    var known = judged([], [try owner.publish(at: Self.now)], isFirstUse: true).devices
    (known[0].status, known[0].settledAt) = (.provisional, nil)
    known = judged(known, [try thief.publish(at: Self.now)]).devices
    let late = Self.now + Ratchet.Time.settling
    let judgement = judged(known, [try owner.publish(at: late), try thief.publish(at: late)], at: late)
    #expect(judgement.devices.allSatisfy { !$0.isSettled })
  }

  @Test func anAcceptedDeviceRemovesWhatVouchesForIt() throws {
    let (one, lost) = (try publisher(0), try publisher(1))
    let first = judged(
      [],
      [try one.publish(at: Self.now, listing: [lost.id]), try lost.publish(at: Self.now, listing: [one.id])],
      isFirstUse: true)
    let second = judged(first.devices, [try one.publish(at: Self.now, removing: [lost.id])])
    #expect(status(second, lost) == .removed && status(second, one) == .accepted)
    #expect(second.changes == [.removed(lost.id)])
    // For ever, whatever it publishes.
    let third = judged(second.devices, [try lost.publish(at: Self.now, listing: [one.id])])
    #expect(status(third, lost) == .removed)
  }

  @Test func devicesThatDoNotVouchForEachOtherQuarrel() throws {
    let (one, other) = (try publisher(0), try publisher(1))
    let first = judged(
      [], [try one.publish(at: Self.now), try other.publish(at: Self.now)], isFirstUse: true)
    let second = judged(first.devices, [try one.publish(at: Self.now, removing: [other.id])])
    #expect(second.devices.map(\.status) == [.suspended, .suspended])
    #expect(second.changes == [.disagreement])
  }

  @Test func devicesThatRemoveEachOtherQuarrel() throws {
    let (one, other) = (try publisher(0), try publisher(1))
    let first = judged(
      [],
      [
        try one.publish(at: Self.now, listing: [other.id]),
        try other.publish(at: Self.now, listing: [one.id]),
      ],
      isFirstUse: true)
    let second = judged(
      first.devices,
      [
        try one.publish(at: Self.now, removing: [other.id]),
        try other.publish(at: Self.now, removing: [one.id]),
      ])
    #expect(second.devices.map(\.status) == [.suspended, .suspended])
  }

  @Test func whatARemovedDeviceHadListedAloneBeginsAgain() throws {
    let (one, lost, planted) = (try publisher(0), try publisher(1), try publisher(2))
    let first = judged(
      [],
      [try one.publish(at: Self.now, listing: [lost.id]), try lost.publish(at: Self.now, listing: [one.id])],
      isFirstUse: true)
    let second = judged(
      first.devices,
      [try lost.publish(at: Self.now, listing: [one.id, planted.id]), try planted.publish(at: Self.now)])
    #expect(status(second, planted) == .accepted)
    let third = judged(
      second.devices, [try one.publish(at: Self.now + 1000, removing: [lost.id])], at: Self.now + 2000)
    #expect(status(third, lost) == .removed && status(third, planted) == .provisional)
    #expect(third.devices.first { $0.device == planted.id }?.firstSeenAt == Self.now + 2000)
  }

  @Test func anOlderBundleOrOtherKeysOfAGenerationChangeNothing() throws {
    let one = try publisher(0)
    let older = try one.publish(at: Self.now)
    let newer = try one.publish(at: Self.now + 1000)
    let known = judged([], [newer], isFirstUse: true)
    #expect(judged(known.devices, [older]).devices == known.devices)
    // The same device and generation with other prekeys: only the device itself could sign that.
    let other = try RatchetBundle(
      .generate(1), sequence: 9, signedAtSeconds: UInt64(Self.now / 1000), capabilities: [.receives],
      roster: [one.id]
    ).bytes(of: one.device, of: account)
    let forged = PublishedBundle(
      bundle: try RatchetBundle(opening: other, of: account.id, atSeconds: UInt64(Self.now / 1000)),
      bytes: other,
      slot: 0)
    #expect(judged(known.devices, [forged]).devices == known.devices)
  }

  @Test func noMoreThanSixteenDevicesAreKept() throws {
    var known: [RatchetDeviceRecord] = []
    for number in 0..<18 {
      known =
        judged(known, [try publisher(number % 8).publish(at: Self.now)], isFirstUse: number == 0).devices
    }
    #expect(known.count == RatchetDeviceRecord.limit)
  }

  /// Devices that only a thief's had listed, and that list each other, do not keep each other.
  @Test func whatARemovedDeviceHadListedVouchesForNothing() throws {
    let (one, lost) = (try publisher(0), try publisher(1))
    let (planted, other) = (try publisher(2), try publisher(3))
    let first = judged(
      [],
      [try one.publish(at: Self.now, listing: [lost.id]), try lost.publish(at: Self.now, listing: [one.id])],
      isFirstUse: true)
    let second = judged(
      first.devices,
      [
        try lost.publish(at: Self.now, listing: [one.id, planted.id]),
        try planted.publish(at: Self.now, listing: [other.id]),
        try other.publish(at: Self.now, listing: [planted.id]),
      ])
    #expect(status(second, planted) == .accepted && status(second, other) == .accepted)
    let third = judged(second.devices, [try one.publish(at: Self.now + 1000, removing: [lost.id])])
    #expect(status(third, planted) == .provisional && status(third, other) == .provisional)
    // Nor later, when the removed one publishes again.
    let fourth = judged(
      third.devices,
      [try one.publish(at: Self.now + 2000, removing: [lost.id]), try lost.publish(at: Self.now + 2000)])
    #expect(status(fourth, planted) == .provisional && status(fourth, other) == .provisional)
  }

  /// The devices of somebody that have quarrelled, after the user has chosen the second one.
  private func quarrel(
    _ one: Publisher, _ other: Publisher, witnessedBy third: Publisher? = nil
  ) throws -> [RatchetDeviceRecord] {
    let all = [one, other] + (third.map { [$0] } ?? [])
    let first = judged(
      [],
      try all.map { device in
        try device.publish(at: Self.now, listing: all.filter { $0.id != device.id }.map(\.id))
      }, isFirstUse: true)
    let second = judged(
      first.devices,
      [
        try one.publish(at: Self.now, removing: [other.id]),
        try other.publish(at: Self.now, removing: [one.id]),
      ])
    #expect(status(second, one) == .suspended && status(second, other) == .suspended)
    return second.devices
  }

  @Test func whatTheUserDecidedInAQuarrelLasts() throws {
    let (one, other) = (try publisher(0), try publisher(1))
    var devices = try quarrel(one, other)
    let index = try #require(devices.firstIndex { $0.device == other.id })
    devices[index].accept(at: Self.now)
    for day in 1...3 as ClosedRange<Int64> {
      let time = Self.now + day * Ratchet.Time.day
      let judgement = judged(
        devices,
        [
          try one.publish(at: time, removing: [other.id]), try other.publish(at: time, removing: [one.id]),
        ], at: time)
      #expect(status(judgement, other) == .accepted && status(judgement, one) == .removed)
      #expect(!judgement.changes.contains(.disagreement))
      devices = judgement.devices
    }
  }

  /// A device that still lists both does not begin the quarrel again, before and after the decision.
  @Test func aThirdDeviceDoesNotEndAQuarrel() throws {
    let (one, other, third) = (try publisher(0), try publisher(1), try publisher(2))
    var devices = try quarrel(one, other, witnessedBy: third)
    let again = judged(devices, [try third.publish(at: Self.now + 1000, listing: [one.id, other.id])])
    #expect(again.changes.isEmpty && again.devices.count { $0.status == .suspended } == 2)
    devices = again.devices
    let index = try #require(devices.firstIndex { $0.device == other.id })
    devices[index].accept(at: Self.now)
    let decided = judged(
      devices, [try third.publish(at: Self.now + 2000, listing: [one.id, other.id])])
    #expect(status(decided, other) == .accepted && status(decided, one) != .accepted)
    #expect(!decided.changes.contains(.disagreement))
  }

  @Test func bothDevicesOfAQuarrelCanBeAccepted() throws {
    let (one, other, third) = (try publisher(0), try publisher(1), try publisher(2))
    var devices = try quarrel(one, other)
    for index in devices.indices {
      devices[index].accept(at: Self.now)
      devices[index].overruled = devices[index].device == one.id ? other.id : one.id
    }
    for day in 1...3 as ClosedRange<Int64> {
      let time = Self.now + day * Ratchet.Time.day
      let judgement = judged(
        devices,
        [
          try one.publish(at: time, removing: [other.id, third.id]),
          try other.publish(at: time, removing: [one.id]), try third.publish(at: time),
        ], at: time)
      #expect(status(judgement, one) == .accepted && status(judgement, other) == .accepted)
      #expect(!judgement.changes.contains(.disagreement))
      // What the user did not overrule holds.
      #expect(status(judgement, third) == .removed)
      devices = judgement.devices
    }
  }
}
