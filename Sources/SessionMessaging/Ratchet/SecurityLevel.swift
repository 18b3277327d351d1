/// How a message was protected on its way.
public enum SecurityLevel: Int64, Hashable, Sendable, CaseIterable, Codable {
  /// Sealed for the account: its recovery phrase is enough to read it.
  case v1 = 1
  /// Sealed for the devices of the account with keys that were erased since.
  case sr1 = 4

  /// Its name in commands and JSON.
  public var name: String {
    switch self {
    case .v1: "v1"
    case .sr1: "sr1"
    }
  }

  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}

/// Why messages to a person have no forward secrecy.
public enum SecurityObstacle: String, Hashable, Sendable, CaseIterable, Codable {
  /// Forward secrecy is off here.
  case off
  /// The user has not confirmed that all devices of our account take part.
  case openRoster = "open-roster"
  /// The other side has published no keys.
  case noKeys = "no-keys"
  /// Not all devices of the other side take part.
  case notAllDevices = "not-all-devices"
  /// The other side moved to a program without it.
  case foreign
  /// The other side took its keys back.
  case withdrawn
  /// Keys are still to be fetched.
  case waiting
  /// It is not for this kind of conversation.
  case notSupported = "not-supported"

  /// True for what the user decided about this account.
  var isOurs: Bool { [.off, .openRoster].contains(self) }
}
