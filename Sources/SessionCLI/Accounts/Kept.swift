import Synchronization

/// What a command has achieved, kept while its work begins again because the program that held the account ended.
final class Kept<Value: Sendable>: Sendable {
  private let state: Mutex<Value?>

  init(_ value: Value? = nil) { state = Mutex(value) }

  var value: Value? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// The value, made the first time. One task at a time asks for it.
  func obtain(_ make: () async throws -> Value) async throws -> Value {
    if let value { return value }
    let made = try await make()
    value = made
    return made
  }
}
