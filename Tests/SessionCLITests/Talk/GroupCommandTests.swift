import Foundation
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionMessaging

/// Commands about a group of a real account. The group came with the configs of the account; no network is there.
@Suite(.timeLimit(.minutes(10))) struct GroupCommandTests {
  private static let bob = Example.bobID
  private static let carol = "05" + String(repeating: "c", count: 64)

  private let program: Program
  private let key: GroupAdminKey
  private var id: String { key.group.description }

  init() throws {
    program = try .atHome()
    key = try GroupAdminKey(seed: SecretBytes(copying: (0..<32).map { _ in UInt8.random(in: 0...255) }))
  }

  private func run(_ words: String...) throws -> Program.Outcome { try program.start(words).outcome() }

  private func output(_ words: String...) throws -> String {
    let outcome = try program.start(words).outcome()
    try #require(outcome.status == 0, "\(words): \(outcome.messages)")
    return outcome.output
  }

  private func json(_ words: String...) throws -> [[String: Any]] {
    let outcome = try program.start(words + ["--json"]).outcome()
    try #require(outcome.status == 0, "\(words): \(outcome.messages)")
    return try expectForms(inLines: outcome.output, writtenBy: words)
  }

  private func withAlice<R: Sendable>(_ body: (Messenger) async throws -> R) async throws -> R {
    try await GroupInAccount(key: key, home: program.folder).open(body)
  }

  /// An account that is in a group with Bob and Carol.
  private func prepare(named name: String = "Trip") async throws {
    let group = GroupInAccount(key: key, home: program.folder)
    try await Messenger.make(
      .generate(), in: group.folder(), MessengerEnvironment(swarms: UnreachableSwarms()))
    try await group.found(named: name, with: [Self.bob, Self.carol])
    try await withAlice { alice in
      try await alice.context.database.write { transaction in
        try transaction.put(ProfileRecord(Self.carol, name: "Carol", updatedAt: 0))
      }
    }
  }

  /// Puts a message or a note of a member into the group.
  private func put(
    by author: String, _ body: String? = nil, _ note: MessageView.Note? = nil,
    at time: Int64 = 1_700_000_000_000
  ) async throws {
    try await withAlice { alice in
      try alice.context.database.write { [key] transaction in
        let thread = try #require(try transaction.thread(at: key.group.address))
        var row = InteractionRecord(
          in: thread.id, by: author, note?.kind ?? .incoming, body: body, sentAt: time, receivedAt: time,
          state: .received)
        row.info = note?.info
        _ = try transaction.insert(row)
      }
    }
  }

  @Test func groupsAndTheirMembersAreListed() async throws {
    try await prepare()
    let groups = try json("group", "list")
    #expect(groups.map { $0["conversation"] as? String } == [id])
    #expect(groups.map { $0["name"] as? String } == ["Trip"])
    #expect(groups.map { $0["standing"] as? String } == ["joined"])
    #expect(groups.map { $0["members"] as? Int } == [3])
    #expect(try output("group", "list").contains("Trip"))
    #expect(try json("group", "show", "trip").map { $0["conversation"] as? String } == [id])
    #expect(try output("group", "show", id).contains(id))
    let members = try json("group", "members", "Trip")
    #expect(Set(members.compactMap { $0["id"] as? String }).isSuperset(of: [Self.bob, Self.carol]))
    #expect(members.allSatisfy { $0["conversation"] as? String == id })
    #expect(try output("group", "members", "Trip").contains(Self.carol))
  }

  @Test func aGroupStandsWhereAContactCan() async throws {
    try await prepare()
    try await put(by: Self.bob, "Who brings the tent?")
    let shown = try json("show", "trip")
    #expect(shown.map { $0["body"] as? String } == ["Who brings the tent?"])
    #expect(shown.map { $0["conversation"] as? String } == [id])
    #expect(shown.map { $0["from"] as? String } == [Self.bob])
    #expect(try output("show", "trip").contains(try SessionID(parsing: Self.bob).abbreviated))
    // A name that its owner chose is shown with the id.
    try await put(by: Self.carol, "I do", at: 1_700_000_000_001)
    #expect(try output("show", "trip").contains("Carol (05cc…cccc)"))
    #expect(try json("show", "trip").last?["from_name"] as? String == "Carol (05cc…cccc)")
    #expect(try json("search", "tent", "--in", "trip").count == 1)
    #expect(try json("attachment", "list", "trip").isEmpty)
    let chats = try json("chats")
    #expect(chats.map { $0["conversation"] as? String } == [id])
    #expect(chats.map { $0["kind"] as? String } == ["group"])
    let list = try output("chats")
    #expect(list.contains("Carol (\(try SessionID(parsing: Self.carol).abbreviated)): I do"))
  }

  @Test func formerMembersKeepTheirNames() async throws {
    try await prepare()
    let dave = "05" + String(repeating: "d", count: 64)
    try await put(by: dave, "Goodbye")
    try await withAlice { alice in
      try await alice.context.database.write { transaction in
        try transaction.put(ProfileRecord(dave, name: "Dave", updatedAt: 0))
        _ = try transaction.collectGarbage(
          GarbageRules(at: 1_700_000_000_000, own: alice.id.address, keptServer: ""))
      }
    }
    #expect(try output("show", "trip").contains("Dave (05dd…dddd)"))
    #expect(try json("show", "trip").map { $0["from_name"] as? String } == ["Dave (05dd…dddd)"])
  }

  @Test func notesNameWhatHappened() async throws {
    try await prepare()
    let (bob, carol) = (try SessionID(parsing: Self.bob), try SessionID(parsing: Self.carol))
    let carolsName = "Carol (\(carol.abbreviated))"
    let own = try await withAlice { $0.id }
    let notes: [(MessageView.Note, String)] = [
      (.members(.added, [bob]), "\(bob.abbreviated) was added to the group."),
      (
        .members(.added, [bob, carol], seesHistory: true),
        "\(bob.abbreviated) and \(carolsName) were added to the group and can see earlier messages."
      ),
      (.members(.removed, [own, bob]), "You and \(bob.abbreviated) were removed from the group."),
      (.members(.removed, [bob, own, carol]), "You and 2 others were removed from the group."),
      (.members(.promoted, [own]), "You are now an admin."),
      (.members(.promoted, [bob]), "\(bob.abbreviated) is now an admin."),
      (.members(.promoted, [bob, carol]), "\(bob.abbreviated) and \(carolsName) are now admins."),
      (.members(.left, [bob]), "\(bob.abbreviated) left the group."),
      (.members(.left, [own]), "You left the group."),
      (.renamed("Hik\u{1B}e"), "The group is now called Hik\u{FFFD}e."),
      (.renamed(nil), "The group's name was changed."), (.pictureChanged, "The group's picture was changed."),
      (.leavingFailed(reason: "no network"), "Leaving the group failed: no network."),
      (.leaving(isDeleting: false), "Leaving…"), (.leaving(isDeleting: true), "Deleting the group…"),
      (
        .invited(by: carol, group: "Trip", asAdmin: true),
        "\(carolsName) invited you to Trip as an admin."
      ),
      (.timerChanged, "\(bob.abbreviated) turned off disappearing messages."),
    ]
    for (number, note) in notes.enumerated() {
      try await put(by: Self.bob, nil, note.0, at: 1_700_000_000_000 + Int64(number))
    }
    #expect(try json("show", "trip").count == notes.count)
    let shown = try output("show", "trip").split(separator: "\n").filter { $0.hasPrefix("  (") }
    #expect(shown.map(String.init) == notes.map { "  (\($0.1))" })
  }

  @Test func hostileNamesCannotDrawOnTheTerminal() async throws {
    try await prepare(named: "Tr\u{1B}[2Jip\u{202E}")
    for words in [["group", "list"], ["group", "show", id], ["chats"], ["show", id]] {
      let outcome = try program.start(words).outcome()
      #expect(outcome.status == 0)
      #expect(!(outcome.output + outcome.messages).contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
  }

  @Test func unknownGroupsAreRefusedWithAdvice() async throws {
    try await prepare()
    let other = "03" + String(repeating: "9", count: 64)
    for words in [["show", other], ["group", "show", other], ["group", "members", "bob"]] {
      let outcome = try program.start(words).outcome()
      #expect(outcome.status == 67)
      #expect(outcome.messages.contains("session group list"))
    }
  }

  @Test func aGroupThatRemovedUsSaysSo() async throws {
    try await prepare()
    try await withAlice { alice in
      try await alice.author.edit { [key] configs, _ in
        try configs.groups.update(key.group) { $0.markKicked() }
      } writing: { _, _, _ in
      }
    }
    #expect(try run("show", id).messages.contains("You were removed from this group."))
    #expect(try run("group", "show", id).messages.contains("You were removed from this group."))
    #expect(try json("group", "list").map { $0["standing"] as? String } == ["removed"])
  }

  @Test func commandsThatChangeAConversationTakeAGroup() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let group = GroupInAccount(key: key, home: home.path("."))
      try await group.found(named: "Trip", with: [Self.bob])
      let sent = try await home.json("send", "trip", "Who brings the tent?")
      #expect(sent.map { $0["conversation"] as? String } == [id])
      #expect(sent.map { $0["state"] as? String } == ["sent"])
      let number = "\(try #require(sent.first?["id"] as? Int))"
      let reaction = try await home.outcome(["react", number, "👍"])
      #expect(reaction.status == 0, "\(reaction.messages)")
      for words in [["pin", "tr"], ["mute", "trip", "8h"], ["unread", id]] {
        let outcome = try await home.outcome(words)
        #expect(outcome.status == 0, "\(words): \(outcome.messages)")
      }
      var chat = try #require(try await home.json("chats").first { $0["conversation"] as? String == id })
      #expect(chat["pinned"] as? Bool == true)
      #expect(chat["muted_until"] != nil)
      #expect(chat["marked_unread"] as? Bool == true)
      for words in [["unpin", "trip"], ["unmute", "trip"], ["read", "trip"]] {
        let outcome = try await home.outcome(words)
        #expect(outcome.status == 0, "\(words): \(outcome.messages)")
      }
      chat = try #require(try await home.json("chats").first { $0["conversation"] as? String == id })
      #expect(chat["pinned"] as? Bool == false)
      #expect(chat["muted_until"] == nil)
      #expect(chat["marked_unread"] as? Bool == false)
      let typed = try await home.outcome(["chat", "trip"], input: "I do\n")
      #expect(typed.status == 0, "\(typed.messages)")
      #expect(typed.messages.contains("This is the group Trip."))
      #expect(
        try await home.json("show", "trip").map { $0["body"] as? String } == ["Who brings the tent?", "I do"])
    }
  }

  @Test func invitationsAreAnsweredByCommand() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let group = GroupInAccount(key: key, home: home.path("."))
      try await group.found(named: "Trip", with: [Self.bob])
      for (command, isKept) in [("accept", true), ("decline", false)] {
        try await group.open { alice in
          try await alice.author.edit { [key] configs, _ in
            try configs.groups.update(key.group) { $0.membership.isInvited = true }
          } writing: { _, _, _ in
          }
        }
        #expect(try await home.json("requests", "list").map { $0["conversation"] as? String } == [id])
        let byName = try await home.outcome(["group", command, "Trip"])
        #expect(byName.status != 0 && byName.messages.contains("invit"), "\(byName.messages)")
        let outcome = try await home.outcome(["group", command, id])
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(try await home.json("requests", "list").isEmpty)
        #expect(try await home.json("group", "list").count == (isKept ? 1 : 0))
      }
      let again = try await home.outcome(["group", "accept", id])
      #expect(again.status != 0)
    }
  }
}

