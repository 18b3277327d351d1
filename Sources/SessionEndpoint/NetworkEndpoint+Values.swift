internal import CSessionCore
public import SessionCore

extension NetworkEndpoint {
  /// A command that a peer sent.
  public struct Request: Sendable {
    public let command: String
    public let body: [UInt8]
    /// The key that the peer presented; nil if none.
    public let peerKey: [UInt8]?
    public let peerAddress: NetworkAddress
    /// The connection, for later notifications.
    public let connection: Connection
  }

  /// A connection that a peer opened. Numbers are never reused.
  public struct Connection: Hashable, Sendable {
    let number: UInt64

    package init(number: UInt64) { self.number = number }
  }

  /// Replies to a command with the body it returns. Throws a `NetworkRefusal` to refuse; any other error becomes
  /// "500 Internal Server Error" for the peer. Its task is cancelled when the peer's connection is gone, and
  /// when the endpoint stops.
  public typealias Handler = @Sendable (Request) async throws -> [UInt8]

  /// An event of a connection.
  public enum Event: Hashable, Sendable {
    /// The handshake with a called peer is complete.
    case connected(NetworkPeer)
    /// A connection to a called peer ended, or could not be established.
    case closed(NetworkPeer, reason: SessionError.Code)
    /// A peer connected; the key is nil if it presented none.
    case accepted(NetworkAddress, key: [UInt8]?)
    /// The connection of such a peer ended.
    case left(NetworkAddress, key: [UInt8]?, reason: SessionError.Code)
  }

  /// The options of an endpoint.
  public struct Options: Sendable {
    /// The protocol name for both roles, 1 to 32 bytes; by default that of storage nodes.
    public var protocolName = SC_QUIC_PROTOCOL_STORAGE
    /// The endpoint's own key. Without one no peer can connect, and every outgoing connection presents a fresh key.
    public var identity: NetworkIdentity?
    /// The timeout of the handshake.
    public var handshakeTimeout: Duration = .seconds(3)
    /// The timeout of requests that set none.
    public var requestTimeout: Duration = .seconds(10)
    /// How long an idle outgoing connection stays open; zero for as long as both sides live.
    public var idleClose: Duration = .seconds(60)
    /// True if peers may connect and send commands, and not only reply on outgoing connections.
    public var acceptsPeers = true
    /// True if outgoing packets may be lost and delayed, see `setWeather`.
    public var hasWeather = false
    /// The handlers of commands, by name; they also serve peers that we connected to. Without handlers no peer can
    /// connect.
    public var handlers: [String: Handler] = [:]

    public init(identity: NetworkIdentity? = nil, handlers: [String: Handler] = [:]) {
      self.identity = identity
      self.handlers = handlers
    }
  }

  /// Statistics of an endpoint.
  public struct Counts: Hashable, Sendable {
    /// Current connections, including closing ones.
    public let connections: Int
    public let connectionsAccepted: UInt64
    public let connectionsMade: UInt64
    /// Our requests without a reply.
    public let openRequests: Int
    /// Requests of peers in progress.
    public let handling: Int
    public let datagramsSent: UInt64
    public let datagramsReceived: UInt64
  }
}
