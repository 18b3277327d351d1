public import SessionCore

/// Sends requests to HTTP servers, and knows before it connects which address it connects to.
///
/// The name of a host is looked up once; if one of its addresses is none that requests may go to, the request is
/// refused, and otherwise it goes to one of these addresses and no other. Redirects are not followed. Transfers run on a
/// thread of the client's own until `stop()`, or until the last reference goes; connections are kept for later requests.
public final class HTTPClient: Sendable {
  public struct Request: Sendable {
    public var method: HTTPMethod
    /// With "http" or "https".
    public var url: String
    public var headers: HTTPHeaders
    public var body: [UInt8]?
    /// How long it may take from beginning to end.
    public var timeout: Duration = .seconds(30)
    /// Bytes of the body of the answer.
    public var maxReply = 10 * 1024 * 1024

    public init(_ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// What a server answered.
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

  /// Sends a request and waits for the answer, whatever its status.
  ///
  /// Throws `url`, `header`, `addressRefused`, `nameUnknown`, `untrusted`, `unreachable`, `timeout`, `tooLarge` for the
  /// answer, `cancelled` when the task is, `busy` and `stopped`.
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
