package import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// The failure of a call, as JSON-RPC has it.
package struct RPCError: Error, Hashable, Sendable {
  /// The exit status that a command would end with, or one of JSON-RPC's own numbers.
  package let code: Int
  /// One word for programs.
  package let kind: String
  /// One sentence for people, without a full stop.
  package let message: String
  package var advice: String?
  /// Further members of the error's data.
  package var details: [JSONValue.Member] = []

  package init(_ code: Int, _ kind: String, _ message: String, advice: String? = nil) {
    self.code = code
    self.kind = kind
    self.message = message
    self.advice = advice
  }

  static func invalidRequest(_ message: String) -> RPCError { RPCError(-32600, "invalid-request", message) }
  static func invalidParams(_ message: String) -> RPCError { RPCError(-32602, "invalid-params", message) }

  static func noAccount(_ name: String) -> RPCError {
    RPCError(78, "no-account", "there is no account \(name.prefix(64)) here")
  }

  /// A call names no account, and there is none or several.
  static func accountRequired(_ names: [String]) -> RPCError {
    var error = RPCError(
      78, "account-required",
      names.isEmpty ? "there is no account here" : "there are several accounts: name one")
    error.details = [.init("accounts", .array(names.map { .string($0) }))]
    return error
  }
}

extension RPCError {
  var json: JSONValue {
    var data: [JSONValue.Member] = [.init("kind", .string(kind))]
    if let advice { data.append(.init("advice", .string(advice))) }
    return [
      "code": .integer(Int64(code)), "message": .string(message), "data": .object(data + details),
    ]
  }

  init(_ json: JSONValue) {
    let data = json["data"]
    self.init(
      Int(clamping: json["code"]?.integer ?? -32603), data?["kind"]?.string ?? "internal",
      json["message"]?.string ?? "the call failed", advice: data?["advice"]?.string)
    if case .object(let members)? = data {
      details = members.filter { $0.name != "kind" && $0.name != "advice" }
    }
  }
}

// MARK: - Errors of the messenger

extension RPCError {
  /// An error of a messenger, in a form from which the caller makes the same error again.
  init(crossing error: any Error) {
    let error = (error as? FileError).map { SessionError($0) } ?? error
    let (type, code, message): (String, JSONValue, String) =
      switch error {
      case let error as MessengerError: ("messenger", .string(error.code.rawValue), error.message)
      case let error as StorageError: ("storage", .string(error.code.rawValue), error.message)
      case let error as SessionError: ("session", .integer(Int64(error.code.rawValue)), error.message)
      case is CancellationError: ("cancelled", .null, "the call was cancelled")
      default: ("other", .null, "\(error)")
      }
    self.init(-32603, "thrown", message)
    details = [.init("error", ["type": .string(type), "code": code])]
  }

  /// Why an account cannot be unlocked, for any client; programs of this project make the same error again from it.
  init(unlocking error: StorageError) {
    let crossing = RPCError(crossing: error)
    let code =
      switch error.code {
      case .passphraseNeeded, .wrongPassphrase, .keyMissing: 78
      case .tooManyAttempts, .locked, .noMemory: 75
      case .full, .io: 74
      default: 65
      }
    self.init(code, Self.kebab(error.code.rawValue), crossing.message)
    details = crossing.details
  }

  /// `noMessage` is `no-message`.
  package static func kebab(_ name: String) -> String {
    name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
  }

  /// The error that crossed; this error itself if none did.
  var crossed: any Error {
    guard case .object(_)? = details.first(where: { $0.name == "error" })?.value,
      let error = details.first(where: { $0.name == "error" })?.value
    else { return self }
    switch error["type"]?.string {
    case "messenger":
      guard let code = error["code"]?.string.flatMap(MessengerError.Code.init) else { return self }
      return MessengerError(code, message)
    case "storage":
      guard let code = error["code"]?.string else { return self }
      return StorageError(StorageError.Code(rawValue: code), message)
    case "session":
      guard let code = error["code"]?.integer else { return self }
      return SessionError(SessionError.Code(rawValue: Int32(clamping: code)), message)
    case "cancelled": return CancellationError()
    default: return self
    }
  }
}

extension RPCError: CustomStringConvertible {
  package var description: String { message }
}
