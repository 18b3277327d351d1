import SessionBase
import SessionDaemon
import SessionMessaging
import SessionStorage

extension RPCError {
  /// The failure of a command, from whatever it threw.
  init(failureOf error: any Error) {
    if error is HolderGone || (error as? StorageError)?.code == .closed {
      self = .outcomeUnknown
      return
    }
    let failure = CommandFailure(error)
    guard failure.status != .usage else {
      // A command line is not what the client wrote.
      self.init(-32602, "invalid-params", failure.message)
      return
    }
    self.init(
      Int(failure.status.rawValue), Self.kind(of: error) ?? failure.methodKind, failure.message,
      advice: failure.advice)
    if let id = failure.messageID { details = [.init("message_id", .integer(id))] }
  }

  /// The account was closed before the call ended, or another program held it and ended.
  static let outcomeUnknown = RPCError(
    Int(ExitCode.outcomeUnknown.rawValue), "outcome-unknown", "the account was closed before the call ended",
    advice: "Look whether the change was made before you repeat it.")

  /// The code of an error as a kind.
  private static func kind(of error: any Error) -> String? {
    switch error {
    case let error as MessengerError: kebab(error.code.rawValue)
    case let error as StorageError where error.code == .full: "disk-full"
    case let error as StorageError: kebab(error.code.rawValue)
    default: nil
    }
  }
}

extension CommandFailure {
  /// The word for programs where a command found the mistake itself.
  fileprivate var methodKind: String {
    if let detail { return detail.rawValue }
    return switch status {
    case .noUser: "unknown-person"
    case .noInput: "no-file"
    case .unavailable: "network"
    case .temporary: "busy"
    case .interrupted: "cancelled"
    default: status.name
    }
  }
}
