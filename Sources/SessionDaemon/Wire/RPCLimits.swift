/// The limits of a connection.
package enum RPCLimits {
  /// Bytes of a line from a client.
  package static let line = 1 << 20
  /// Bytes of a line to a client.
  package static let reply = 8 << 20
  /// Calls of one connection that are carried out at a time; reading pauses beyond that.
  package static let calls = 64
  /// Connections at a time.
  package static let connections = 512
  /// Connections of one other user at a time.
  package static let guestConnections = 64
  /// Files that the clients of one further socket read through pipes at a time.
  package static let pipes = 16
  /// How long a connection may accept no byte while replies wait for it.
  package static let writeTimeout = Duration.seconds(60)
  /// How long a call may take.
  package static let callTime = Duration.seconds(600)
}
