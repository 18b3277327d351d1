import SessionCore
import SessionStorage

/// Which messages to people are sent with forward secrecy.
public enum ForwardSecrecy: String, Hashable, Sendable, CaseIterable, Codable {
  /// Nothing is published, looked for or sent.
  case off
  /// The best that both sides can.
  case auto
  /// Messages are sent with forward secrecy, or not at all.
  case require
}

/// What a new device of a contact gets that none of their devices vouches for.
public enum NewDevices: String, Hashable, Sendable, CaseIterable, Codable {
  /// Messages, and the conversation says so.
  case notify
  /// Nothing until it is vouched for or confirmed.
  case hold
}

/// When sending is refused until numbers were compared.
public enum VerificationPolicy: String, Hashable, Sendable, CaseIterable, Codable {
  case off
  /// When somebody who was verified has changed.
  case changes
  /// Also when somebody was never verified.
  case always
}

extension Setting where Value == String {
  static let forwardSecrecy = Setting("forwardSecrecy")
  static let newDevices = Setting("newDevices")
  static let verificationPolicy = Setting("verificationPolicy")
}

extension Reading where Self: ~Copyable {
  func forwardSecrecy() throws -> ForwardSecrecy {
    try value(of: .forwardSecrecy).flatMap(ForwardSecrecy.init) ?? .off
  }

  func newDevices() throws -> NewDevices {
    try value(of: .newDevices).flatMap(NewDevices.init) ?? .notify
  }

  func verificationPolicy() throws -> VerificationPolicy {
    try value(of: .verificationPolicy).flatMap(VerificationPolicy.init) ?? .changes
  }
}
