import SessionCore
import SessionJobs
import SessionStorage
import Testing

@testable import SessionMessaging

// The invariants of a group once all work is done.

extension GroupHistory {
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
    // A removed member may not have learned it if another admin made a key at that moment, but reads nothing any more.
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
      #expect(try key(of: device, in: group) == key(of: devices[0], in: group), "device \(number)")
    }
    // Somebody who was invited again after they had joined counts as invited until they write.
    let accepted = Set(founders.filter { $0.status == .inviteAccepted || $0.isAdmin }.map(\.id))
    #expect(accepted.isSubset(of: views.keys))
    try await checkEntries(of: Set(views.keys), in: group)
    try await devices[0].messenger.send("the end", to: group)
    try await world.settle(rounds: 3)
    for (number, device) in devices.enumerated() {
      let view = try await device.messenger.group(group)
      let texts = view == nil ? [] : try await device.messenger.texts(in: group)
      let hasRead = texts.last == "the end"
      #expect(
        hasRead == (views[device.account.id] != nil),
        "device \(number): \(String(describing: view))")
    }
    try await checkJobs()
  }

  /// The newest key that a device has.
  private func key(of device: FileDevice, in group: Conversation.ID) throws -> [UInt8]? {
    guard case .group(let id) = group else { return nil }
    return try device.messenger.author.openingKeys(of: id).first?.reveal()
  }

  /// An entry that a device shows in a conversation.
  private struct Entry: Hashable, CustomStringConvertible {
    let author: SessionID
    let sentAt: Int64
    let kind: MessageView.Kind
    let body: String

    var description: String { "\(author.short) \(sentAt) \(kind) \(body)" }
  }

  /// The messages and notes that a device shows, without what concerns this device alone.
  private func entries(of device: FileDevice, in group: Conversation.ID) async throws -> [Entry] {
    try await device.messenger.messages(in: group, limit: 1000).compactMap { message in
      if case .failed = message.state { return nil }
      switch message.kind {
      case .note(.invited), .note(.leaving), .note(.leavingFailed): return nil
      default: break
      }
      return Entry(
        author: message.author, sentAt: message.sentAt, kind: message.kind, body: message.body)
    }
  }

  private func checkEntries(of members: Set<SessionID>, in group: Conversation.ID) async throws {
    var known: [SessionID: (number: Int, entries: Set<Entry>)] = [:]
    let founder = Set(try await entries(of: devices[0], in: group))
    for (number, device) in devices.enumerated() where members.contains(device.account.id) {
      let entries = try await entries(of: device, in: group)
      #expect(Set(entries).count == entries.count, "device \(number)")
      // A device that did not learn that its person was out of the group keeps keys and messages that the others lost.
      if let (other, there) = known[device.account.id], !departed.contains(device.account.id) {
        let (missing, more) = (there.subtracting(entries), Set(entries).subtracting(there))
        #expect(missing.isEmpty, "device \(number) lacks what \(other) has")
        #expect(more.isEmpty, "device \(other) lacks what \(number) has")
      }
      known[device.account.id] = (number, Set(entries))
      let unknown = Set(entries).subtracting(founder)
      #expect(unknown.isEmpty, "the founder lacks what \(number) has")
    }
  }

  /// No job waits for something that will not come.
  private func checkJobs() async throws {
    for (number, device) in devices.enumerated() {
      let jobs = try await unfinishedJobs(of: device).filter { $0.kind != ConfigSync.kind }
      #expect(jobs.isEmpty, "device \(number)")
    }
  }
}
