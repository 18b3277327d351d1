public import SessionCore
public import SessionHTTP
public import SessionNodeCore
import SessionService

/// Posts the content of onion requests to servers that the operator allows.
///
/// A host name is resolved once, all of its addresses are checked, and the request goes to one of exactly these.
/// Redirects are not followed.
public final class WebGateway: ServerGateway {
  public struct Options: Sendable {
    /// The allowed hosts; all others are refused.
    public var hosts: [HostRule]
    /// True if these hosts may have loopback or private addresses. Not together with a rule for all servers, which
    /// would expose every local service.
    public var reachesPrivateAddresses = false
    public var timeout: Duration = .seconds(25)
    /// The size limit of a reply: what one hop can return to another.
    public var maxReply = WebGateway.maxReply
    /// The number of concurrent requests.
    public var maxRequests = 64
    /// The trusted certificates.
    public var trust = HTTPClient.Options.Trust.system
    /// Looks up the addresses of a name; called where it may block.
    public var lookUp: @Sendable (_ name: String, _ port: UInt16) -> [NetworkAddress] = NameLookup.system

    public init(hosts: [HostRule] = []) { self.hosts = hosts }
  }

  /// A request or reply between nodes has at most 10,000,000 bytes, including its wrapping.
  public static let maxReply = 10_000_000 - 256

  private let options: Options
  private let client: HTTPClient

  /// Throws `ServiceFailure.request` for private addresses with a rule that admits every server.
  public init(_ options: Options) throws {
    guard !options.reachesPrivateAddresses || !options.hosts.contains(where: \.isOpen) else {
      throw ServiceFailure.request("a list of hosts with * excludes requests to private addresses")
    }
    self.options = options
    var clientOptions = HTTPClient.Options()
    let reachesPrivate = options.reachesPrivateAddresses
    clientOptions.admits = { address in
      switch AddressReach(address) {
      case .global: true
      case .near: reachesPrivate
      case .none: false
      }
    }
    clientOptions.lookUp = options.lookUp
    clientOptions.trust = options.trust
    clientOptions.maxRequests = options.maxRequests
    let version = NodeOptions.version.map(String.init).joined(separator: ".")
    clientOptions.userAgent = "Oxen Storage Server/\(version)"
    client = try HTTPClient(options: clientOptions)
  }

  public func post(
    _ body: [UInt8], to target: OnionTarget
  ) async throws(ServerFailure) -> (code: Int, body: [UInt8]) {
    guard options.hosts.contains(where: { $0.admits(target) }) else { throw .forbidden }
    var request = HTTPClient.Request(
      .post, target.url, headers: ["Content-Type": "application/octet-stream"], body: body)
    request.timeout = options.timeout
    request.maxReply = options.maxReply
    do throws(HTTPError) {
      let reply = try await client.send(request)
      return (reply.status, reply.body)
    } catch {
      throw switch error {
      case .addressRefused, .url, .header: .forbidden
      case .timeout: .timeout
      case .tooLarge: .unreachable("the reply of the server is too large")
      default: .unreachable("\(error)")
      }
    }
  }

  public func stop() async { await client.stop() }
}
