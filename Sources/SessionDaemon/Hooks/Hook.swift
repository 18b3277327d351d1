package import SessionMessaging

/// A program that is run for each event.
package struct Hook: Hashable, Sendable {
  /// What becomes of an event for which the program failed as often as it may.
  package enum Failing: String, CaseIterable, Sendable {
    /// It is kept with the dead events of the hook.
    case dead
    case skip
    /// The hook stops until the daemon starts again.
    case stop
  }

  package let name: String
  /// The absolute path of the program, and its arguments.
  package let command: [String]
  /// The names of the accounts; nil for all.
  package var accounts: Set<String>?
  package var kinds: Set<MessengerEvent.Kind> = [.messageReceived]
  /// The conversations; nil for all.
  package var conversations: Set<Conversation.ID>?
  /// True for messages of others only.
  package var isIncoming = true
  /// True if strangers' messages are included.
  package var includesRequests = false
  /// How many programs run at a time; events of one conversation are always handled one after the other.
  package var concurrency = 1
  package var timeout = Duration.seconds(30)
  package var tries = 3
  /// The delay before the second try; it doubles with each further one.
  package var delay = Duration.seconds(10)
  package var failing = Failing.dead
  /// True if what the program writes is sent as an answer.
  package var replies = false
  /// The working folder.
  package var folder = "/"
  package var environment: [String: String] = [:]

  package static let maxCount = 64
  package static let maxConcurrency = 16
  package static let maxDelay = Duration.seconds(600)

  package init(_ name: String, _ command: [String]) {
    self.name = name
    self.command = command
  }

  /// The name of its reader.
  var reader: String { "hook:" + name }

  var filter: EventFilter {
    EventFilter(
      kinds: kinds, conversations: conversations, isIncoming: isIncoming ? true : nil,
      includesRequests: includesRequests)
  }

  /// The delay after a number of tries.
  func delay(after tries: Int) -> Duration {
    min(Self.maxDelay, delay * (1 << min(max(tries - 1, 0), 16)))
  }

  /// True for the name of a hook, and of its file.
  package static func isName(_ text: String) -> Bool { text.isPlainName(upTo: 59, marks: "._-") }
}
