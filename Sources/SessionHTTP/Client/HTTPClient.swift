public import SessionCore

/// Sends requests to HTTP servers, and knows before it connects which address it connects to.
///
/// The name of a host is looked up once; if one of its addresses is none that requests may go to, the request is
/// refused, and otherwise it goes to one of these addresses and no other. Redirects are not followed. Transfers run on a
/// thread of the client's own until `stop()`, or until the last reference goes; connections are kept for later requests.
/// With a proxy, the proxy looks names up, and only the proxy knows the addresses.
public final class HTTPClient: Sendable {
  public struct Request: Sendable {
    public var method: HTTPMethod
    /// With "http" or "https".
    public var url: String
    public var headers: HTTPHeaders
    public var body: [UInt8]?
    /// The time limit of the whole request.
    public var timeout: Duration = .seconds(30)
    /// The size limit of the reply's body.
    public var maxReply = 10 * 1024 * 1024
    /// True if the beginning of a larger body is enough; it then ends at the limit, instead of the request failing.
    public var takesBeginning = false
    /// Returns true when the body so far is enough; called when it has grown by a quarter, or by a kilobyte at first,
    /// so that many small pieces cost little.
    public var isEnough: (@Sendable (_ body: [UInt8]) -> Bool)?
    /// True to let the server compress the body. The limit is that of the expanded body.
    public var takesCompressed = false

    public init(_ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// The reply of a server.
  public struct Reply: Sendable {
    public let status: Int
    public let headers: HTTPHeaders
    public let body: [UInt8]
  }

  private let thread: TransferThread
  private let options: Options

  public init(options: Options = Options()) throws(HTTPError) {
    self.options = options
    thread = try TransferThread(options)
  }

  deinit { thread.stop() }

  /// Sends a request and waits for the reply, whatever its status.
  ///
  /// Throws `url`, `header`, `addressRefused`, `nameUnknown`, `untrusted`, `unreachable`, `timeout`, `tooLarge` for
  /// the reply, `cancelled` if the task is, `busy` and `stopped`.
  public func send(_ request: Request) async throws(HTTPError) -> Reply {
    let transfer = try Transfer(request, options)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        transfer.wait(with: waiting)
        thread.post(.begin(transfer))
      }
    } onCancel: {
      thread.post(.cancel(transfer))
    }.get()
  }

  /// Ends every request with `stopped`, and returns when the client's thread has ended.
  public func stop() async {
    thread.stop()
    await thread.ended()
  }
}

extension HTTPClient {
  /// The allowed servers and limits of a client.
  public struct Options: Sendable {
    /// The trusted certificates.
    public enum Trust: Sendable {
      /// Those of this machine's authorities.
      case system
      /// Those of authorities in a PEM file.
      case authorities(file: String)
      /// All certificates.
      case anyone
    }

    /// True if requests may go to an address.
    public var admits: @Sendable (NetworkAddress) -> Bool = { _ in true }
    /// Looks up the addresses of a name; called where it may block.
    public var lookUp: @Sendable (_ name: String, _ port: UInt16) -> [NetworkAddress] = NameLookup.system
    public var trust = Trust.system
    /// The proxy through which requests to a host go; nil for none. Without a reply of the proxy they fail.
    public var proxy: @Sendable (_ host: String) -> HTTPProxy? = { _ in nil }
    public var userAgent: String?
    public var connectTimeout: Duration = .seconds(10)
    public var maxRequests = 256
    /// Names that are looked up at a time; each may hold a thread for as long as the system's resolver takes.
    public var maxLookups = 8
    public var maxConnectionsPerHost = 16
    /// The size limit of the reply's head.
    public var maxHead = 64 * 1024

    public init() {}
  }
}
