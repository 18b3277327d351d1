import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking

/// The people and groups that an account knows: how they are shown, and which of them a word means.
///
/// People and admins of groups choose the names. So a name finds only accepted contacts and joined groups, and a nickname,
/// which the account's owner chose, comes first. A name that is a prefix of another one is ambiguous: renaming must not
/// capture an abbreviation. Only the commands about requests resolve names of message requests.
struct Directory: Sendable {
  /// The kinds of conversation that a name may refer to.
  enum Scope: Sendable {
    case conversations
    case contacts
    case groups
    case requests
  }

  /// Before a nickname, it excludes all names that people give themselves.
  private static let nicknamePrefix = "nick:"

  /// The number of columns of a name.
  private static let nameWidth = 32

  let own: SessionID
  private let entries: [Entry]
  private let names: [SessionID: String]
  /// The people with whom the account has written through communities, by their ids there.
  private let met: [SessionID: CommunityPersonView]
  /// Who moderates the rooms that are shown.
  private let roles: [Conversation.ID: RoomRoles]

  /// People in these groups and rooms are shown by their names, too, and former members whose messages are there.
  init(of messenger: Messenger, showing conversations: [Conversation.ID] = []) async throws {
    var met: [SessionID: String] = [:]
    var roles: [Conversation.ID: RoomRoles] = [:]
    let groups = try await messenger.groups()
    for id in Set(conversations) where id.account == nil || groups.contains(where: { $0.id == id }) {
      met.merge(try await messenger.names(in: id)) { first, _ in first }
      if case .room = id { roles[id] = try await messenger.roles(inRoom: id) }
    }
    let people = try await messenger.communityPeople()
    met.merge(people.map { ($0.id, $0.name) }) { first, _ in first }
    self.init(own: messenger.id, try await messenger.contacts(), groups, met, people, roles)
  }

