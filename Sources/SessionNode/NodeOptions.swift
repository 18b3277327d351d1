import SessionBase
import SessionCore
public import SessionNodeCore
public import SessionService

/// The options of a node.
public struct NodeOptions: Sendable {
  /// The reported version of its software.
  public static let version: [UInt16] = [2, 11, 0]

  /// True if clients on this machine are exempt from rate limits.
  public var exemptsLoopback = false
  /// True if received datagrams can be lost and delayed, for demonstrations and tests.
  public var hasWeather = false
  /// The timeout of connecting to another node.
  public var handshakeTimeout: Duration = .seconds(3)
  /// The timeout of a request forwarded to a member of the swarm.
  public var memberTimeout: Duration = .seconds(5)
  /// How long a client waits for slow members if enough others have replied. The slow ones receive the request
  /// later.
  public var slowMemberTimeout: Duration = .seconds(1)
  /// The timeout of a request delivered later.
  public var lateTimeout: Duration = .seconds(10)
  /// The interval of attempts to deliver stored requests.
  public var replicationInterval: Duration = .seconds(5)
  /// The timeout of the next hop.
  public var hopTimeout: Duration = .seconds(30)
  /// The interval of deleting expired messages.
  public var sweepInterval: Duration = .seconds(10)
  /// The interval and timeout of tests of other nodes.
  public var testInterval: Duration = .seconds(10)
  public var pingTimeout: Duration = .seconds(5)
  /// The log for the operator.
  public var log = ServiceLog.silent
  /// Takes requests to servers; nil where none are taken.
  public var gateway: (any ServerGateway)?
  /// Milliseconds since 1970.
  public var wallClock: @Sendable () -> UInt64 = { MachineClock.wallMilliseconds }

  public init() {}
}

/// Posts the content of onion requests to servers.
public protocol ServerGateway: Sendable {
  /// The reply of the server. Throws a `ServerFailure`.
  func post(_ body: [UInt8], to target: OnionTarget) async throws(ServerFailure) -> (code: Int, body: [UInt8])
}

/// The reason why a server gave no reply.
public enum ServerFailure: Error, Hashable, Sendable {
  /// Requests may not go there.
  case forbidden
  case unreachable(String)
  case timeout
}
