public import SessionCore
import SessionStorage

/// The timer that conversations get which we begin. It is a setting of this device.
enum DefaultTimer {
  /// The longest lifetime of messages in the network, in seconds.
  static let longest: UInt32 = 14 * 86_400

  fileprivate static let names: [(mode: DisappearingTimer.Mode, name: String)] = [
    (.afterSend, "after-send"), (.afterRead, "after-read"),
  ]
}

extension Setting where Value == String {
  static let defaultTimer = Setting("defaultTimer")
}

extension Reading where Self: ~Copyable {
  /// The default timer; nil if it is off, or this program cannot read it.
  func defaultTimer() throws -> DisappearingTimer? {
    guard let text = try value(of: .defaultTimer) else { return nil }
    let parts = text.split(separator: ":")
    guard parts.count == 2, let mode = DefaultTimer.names.first(where: { $0.name == parts[0] })?.mode,
      let seconds = UInt32(parts[1]), seconds <= DefaultTimer.longest
    else { return nil }
    return try? DisappearingTimer(mode, seconds: seconds)
  }

  /// The timer that a conversation with a person gets with our first message; nil if it gets none. A conversation in which
  /// there is anything, such as a timer that was switched off, keeps what it has.
  func firstTimer(of person: SessionID) throws -> DisappearingTimer? {
    guard let timer = try defaultTimer() else { return nil }
    guard let thread = try thread(at: person.address) else { return timer }
    guard try thread.expiry == .off && page(of: thread.id, limit: 1).isEmpty else { return nil }
    return timer
  }
}

extension Messenger {
  /// Sets the timer of conversations that we begin with a message, and of groups that we create; nil for none. In groups
  /// it always starts when a message is sent. Throws `notAllowed` for a time of more than two weeks.
  public nonisolated func setDefaultTimer(_ timer: DisappearingTimer?) async throws {
    try await perform(.account(.setDefaultTimer(timer)))
  }

  nonisolated func keepDefaultTimer(_ timer: DisappearingTimer?) async throws {
    var text: String?
    if let timer {
      guard let name = DefaultTimer.names.first(where: { $0.mode == timer.mode })?.name,
        timer.seconds <= DefaultTimer.longest
      else {
        throw MessengerError(
          .notAllowed, "messages disappear after sending or after reading, within two weeks")
      }
      text = "\(name):\(timer.seconds)"
    }
    try await context.write { [text] transaction, _ in
      // An empty text means none: it wins over that of an archive.
      try transaction.set(.defaultTimer, to: text ?? "")
    }
  }
}