/// A group that the account alice of a home is in, because its configs say so.
private struct GroupInAccount: Sendable {
  let key: GroupAdminKey
  let home: URL

  func folder() throws -> AccountFolder {
    let home = home.standardizedFileURL.path
    let roots = StorageRoots(
      data: "\(home)/.local/share/session", state: "\(home)/.local/state/session",
      cache: "\(home)/.cache/session", config: "\(home)/.config/session")
    return try AccountFolder("alice", in: roots)
  }

  /// Does something with the account, as another program of the same machine does.
  func open<R: Sendable>(_ body: (Messenger) async throws -> R) async throws -> R {
    let messenger = try await Messenger.open(folder(), MessengerEnvironment(swarms: UnreachableSwarms()))
    let result: Result<R, any Error>
    do { result = .success(try await body(messenger)) } catch { result = .failure(error) }
    await messenger.stop(finishingWithin: .zero)
    return try result.get()
  }

  func found(named name: String, with others: [String]) async throws {
    try await open { alice in
      try await alice.author.edit { [key] configs, now in
        try configs.groups.update(key.group) { group in
          group.name = name
          group.adminSeed = key.seed
          group.membership.joinedAtSeconds = Int64(now.seconds)
        }
        try configs.openGroup(key.group, adminSeed: key.seed)
        let members = try others.map { try SessionID(parsing: $0) } + [alice.id]
        try configs.withGroup(key.group) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = name }
          for member in members { try group.updateMember(member) { $0.note(.inviteAccepted) } }
          try group.rekey()
        }
      } writing: { _, _, _ in
      }
      try await alice.context.database.write { [key, own = alice.id] transaction in
        let thread = try #require(try transaction.thread(at: key.group.address))
        let member = Int(GroupMember.Status.inviteAccepted.rawValue)
        try transaction.put(GroupMemberRecord(of: thread.id, own.address, isAdmin: true, status: member))
        for id in others { try transaction.put(GroupMemberRecord(of: thread.id, id, status: member)) }
      }
    }
  }
}
