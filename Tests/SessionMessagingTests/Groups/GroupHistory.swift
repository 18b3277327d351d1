import Foundation
import SeededNumbers
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// A random history of one group: its admins invite, promote and remove members, who leave, return and write. Nodes refuse,
/// die and fall behind, replies are lost or late, and programs end between any two commits.
final class GroupHistory {
  let world = World()
  private var random: SeededGenerator
  /// The founder, the other admin and one of the members have two devices each.
  private(set) var devices: [FileDevice] = []
  private(set) var group: Conversation.ID?
  private var said = 0
  private(set) var crashes = 0
  private(set) var acts = 0
  /// People who may have been out of the group for a while.
  private(set) var departed: Set<SessionID> = []
  /// Acts, and messages, that were allowed.
  private(set) var successes = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private func chance(_ percent: Int) -> Bool { pick(100) < percent }

  /// Five people who know each other. The first one creates the group and makes the second an admin.
  func begin() async throws {
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let accounts = try (0..<5).map { _ in try Account.generate() }
    let people = accounts.map(\.id)
    func start(_ owners: [Int]) async throws {
      for owner in owners {
        let (number, account) = (devices.count, accounts[owner])
        let isFirst = !devices.contains { $0.account.id == account.id }
        devices.append(try await FileDevice(of: account, at: "\(world.folder)/\(number).db", in: world))
        if isFirst { try await introduce(owner, among: people, on: devices[number].messenger) }
      }
    }
    try await start([0, 0, 1, 1])
    let created = try await devices[0].messenger.createGroup(
      GroupDraft(name: "Trip", members: [accounts[1].id]))
    group = created
    if chance(50) { try await devices[0].restart(in: world) }
    try await world.settle(upTo: 20) { [devices] in
      try await devices[0].messenger.members(of: created).allSatisfy {
        [.inviteAccepted, .promotionAccepted].contains($0.status)
      }
    }
    try await devices[0].messenger.promote([accounts[1].id], in: created)
    try await world.settle(upTo: 20) { [devices] in
      try await devices[3].messenger.group(created)?.isAdmin == true
    }
    try await start([2, 2, 3, 4])
  }

  /// Gives a person a name, and the others as contacts who have accepted each other.
  private func introduce(_ number: Int, among people: [SessionID], on messenger: Messenger) async throws {
    try await messenger.setName("Person \(number)")
    try await messenger.author.edit { configs, _ in
      for (other, id) in people.enumerated() where other != number {
        try configs.contacts.update(id) { contact in
          contact.name = "Person \(other)"
          contact.isApproved = true
          contact.hasApprovedMe = true
        }
      }
    } writing: { _, _, _ in
    }
  }

  /// One step, with the faults of that moment.
  func step() async throws {
    if chance(20) { faults() }
    if chance(8) { kill() }
    if chance(30) { world.swarms.setHolding(false) }
    world.swarms.setHolding(true)
    switch pick(10) {
    case 0...3: await act()
    case 4, 5: await say()
    case 6, 7:
      world.clock.advance(by: Int64(pick(20_000)))
      await devices[pick(devices.count)].messenger.poll()
    case 8:
      world.swarms.setHolding(false)
      try await world.settle(rounds: 2)
    default: try await crash()
    }
  }

  private func faults() {
    let namespaces = [StorageNamespace.groupKeys, .groupInfo, .groupMembers, .groupMessages]
    world.swarms.failNamespaces(chance(30) ? [namespaces[pick(4)]] : [])
    let (seed, percent) = (random.next(), pick(40))
    let generator = Mutex(SeededGenerator(seed: seed))
    world.swarms.decide { _, _ in
      let (number, kind, time) = generator.withLock { generator in
        (
          Int.random(in: 0..<100, using: &generator), Int.random(in: 0..<6, using: &generator),
          Int64.random(in: 0..<120_000, using: &generator)
        )
      }
      guard number < percent else { return .done }
      switch kind {
      case 0: return .refused(NetworkFailure(.transient, "no path"))
      case 1: return .lost
      case 2: return .held
      case 3: return .answeredLate
      case 4: return .cutOff(after: Int(time % 4))
      default: return .doneLate(time)
      }
    }
  }

  /// Has a node of the group or of a person not answer for up to two minutes.
  private func kill() {
    var swarms = devices.map(\.account.id)
    if case .group(let id) = group { swarms += [id, id, id] }
    world.swarms.kill(
      pick(2), of: swarms[pick(swarms.count)], for: Int64(pick(120_000)),
      catchingUpAfter: Int64(pick(60_000)))
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
    if kind == 2 { departed.insert(person) }
    if kind == 5 { departed.insert(devices[device].account.id) }
    // Of two notes of one type and time, each device shows the first one: the other may be forged.
    world.clock.advance(by: 100)
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

  /// Lets everything that is left be done: until nothing has happened for some minutes.
  func end() async throws {
    world.swarms.decide { _, _ in .done }
    world.swarms.failNamespaces([])
    world.swarms.setHolding(false)
    var quiet = 0
    for _ in 0..<80 where quiet < 4 {
      let changes = world.swarms.changes
      world.clock.advance(by: 60_000)
      try await world.settle(rounds: 1)
      var isQuiet = world.swarms.changes == changes && !world.swarms.hasFaultsLeft
      for device in devices where isQuiet { isQuiet = try await unfinishedJobs(of: device).isEmpty }
      quiet = isQuiet ? quiet + 1 : 0
    }
  }

  /// The work for the group that a device has left.
  func unfinishedJobs(of device: FileDevice) async throws -> [JobStatus] {
    let kinds = [
      GroupCreation.kind, GroupInviting.kind, GroupPromoting.kind, GroupRemoval.kind, GroupLeaving.kind,
      MemberMarks.kind, Delivery.kind, ConfigSync.kind,
    ]
    return try await device.messenger.jobs().jobs.filter { job in
      kinds.contains(job.kind) && ![.failed, .setAside].contains(job.state)
    }
  }

  func stop() async { await world.stop() }
}
