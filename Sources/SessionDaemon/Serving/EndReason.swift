/// Why a server ends its connections.
package enum EndReason: String, Sendable {
  case stopping
  /// It starts itself anew, and listens meanwhile.
  case restarting

  /// When clients should connect again, in milliseconds.
  var reconnection: Int {
    switch self {
    case .stopping: 1000
    case .restarting: 0
    }
  }
}