  init(
    own: SessionID, _ contacts: [ContactView], _ groups: [GroupView] = [], _ met: [SessionID: String] = [:],
    _ people: [CommunityPersonView] = [], _ roles: [Conversation.ID: RoomRoles] = [:]
  ) {
    self.own = own
    self.roles = roles
    self.met = Dictionary(people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    entries = contacts.map(Entry.init) + groups.compactMap(Entry.init)
    let counts = Dictionary(
      entries.filter(\.isAccepted).map { ($0.nameKey, 1) }, uniquingKeysWith: +)
    let known = entries.filter { !$0.nameKey.isEmpty }.map { entry in
      // Show the id with a name unless exactly one contact or group has that name.
      let isTheirs = entry.isAccepted && counts[entry.nameKey] == 1
      return (entry.id, Self.shown(entry.shownName, of: entry.id, isTheirs: isTheirs))
    }
    let others = met.filter { !$0.value.isEmpty }.map { person, name in
      (person, Self.shown(name, of: person, isTheirs: false))
    }
    names = Dictionary(known + others, uniquingKeysWith: { first, _ in first })
  }

  private static func shown(_ name: String, of id: SessionID, isTheirs: Bool) -> String {
    let shown = DisplayText.fitted(DisplayText.line(name), to: nameWidth)
    guard !NameKey(name).isReserved else { return "\"\(shown)\" (\(id.abbreviated))" }
    return isTheirs ? shown : "\(shown) (\(id.abbreviated))"
  }

  /// The name to show for a person or group: `me`, a nickname, a name, or the beginning and end of the id. The id stands
  /// behind the name of a person who is no contact, of a group that the account has not joined, and behind names that
  /// several of them have.
  func name(_ id: SessionID) -> String {
    id == own ? "me" : names[id] ?? id.abbreviated
  }

  /// What somebody may do in a room that is shown beyond what its members may; nil for members, and elsewhere.
  func role(of person: SessionID, in conversation: Conversation.ID) -> CommunityRole? {
    roles[conversation].map { $0.role(of: person) }.flatMap { $0 == .member ? nil : $0 }
  }

  /// The name to show for a conversation: that of the person or group, or the address of a room.
  func name(_ conversation: Conversation.ID) -> String {
    conversation.account.map { name($0) } ?? DisplayText.line(conversation.description)
  }

  /// The warning before the first message of a conversation; nil for a contact or group.
  func warning(beforeWritingTo conversation: Conversation.ID) -> String? {
    guard case .person(let person) = conversation, person != own else { return nil }
    guard met[person] == nil else { return nil }
    guard let contact = entries.first(where: { $0.id == person }) else {
      return "\(person.abbreviated) is not a contact: this is sent as a message request"
    }
    return contact.isAccepted ? nil : "this accepts the message request of \(name(person))"
  }

  /// The names for completion: each is unique and has one line.
  func completions(in scope: Scope = .conversations) -> [String] {
    let names = candidates(in: scope).filter { $0.isAccepted && !$0.isBlocked }.map(\.shownName).filter {
      name in
      let meant = meant(by: NameKey(name), in: scope).first { !$0.isEmpty }
      return meant?.count == 1 && DisplayText.line(name) == name && !name.isEmpty && !name.hasPrefix("-")
    }
    return (scope == .groups ? [] : ["me"]) + names.sorted()
  }

  // MARK: - Finding

  /// Returns the conversation of a word: `me`, an id, the address of a room, a nickname, the name of a contact or group, an
  /// unambiguous beginning of one of these, or a registered name that was resolved.
  func conversation(_ word: String, _ io: CommandIO) throws(CommandFailure) -> Conversation.ID {
    if word.contains("://"), let room = try? Conversation.ID(parsing: word) { return room }
    let id = try find(word, io, in: .conversations)
    guard let conversation = Conversation.ID(id) else { throw unknown(word, NameKey(word), .conversations) }
    return conversation
  }

  /// Returns the person of a word; groups are not looked at.
  func person(_ word: String, _ io: CommandIO, in scope: Scope = .contacts) throws(CommandFailure)
    -> SessionID
  {
    try find(word, io, in: scope)
  }

  /// Returns the group of a word; people are not looked at.
  func group(_ word: String, _ io: CommandIO) throws(CommandFailure) -> Conversation.ID {
    .group(try find(word, io, in: .groups))
  }

  private func find(_ word: String, _ io: CommandIO, in scope: Scope) throws(CommandFailure) -> SessionID {
    let key = NameKey(word)
    if key.text == "me", scope != .groups { return own }
    if let id = try? SessionID(parsing: word) { return try known(id, word, scope) }
    guard !key.isEmpty else { throw .usage("a name is missing") }
    if let name = RegisteredNames.name(in: word) {
      guard let id = io.names.account(of: name) else {
        throw CommandFailure(
          status: .noUser, message: "'\(DisplayText.line(word))' was not looked up",
          advice: "run: session net name \(DisplayText.line(name)), and give the account id")
      }
      return try known(id, word, scope)
    }
    if word.hasPrefix(Self.nicknamePrefix) {
      let nickname = NameKey(String(word.dropFirst(Self.nicknamePrefix.count)))
      let named = candidates(in: scope).filter { $0.hasNickname(nickname) }
      guard let only = named.first else { throw unknown(word, key, scope) }
      guard named.count == 1 else { throw ambiguous(word, named) }
      return only.id
    }
    guard !Self.isCutID(word) else {
      throw CommandFailure(
        status: .noUser, message: "'\(word)' is not a whole id: it has \(word.count) of 66 digits")
    }
    guard io.settings.recipients == .names else {
      throw CommandFailure(
        status: .noUser, message: "'\(DisplayText.line(word))' is no id, and names are switched off",
        advice: "Give an id, or run: session config set recipients names")
    }
    for found in meant(by: key, in: scope) {
      guard let only = found.first else { continue }
      guard found.count == 1 else { throw ambiguous(word, found) }
      return only.id
    }
    throw unknown(word, key, scope)
  }

  private func candidates(in scope: Scope) -> [Entry] {
    switch scope {
    case .conversations: entries
    case .contacts: entries.filter { !$0.isGroup }
    case .groups: entries.filter(\.isGroup)
    case .requests: entries.filter { !$0.isGroup && !$0.isAccepted && !$0.isBlocked }
    }
  }

  /// The first that is not empty decides.
  private func meant(by key: NameKey, in scope: Scope) -> [[Entry]] {
    let candidates = candidates(in: scope)
    guard scope != .requests else {
      return [candidates.filter { $0.hasNickname(key) || NameKey($0.name) == key }]
    }
    let accepted = candidates.filter(\.isAccepted)
    // A blocked contact, or a group that has ended, takes the name of no other one.
    let heard = accepted.filter { !$0.isBlocked }
    let abbreviated = heard.filter { $0.begins(with: key) }
    // Everybody may call themselves what others are abbreviated to: then all of them may be meant.
    func named(among entries: [Entry]) -> [Entry] {
      let named = entries.filter { $0.isNamed(key) }
      return named.isEmpty ? [] : named + abbreviated.filter { !$0.isNamed(key) }
    }
    return [
      candidates.filter { $0.hasNickname(key) }, named(among: heard), named(among: accepted),
      abbreviated, accepted.filter { $0.begins(with: key) },
    ]
  }

  /// An id as it is; one that is almost a known one is a slip.
  private func known(_ id: SessionID, _ word: String, _ scope: Scope) throws(CommandFailure) -> SessionID {
    let isGroup = id.kind == .group
    // The id of somebody in a community is theirs until their account has answered.
    if id.isBlinded, scope == .conversations || scope == .contacts { return met[id]?.account ?? id }
    switch scope {
    case .conversations where id.kind == .standard || isGroup: break
    case .conversations:
      throw .data(
        "\(word) is a \(id.kind)",
        advice: "People's ids begin with \(SessionID.Kind.standard.prefix), those of groups with "
          + "\(SessionID.Kind.group.prefix).")
    case .groups where isGroup: break
    case .groups:
      throw .data(
        "\(word) is not the id of a group",
        advice: "Groups' ids begin with \(SessionID.Kind.group.prefix): 'session group list' shows them.")
    case .contacts where id.kind == .standard, .requests where id.kind == .standard: break
    case .requests where isGroup:
      throw .data(
        "\(word) is a \(id.kind)",
        advice: "'session group accept' and 'session group decline' answer the invitation to a group.")
    case .contacts, .requests:
      throw .data(
        "\(word) is a \(id.kind)", advice: "People's ids begin with \(SessionID.Kind.standard.prefix).")
    }
    guard id != own, !entries.contains(where: { $0.id == id }) else { return id }
    let digits = id.description.utf8
    let near = (entries.map(\.id) + [own]).map { near in
      (id: near, differences: zip(digits, near.description.utf8).count { $0 != $1 })
    }
    if let nearest = near.min(by: { $0.differences < $1.differences }), nearest.differences <= 2 {
      throw CommandFailure(
        status: .noUser,
        message: "this id differs from the id of \(name(nearest.id)) in "
          + (nearest.differences == 1 ? "one digit" : "two digits"),
        advice: "Compare them; the id of \(name(nearest.id)) is \(nearest.id)")
    }
    // Anyone can write to a person, but only members to a group.
    guard !isGroup else {
      throw CommandFailure(
        status: .noUser, message: "you are in no group with the id \(id)",
        advice: "'session group list' shows your groups.")
    }
    return id
  }

  /// True for an id of which digits are missing, or which has too many.
  private static func isCutID(_ word: String) -> Bool {
    [SessionID.Kind.standard, .group, .blinded15, .blinded25].contains { word.hasPrefix($0.prefix) }
      && word.utf8.count >= 50
      && word.allSatisfy(\.isHexDigit)
  }

  // MARK: - Failures

  private func ambiguous(_ word: String, _ meant: [Entry]) -> CommandFailure {
    let shown = meant.prefix(10).map { entry in
      "  \(entry.id)  \(DisplayText.line(entry.shownName))" + (entry.isGroup ? "  (group)" : "")
    }
    let rest = meant.count > shown.count ? ["  and \(meant.count - shown.count) more"] : []
    let groups = meant.count(where: \.isGroup)
    let what = groups == 0 ? "people" : groups == meant.count ? "groups" : "conversations"
    let advice = groups == meant.count ? "Give the id:" : "Give the id, or a nickname:"
    return CommandFailure(
      status: .noUser, message: "'\(DisplayText.line(word))' may mean \(meant.count) \(what)",
      advice: ([advice] + shown + rest).joined(separator: "\n"), detail: .ambiguous)
  }

  private func unknown(_ word: String, _ key: NameKey, _ scope: Scope) -> CommandFailure {
    let word = DisplayText.line(word)
    let what: String
    let lists: String
    switch scope {
    case .requests:
      return CommandFailure(
        status: .noUser, message: "no message request is from '\(word)'",
        advice: "Give the whole name, or the id, as 'session requests list' shows them.")
    case .conversations:
      (what, lists) = ("contact or group", "'session contacts list' or 'session group list' shows")
    case .contacts: (what, lists) = ("contact", "'session contacts list' shows")
    case .groups: (what, lists) = ("group", "'session group list' shows")
    }
    let candidates = candidates(in: scope)
    let asking = candidates.filter { !$0.isAccepted && !$0.isBlocked && NameKey($0.name) == key }
    if let first = asking.first {
      guard !first.isGroup else {
        return CommandFailure(
          status: .noUser, message: "no \(what) is called '\(word)'; an invitation uses that name",
          advice:
            "Anyone can choose any name. Check who invites you with 'session group list' and give the id.")
      }
      return CommandFailure(
        status: .noUser, message: "no \(what) is called '\(word)'; a message request uses that name",
        advice:
          "Anyone can choose any name. Check the sender with 'session requests list' and accept the request first."
      )
    }
    let known = candidates.filter(\.isAccepted).map { DisplayText.line($0.shownName) }
    let hint = nearestName(to: word, among: known).map { "; did you mean \($0)?" } ?? ""
    return CommandFailure(
      status: .noUser, message: "no \(what) is called '\(word)'\(hint)",
      advice: "Give an id, or a name as \(lists) it; ons:NAME is a name registered in the network.")
  }
}

/// A person or group of the directory.
private struct Entry {
  let id: SessionID
  let name: String
  let nickname: String?
  /// True for people whose name the account trusts to be theirs, and for groups that it has joined.
  let isAccepted: Bool
  /// True for blocked people, and for groups that have ended.
  let isBlocked: Bool

