import SessionBase
import SessionCore
import SessionMessaging

/// The people an account knows: how they are shown, and which person a word means.
///
/// People choose their own names. So a name finds only accepted contacts, and a nickname, which the account's owner chose,
/// comes first. A name that is a prefix of another contact's is ambiguous: renaming must not capture an abbreviation. Only
/// the commands about requests resolve names of message requests.
struct People: Sendable {
  /// The people whose names count.
  enum Scope: Sendable {
    case contacts
    case requests
  }

  /// The number of columns of a name.
  private static let nameWidth = 32

  let own: SessionID
  private let contacts: [ContactView]
  private let names: [SessionID: String]

  init(of messenger: Messenger) async throws {
    self.init(own: messenger.id, try await messenger.contacts())
  }

  init(own: SessionID, _ contacts: [ContactView]) {
    self.own = own
    self.contacts = contacts
    let accepted = contacts.filter(\.isAccepted).map(\.nameKey)
    let counts = Dictionary(accepted.map { ($0, 1) }, uniquingKeysWith: +)
    names = Dictionary(
      contacts.filter { !$0.nameKey.isEmpty }.map { contact in
        let name = DisplayText.fitted(DisplayText.line(contact.shownName), to: Self.nameWidth)
        guard !contact.nameKey.isReserved else {
          return (contact.id, "\"\(name)\" (\(contact.id.abbreviated))")
        }
        // What is not the name of one contact alone comes with the id.
        let isTheirs = contact.isAccepted && counts[contact.nameKey] == 1
        return (contact.id, isTheirs ? name : "\(name) (\(contact.id.abbreviated))")
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// The name to show for a person: `me`, a nickname, a name, or the beginning and end of the id. The id stands behind the
  /// name of a person who is no contact, and behind names that several contacts have.
  func name(_ person: SessionID) -> String {
    person == own ? "me" : names[person] ?? person.abbreviated
  }

  /// The name to show for a conversation: that of the person, or the address of a group or room.
  func name(_ conversation: Conversation.ID) -> String {
    conversation.account.map { name($0) } ?? DisplayText.line(conversation.description)
  }

  /// The warning before the first message of a conversation; nil for a contact.
  func warning(beforeWritingTo conversation: Conversation.ID) -> String? {
    guard case .person(let person) = conversation, person != own else { return nil }
    guard let contact = contacts.first(where: { $0.id == person }) else {
      return "\(person.abbreviated) is not a contact: this is sent as a message request"
    }
    return contact.isApproved ? nil : "this accepts the message request of \(name(person))"
  }

  /// The names for completion: each is unique and has one line.
  var completions: [String] {
    let names = contacts.filter { $0.isAccepted && !$0.isBlocked }.map(\.shownName).filter { name in
      let meant = contactsMeant(by: NameKey(name)).first { !$0.isEmpty }
      return meant?.count == 1 && DisplayText.line(name) == name && !name.isEmpty && !name.hasPrefix("-")
    }
    return ["me"] + names.sorted()
  }

  // MARK: - Finding

  /// Returns the person of a word: `me`, an id, a nickname, the name of a contact, or an unambiguous beginning of
  /// one of these.
  func person(_ word: String, _ io: CommandIO, in scope: Scope = .contacts) throws(CommandFailure)
    -> SessionID
  {
    let key = NameKey(word)
    if key.text == "me" { return own }
    if let id = try? SessionID(parsing: word) { return try known(id, word) }
    guard !key.isEmpty else { throw .usage("a name is missing") }
    guard !Self.isCutID(word) else {
      throw CommandFailure(
        status: .noUser, message: "'\(word)' is not a whole id: it has \(word.count) of 66 digits")
    }
    guard io.settings.recipients == .names else {
      throw CommandFailure(
        status: .noUser, message: "'\(DisplayText.line(word))' is no id, and names are switched off",
        advice: "Give an id, or run: session config set recipients names")
    }
    for candidates in scope == .contacts ? contactsMeant(by: key) : requestsMeant(by: key) {
      guard let only = candidates.first else { continue }
      guard candidates.count == 1 else { throw ambiguous(word, candidates) }
      return only.id
    }
    throw unknown(word, key, scope)
  }

  /// Returns the conversation of a word.
  func conversation(_ word: String, _ io: CommandIO) throws(CommandFailure) -> Conversation.ID {
    .person(try person(word, io))
  }

  /// The first that is not empty decides.
  private func contactsMeant(by key: NameKey) -> [[ContactView]] {
    let accepted = contacts.filter(\.isAccepted)
    // A blocked contact takes the name of no other one.
    let heard = accepted.filter { !$0.isBlocked }
    let abbreviated = heard.filter { $0.begins(with: key) }
    // Everybody may call themselves what others are abbreviated to: then all of them may be meant.
    func named(among people: [ContactView]) -> [ContactView] {
      let named = people.filter { $0.isNamed(key) }
      return named.isEmpty ? [] : named + abbreviated.filter { !$0.isNamed(key) }
    }
    return [
      contacts.filter { $0.nickname.map(NameKey.init) == key }, named(among: heard), named(among: accepted),
      abbreviated, accepted.filter { $0.begins(with: key) },
    ]
  }

  private func requestsMeant(by key: NameKey) -> [[ContactView]] {
    let asking = contacts.filter { !$0.isApproved && !$0.isBlocked }
    return [
      asking.filter { contact in
        contact.nickname.map(NameKey.init) == key || NameKey(contact.name) == key
      }
    ]
  }

  /// An id as it is; one that is almost that of a contact is a slip.
  private func known(_ id: SessionID, _ word: String) throws(CommandFailure) -> SessionID {
    guard id.kind == .standard else {
      throw .data(
        "\(word) is a \(id.kind)", advice: "People's ids begin with \(SessionID.Kind.standard.prefix).")
    }
    guard id != own, !contacts.contains(where: { $0.id == id }) else { return id }
    let digits = id.description.utf8
    for near in contacts.map(\.id) + [own] {
      let differences = zip(digits, near.description.utf8).count { $0 != $1 }
      guard differences > 2 else {
        throw CommandFailure(
          status: .noUser,
          message: "this id differs from the id of \(name(near)) in "
            + (differences == 1 ? "one digit" : "two digits"),
          advice: "Compare them; the id of \(name(near)) is \(near)")
      }
    }
    return id
  }

  /// True for an id of which digits are missing, or which has too many.
  private static func isCutID(_ word: String) -> Bool {
    word.hasPrefix(SessionID.Kind.standard.prefix) && word.utf8.count >= 50 && word.allSatisfy(\.isHexDigit)
  }

  // MARK: - Failures

  private func ambiguous(_ word: String, _ meant: [ContactView]) -> CommandFailure {
    let shown = meant.prefix(10).map { "  \($0.id)  \(DisplayText.line($0.shownName))" }
    let rest = meant.count > shown.count ? ["  and \(meant.count - shown.count) more"] : []
    return CommandFailure(
      status: .noUser, message: "'\(DisplayText.line(word))' may mean \(meant.count) people",
      advice: (["Give the id, or a nickname:"] + shown + rest).joined(separator: "\n"), detail: .ambiguous)
  }

  private func unknown(_ word: String, _ key: NameKey, _ scope: Scope) -> CommandFailure {
    let word = DisplayText.line(word)
    guard scope == .contacts else {
      return CommandFailure(
        status: .noUser, message: "no message request is from '\(word)'",
        advice: "Give the whole name, or the id, as 'session requests list' shows them.")
    }
    guard requestsMeant(by: key).allSatisfy(\.isEmpty) else {
      return CommandFailure(
        status: .noUser, message: "no contact is called '\(word)'; a message request uses that name",
        advice:
          "Anyone can choose any name. Check the sender with 'session requests list' and accept the request first."
      )
    }
    let known = contacts.filter(\.isAccepted).map { DisplayText.line($0.shownName) }
    let hint = nearestName(to: word, among: known).map { "; did you mean \($0)?" } ?? ""
    return CommandFailure(
      status: .noUser, message: "no contact is called '\(word)'\(hint)",
      advice: "Give an id, or a name as 'session contacts list' shows it.")
  }
}

extension ContactView {
  /// True for people whose name the account trusts to be theirs.
  fileprivate var isAccepted: Bool { isApproved }

  fileprivate var shownName: String {
    if let nickname, !nickname.isEmpty { return nickname }
    return name
  }

  fileprivate var nameKey: NameKey { NameKey(shownName) }

  /// True if they call themselves that.
  fileprivate func isNamed(_ key: NameKey) -> Bool {
    let name = NameKey(name)
    return name == key && !name.isReserved
  }

  /// True if that is the beginning of their nickname, name or id.
  fileprivate func begins(with key: NameKey) -> Bool {
    let names = [nickname.map { NameKey($0).text } ?? "", NameKey(name).text, id.description]
    return names.contains { $0.hasPrefix(key.text) }
  }
}

extension SessionID {
  /// Its beginning and its end, for people.
  var abbreviated: String { "\(description.prefix(4))…\(description.suffix(4))" }
}
