import SessionBase
public import SessionCore
public import SessionService

/// How a node behaves.
public struct NodeOptions: Sendable {
  /// The version of its software that it tells.
  public static let version: [UInt16] = [2, 11, 0]

  /// Whether clients of this machine may ask as often as they like.
  public var exemptsLoopback = false
  /// Whether what is sent to the node may be lost and delayed, for demonstrations and tests.
  public var hasWeather = false
  /// How long it may take to reach another node.
  public var handshakeTimeout: Duration = .seconds(3)
  /// How long a member of the swarm may take for what is passed on to it.
  public var memberTimeout: Duration = .seconds(5)
  /// How long the client waits for members that have not answered when those that have are enough. The others get what
  /// was passed on to them later.
  public var memberPatience: Duration = .seconds(1)
  /// How long a node may take for what it gets later than it should.
  public var lateTimeout: Duration = .seconds(10)
  /// How often it is tried to give other nodes what they are owed.
  public var replicationInterval: Duration = .seconds(5)
  /// How long the next hop may take.
  public var hopTimeout: Duration = .seconds(30)
  /// How often what has expired is removed.
  public var sweepInterval: Duration = .seconds(10)
  /// How often other nodes are called to see whether they answer, and how long they may take.
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

/// Posts what onion requests carry to servers.
public protocol ServerGateway: Sendable {
  /// What the server answers. Throws a `ServerFailure`.
  func post(_ body: [UInt8], to target: OnionTarget) async throws(ServerFailure) -> (code: Int, body: [UInt8])
}

/// Why a server gave no answer.
public enum ServerFailure: Error, Hashable, Sendable {
  /// Requests may not go there.
  case forbidden
  case unreachable(String)
  case timeout
}
