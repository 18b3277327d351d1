import SessionCore

/// The source of a node's list of nodes.
public enum ListSource: Sendable {
  /// A network file, which is read again when it changes. With a key, only of that operator.
  case file(String, operatorKey: [UInt8]?)
  case registry(RegistryRemote)
}
