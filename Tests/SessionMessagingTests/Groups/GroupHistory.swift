import Foundation
import SeededNumbers
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// A random history of one group: its admins invite, promote and remove members, who leave, return and write, over nodes
/// that fail, while programs end between any two commits.
final class GroupHistory {
  let world = World()
  private var random: SeededGenerator
  /// The founder has two devices, all others have one.
  private var devices: [FileDevice] = []
  private var group: Conversation.ID?
  private var said = 0
  private(set) var crashes = 0
  private(set) var acts = 0
  /// Acts, and messages, that were allowed.
  private(set) var successes = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private func chance(_ percent: Int) -> Bool { pick(100) < percent }

  /// Five people who know each other. The first one creates the group with the second.
  func begin() async throws {
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let accounts = try (0..<5).map { _ in try Account.generate() }
    for (number, owner) in [0, 0, 1, 2, 3, 4].enumerated() {
      devices.append(
        try await FileDevice(of: accounts[owner], at: "\(world.folder)/\(number).db", in: world))
    }
    for (number, owner) in [0, 2, 3, 4, 5].enumerated() {
      try await devices[owner].messenger.setName("Person \(number)")
      for other in accounts where other.id != devices[owner].account.id {
        try await devices[owner].messenger.send("hello", to: other.id)
      }
    }
    try await world.settle(rounds: 4)
    let created = try await devices[0].messenger.createGroup(
      GroupDraft(name: "Trip", members: [accounts[1].id]))
    group = created
    if chance(50) { try await devices[0].restart(in: world) }
    try await world.settle(rounds: 6)
  }

  /// One step, with the faults of that moment.
  func step() async throws {
    if chance(20) { faults() }
    switch pick(10) {
    case 0...3: await act()
    case 4, 5: await say()
    case 6, 7:
      world.clock.advance(by: Int64(pick(20_000)))
      await devices[pick(devices.count)].messenger.poll()
    case 8: try await world.settle(rounds: 2)
    default: try await crash()
    }
  }

  private func faults() {
    let (seed, percent) = (random.next(), pick(40))
    let generator = Mutex(SeededGenerator(seed: seed))
    world.swarms.decide { _, _ in
      switch generator.withLock({ Int.random(in: 0..<100, using: &$0) }) {
      case 0..<percent / 2: .refused(NetworkFailure(.transient, "no path"))
      case percent / 2..<percent: .lost
      default: .done
      }
    }
  }

  private func say() async {
    let device = pick(devices.count)
    said += 1
    world.clock.advance(by: 100)
    await attempt(device) { [group, said] messenger in
      guard let group else { return }
      _ = try await messenger.send("\(device):\(said)", to: group)
    }
  }

  /// Somebody does something, which they may not be allowed to.
  private func act() async {
    let device = pick(devices.count)
    let person = devices[pick(devices.count)].account.id
    let (kind, hasOption, number) = (pick(8), chance(30), acts)
    acts += 1
    await attempt(device) { [group] messenger in
      guard let group else { return }
      switch kind {
      case 0, 1: try await messenger.invite([person], to: group, sharingHistory: hasOption)
      case 2: try await messenger.remove([person], from: group, deletingMessages: hasOption)
      case 3: try await messenger.promote([person], in: group)
      case 4: try await messenger.update(group) { $0.name = "Trip \(number)" }
      // The founder stays.
      case 5 where hasOption && device > 1: try await messenger.leave(group)
      case 6: try await messenger.acceptRequest(group)
      default: try await messenger.update(group) { $0.description = "\(number)" }
      }
    }
  }

  /// Runs an action on a device. It may not be allowed, and its program may end.
  private func attempt(_ number: Int, _ body: (Messenger) async throws -> Void) async {
    do {
      try await body(devices[number].messenger)
      successes += 1
    } catch is MessengerError {
      // The device knows why it cannot do that.
    } catch let error as StorageError where error.code == .closed {
      // Its program has ended.
    } catch {
      Issue.record("device \(number): \(error)")
    }
  }

  /// Ends a program after some of its next commits.
  func crash() async throws {
    let device = devices[pick(devices.count)]
    try await device.crash(afterCommits: pick(8), in: world) { messenger in
      await act()
      world.clock.advance(by: Int64(pick(4000)))
      await messenger.poll()
    }
    crashes += 1
  }

  /// Lets everything that is left be done.
  func end() async throws {
    world.swarms.decide { _, _ in .done }
    for _ in 0..<40 {
      world.clock.advance(by: 60_000)
      try await world.settle(rounds: 2)
    }
  }

  /// All devices agree about the group, and only its members read what is written now.
  func check() async throws {
    guard let group else { return }
    var views: [SessionID: [GroupMemberView]] = [:]
    for (number, device) in devices.enumerated() {
      guard try await device.messenger.group(group) != nil else { continue }
      let texts = try await device.messenger.texts(in: group)
      #expect(Set(texts).count == texts.count, "device \(number) has a message twice")
      guard try await device.messenger.group(group)?.standing == .joined else { continue }
      let members = try await device.messenger.members(of: group)
      if let other = views[device.account.id] { #expect(other == members, "device \(number)") }
      views[device.account.id] = members
    }
    guard let founders = views[devices[0].account.id] else {
      Issue.record("the founder is not in the group")
      return
    }
    // Who was removed may not have learned it, if another admin made a key at that moment; but reads nothing any more.
    let ids = Set(founders.map(\.id))
    views = views.filter { ids.contains($0.key) }
    for (person, members) in views {
      #expect(members.map(\.id) == founders.map(\.id), "the members, as \(person) sees them")
      #expect(members.map(\.status) == founders.map(\.status), "the progress, as \(person) sees it")
    }
    #expect(!founders.contains { $0.status.rawValue >= GroupMember.Status.removedUnknown.rawValue })
    let details = try await devices[0].messenger.group(group)
    for (number, device) in devices.enumerated() where views[device.account.id] != nil {
      let view = try await device.messenger.group(group)
      #expect(view?.name == details?.name && view?.description == details?.description, "device \(number)")
    }
    // Somebody who was invited again after they had joined counts as invited until they write.
    let accepted = Set(founders.filter { $0.status == .inviteAccepted || $0.isAdmin }.map(\.id))
    #expect(accepted.isSubset(of: views.keys))
    try await devices[0].messenger.send("the end", to: group)
    try await world.settle(rounds: 3)
    for (number, device) in devices.enumerated() {
      let isKnown = try await device.messenger.group(group) != nil
      let texts = isKnown ? try await device.messenger.texts(in: group) : []
      let hasRead = texts.last == "the end"
      #expect(hasRead == (views[device.account.id] != nil), "device \(number)")
    }
    try await checkJobs()
  }

  /// No job waits for something that will not come.
  private func checkJobs() async throws {
    for (number, device) in devices.enumerated() {
      let kinds = [
        GroupCreation.kind, GroupInviting.kind, GroupPromoting.kind, GroupRemoval.kind, GroupLeaving.kind,
        MemberMarks.kind, Delivery.kind,
      ]
      let jobs = try await device.messenger.jobs().jobs.filter { job in
        kinds.contains(job.kind) && ![.failed, .setAside].contains(job.state)
      }
      #expect(jobs.isEmpty, "device \(number)")
    }
  }

  func stop() async { await world.stop() }
}
