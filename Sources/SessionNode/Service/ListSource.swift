import SessionCore

/// From where a node learns which nodes its network has.
public enum ListSource: Sendable {
  /// A network file, which is read again when it changes. With a key, only of that operator.
  case file(String, operatorKey: [UInt8]?)
  case registry(RegistryRemote)
}
