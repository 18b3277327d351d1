public import SessionCore

extension HTTPClient {
  /// Whom a client connects to, and how much it does at a time.
  public struct Options: Sendable {
    /// Whose certificates are trusted.
    public enum Trust: Sendable {
      /// Those that this machine trusts.
      case system
      /// Those in a file, as PEM.
      case authorities(file: String)
      /// Anybody's.
      case anyone
    }

    /// Whether requests may go to an address.
    public var admits: @Sendable (NetworkAddress) -> Bool = { _ in true }
    /// Looks up the addresses of a name; called where it may block.
    public var lookUp: @Sendable (_ name: String, _ port: UInt16) -> [NetworkAddress] = NameLookup.system
    public var trust = Trust.system
    public var userAgent: String?
    public var connectTimeout: Duration = .seconds(10)
    public var maxRequests = 256
    /// Names that are looked up at a time; each may hold a thread for as long as the system's resolver takes.
    public var maxLookups = 8
    public var maxConnectionsPerHost = 16
    /// Bytes of the head of an answer.
    public var maxHead = 64 * 1024

    public init() {}
  }
}