  init(_ contact: ContactView) {
    (id, name, nickname) = (contact.id, contact.name, contact.nickname)
    (isAccepted, isBlocked) = (contact.isApproved, contact.isBlocked)
  }

  init?(_ group: GroupView) {
    guard case .group(let id) = group.id else { return nil }
    (self.id, name, nickname) = (id, group.name, nil)
    isAccepted = group.standing != .invited
    isBlocked = [.kicked, .destroyed].contains(group.standing)
  }

  var isGroup: Bool { id.kind == .group }

  var shownName: String {
    if let nickname, !nickname.isEmpty { return nickname }
    return name
  }

  var nameKey: NameKey { NameKey(shownName) }

  func hasNickname(_ key: NameKey) -> Bool { nickname.map(NameKey.init) == key }

  /// True if they call themselves that.
  func isNamed(_ key: NameKey) -> Bool {
    let name = NameKey(name)
    return name == key && !name.isReserved
  }

  /// True if that is the beginning of their nickname, name or id.
  func begins(with key: NameKey) -> Bool {
    let names = [nickname.map { NameKey($0).text } ?? "", NameKey(name).text, id.description]
    return names.contains { $0.hasPrefix(key.text) }
  }
}

extension SessionID {
  /// Its beginning and its end, for people.
  var abbreviated: String { "\(description.prefix(4))…\(description.suffix(4))" }
}
