import SessionBase
public import SessionCore
public import SessionHTTP
public import SessionService

extension CommunityServer {
  public struct Options: Sendable {
    /// The ids that a server takes.
    public enum Blinding: String, CaseIterable, Sendable {
      /// Ids of accounts, too.
      case none
      /// Blinded ids of the first scheme.
      case only15 = "15"
      /// Blinded ids of the second scheme.
      case only25 = "25"
      /// Blinded ids of both schemes.
      case both

      func accepts(_ kind: SessionID.Kind) -> Bool {
        switch kind {
        case .unblinded: self == .none
        case .blinded15: self != .only25
        case .blinded25: self != .only15
        default: false
        }
      }
    }

    /// So many events within so many milliseconds.
    public struct Pace: Hashable, Sendable {
      public let count: Int
      public let span: Int64

      public init(_ count: Int, within span: Int64) { (self.count, self.span) = (count, span) }
    }

    /// The folder of the key, the database and the files.
    public var folder: String
    /// The addresses where it listens, at least one; port 0 lets the system choose.
    public var addresses: [NetworkAddress]
    /// Its URL for clients; derived from the first address if nil. Begins with "http://" or "https://".
    public var url: String?
    /// The certificate with which it speaks TLS.
    public var tls: TLSIdentity?
    public var blinding = Blinding.both
    /// Milliseconds in which somebody has to read a room to count as active in it.
    public var activeSpan: Int64 = 7 * 86_400_000
    /// Posts of a person in a room; admins may make more.
    public var postLimit = Pace(5, within: 16_000)
    /// Bytes that requests may take at a time; those beyond wait.
    public var memory = 256 * 1024 * 1024
    /// The interval of what is done from time to time.
    public var upkeepInterval: Duration = .seconds(10)
    /// The address for Prometheus metrics; nil for none.
    public var metricsAddress: NetworkAddress?
    public var log = ServiceLog.silent
    /// Milliseconds since 1970.
    public var wallClock: @Sendable () -> UInt64 = { MachineClock.wallMilliseconds }

    public init(folder: String, addresses: [NetworkAddress]) {
      self.folder = folder
      self.addresses = addresses
    }

    /// What clients are told that the server can do, sorted.
    var capabilities: [String] {
      var names = ["sogs"]
      if blinding != .none { names.append("blind") }
      if blinding != .only15 { names.append("blind25") }
      return names.sorted()
    }
  }
}
