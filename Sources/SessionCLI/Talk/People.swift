import SessionCore
import SessionMessaging

/// The people an account knows: what they are called, and who is meant by a name.
struct People: Sendable {
  let own: SessionID
  private let contacts: [ContactView]
  private let names: [SessionID: String]

  init(of messenger: Messenger) async throws {
    own = messenger.id
    contacts = try await messenger.contacts()
    names = Dictionary(
      contacts.compactMap { contact in Self.name(of: contact).map { (contact.id, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  private static func name(of contact: ContactView) -> String? {
    if let nickname = contact.nickname, !nickname.isEmpty { return nickname }
    return contact.name.isEmpty ? nil : contact.name
  }

  /// What to call somebody, for eyes.
  func name(_ person: SessionID) -> String {
    person == own ? "me" : DisplayText.line(names[person] ?? person.abbreviated)
  }

  /// Whoever a word means: an id, `me`, a nickname, a name, or the beginning of one of these that fits one person alone.
  func person(_ word: String) throws(CommandFailure) -> SessionID {
    if word == "me" { return own }
    if let id = try? SessionID(parsing: word) {
      guard id.kind == .standard else {
        throw .data(
          "\(word) is a \(id.kind)", advice: "People's ids begin with \(SessionID.Kind.standard.prefix).")
      }
      return id
    }
    guard !word.isEmpty else { throw .usage("a name is missing") }
    let folded = word.lowercased()
    for isMeant in Self.rules {
      let meant = contacts.filter { contact in isMeant(contact, folded) }
      guard let only = meant.first else { continue }
      guard meant.count == 1 else { throw ambiguous(word, meant) }
      return only.id
    }
    throw unknown(word)
  }

  /// The first of these that fits anybody decides.
  private static let rules: [@Sendable (ContactView, String) -> Bool] = [
    { $0.nickname?.lowercased() == $1 },
    { $0.name.lowercased() == $1 },
    { contact, word in
      contact.nickname?.lowercased().hasPrefix(word) == true || contact.name.lowercased().hasPrefix(word)
        || contact.id.description.hasPrefix(word)
    },
  ]

  private func ambiguous(_ word: String, _ meant: [ContactView]) -> CommandFailure {
    let shown = meant.prefix(10).map { "  \($0.id)  \(name($0.id))" }
    let rest = meant.count > shown.count ? ["  and \(meant.count - shown.count) more"] : []
    return .usage(
      "'\(word)' may mean \(meant.count) people", advice: (shown + rest).joined(separator: "\n"))
  }

  private func unknown(_ word: String) -> CommandFailure {
    let near = nearestName(to: word, among: Array(names.values)).map(DisplayText.line)
    let hint = near.map { "; did you mean \($0)?" } ?? ""
    return CommandFailure(
      status: .noUser, message: "nobody is called '\(word)'\(hint)",
      advice: "Give an id, or a name as 'session contacts list' shows it.")
  }
}

extension SessionID {
  /// Its beginning and its end, for people.
  var abbreviated: String { "\(description.prefix(4))…\(description.suffix(4))" }
}
