internal import CSessionCore

extension NetworkEndpoint {
  /// A command that a peer sent.
  public struct Request: Sendable {
    public let command: String
    public let body: [UInt8]
    /// The key the peer showed; nil for a client that showed none.
    public let peerKey: [UInt8]?
    public let peerAddress: NetworkAddress
    /// The connection it came over, for what is to be told later.
    public let connection: Connection
  }

  /// A connection that a peer made. Its number is never given twice.
  public struct Connection: Hashable, Sendable {
    let number: UInt64

    package init(number: UInt64) { self.number = number }
  }

  /// Replies to a command with the body it returns. Throws a `NetworkRefusal` to refuse; any other error becomes
  /// "500 Internal Server Error" for the peer. Its task is cancelled when the peer's connection is gone, and
  /// when the endpoint stops.
  public typealias Handler = @Sendable (Request) async throws -> [UInt8]

  /// What became of a connection.
  public enum Event: Hashable, Sendable {
    /// The handshake with a peer that was called is done.
    case connected(NetworkPeer)
    /// That connection is gone, or never came to be.
    case closed(NetworkPeer, reason: SessionError.Code)
    /// A peer connected; the key is nil when it showed none.
    case accepted(NetworkAddress, key: [UInt8]?)
    /// That connection is gone.
    case left(NetworkAddress, key: [UInt8]?, reason: SessionError.Code)
  }

  /// How an endpoint behaves.
  public struct Options: Sendable {
    /// The name of the protocol of both roles, 1 to 32 bytes; storage nodes' by default.
    public var protocolName = SC_QUIC_PROTOCOL_STORAGE
    /// The key of this side. Without one no peer can connect, and every outgoing connection shows a fresh key.
    public var identity: NetworkIdentity?
    /// How long a connection may take to come to be.
    public var handshakeTimeout: Duration = .seconds(3)
    /// How long a request may take that names no time.
    public var requestTimeout: Duration = .seconds(10)
    /// How long a connection that was made stays without a request; zero for as long as both sides live.
    public var idleClose: Duration = .seconds(60)
    /// True if peers may connect to have commands handled, and not only answer on connections that were made here.
    public var acceptsPeers = true
    /// True if what is sent here may be lost and delayed, see `setWeather`.
    public var hasWeather = false
    /// Handlers of commands, by name, also for peers that we connected to; with none, no peer can connect.
    public var handlers: [String: Handler] = [:]

    public init(identity: NetworkIdentity? = nil, handlers: [String: Handler] = [:]) {
      self.identity = identity
      self.handlers = handlers
    }
  }

  /// What an endpoint did so far, and what it holds.
  public struct Counts: Hashable, Sendable {
    /// Connections there are now, closing ones included.
    public let connections: Int
    public let connectionsAccepted: UInt64
    public let connectionsMade: UInt64
    /// Requests made here and not answered.
    public let openRequests: Int
    /// Requests of peers that handlers are at work on.
    public let handling: Int
    public let datagramsSent: UInt64
    public let datagramsReceived: UInt64
  }
}
