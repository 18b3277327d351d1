import SessionBase
import SessionCore
import SessionMessaging

/// What a client learns about an account besides its events. Signals are not stored: a newer one replaces an older one about
/// the same subject that was not written yet.
package struct Signal: Hashable, Sendable {
  /// What signals are about.
  package enum Kind: String, CaseIterable, Sendable {
    case account
    case jobs
    case network
    case transfer
    case typing
  }

  /// What a signal is about: the newest about one is enough.
  struct Subject: Hashable, Sendable {
    let account: String
    let kind: Kind
    /// The file or conversation, where there are several in an account.
    let part: String
  }

  let subject: Subject
  let members: [JSONValue.Member]

  /// The state of an account.
  init(_ account: ServedAccount) {
    subject = Subject(account: account.name, kind: .account, part: "")
    members = [.init("state", .string(account.state))]
  }

  init(_ signal: MessengerSignal, of account: String) {
    let (kind, part): (Kind, String)
    switch signal {
    case .typing(let person, let isTyping):
      (kind, part) = (.typing, person.description)
      members = [
        .init("chat", .string(person.description)), .init("person", .string(person.description)),
        .init("state", .boolean(isTyping)),
      ]
    case .transfer(let message, let number, let done, let total):
      (kind, part) = (.transfer, "\(message.rawValue) \(number)")
      members = [
        .init("message", .integer(message.rawValue)), .init("number", .integer(Int64(number))),
        .init("done", .integer(done)), .init("total", .integer(total)),
      ]
    case .network(let isReachable):
      (kind, part) = (.network, "")
      members = [.init("state", .string(isReachable ? "connected" : "disconnected"))]
    case .jobs(let waiting, let failed):
      (kind, part) = (.jobs, "")
      members = [.init("waiting", .integer(Int64(waiting))), .init("failed", .integer(Int64(failed)))]
    }
    subject = Subject(account: account, kind: kind, part: part)
  }
}

extension MessengerSignal.Kind {
  /// The kinds of a messenger among those that a client wants.
  static func wanted(_ kinds: Set<Signal.Kind>) -> Set<MessengerSignal.Kind> {
    Set(
      kinds.compactMap { kind in
        switch kind {
        case .account: nil
        case .jobs: .jobs
        case .network: .network
        case .transfer: .transfer
        case .typing: .typing
        }
      })
  }
}
