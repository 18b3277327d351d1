import SessionBase
import SessionMessaging

/// A named reader of the events of an account: what it has acknowledged is stored.
struct EventReader: Sendable {
  let name: String

  /// Names of our own readers.
  private static let reserved: Set<String> = ["receive", "ui"]
  /// The name of the reader that shows notifications.
  static let notifier = "notify"

  /// That of the parameter `reader`. Throws `permission` if it belongs to another client.
  init(_ params: JSONValue, for access: RPCAccess) throws(RPCError) {
    guard let name = params["reader"]?.string else { throw .invalidParams("\"reader\" is missing") }
    try self.init(name)
    guard name != Self.notifier else {
      // One that shows notifications does what a person chooses in them.
      for scope in [RPCScope.read, .send, .manage] {
        try access.require(scope, for: "the reader \"\(name)\"")
      }
      return
    }
    try access.requireReader(name)
  }

  init(_ name: String) throws(RPCError) {
    guard name.isPlainName(upTo: 64, marks: "._:-")
    else {
      throw .invalidParams("the name of a reader has up to 64 of a-z, 0-9, and also . _ : - after the first")
    }
    guard !name.hasPrefix("hook:"), !Self.reserved.contains(name) else {
      throw .invalidParams("the name \"\(name)\" is reserved")
    }
    self.name = name
  }

  /// The reader of a hook.
  init(of hook: Hook) { name = hook.reader }

  /// Makes it known to the account, at a place or else behind the newest event. Returns its place.
  func register(
    _ messenger: Messenger, at place: MessengerEvent.Cursor? = nil
  ) async throws -> MessengerEvent.Cursor {
    do { return try await messenger.registerReader(name, at: place) } catch let error as MessengerError
      where error.code == .tooManyReaders
    {
      throw RPCError(71, "limit-reached", error.message)
    }
  }
}
