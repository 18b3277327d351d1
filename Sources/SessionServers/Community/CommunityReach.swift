import SessionHTTP
import SessionNodeCore

/// What answers at the URL that a server tells its clients.
public enum CommunityReach: String, Codable, CaseIterable, Sendable {
  /// The server itself.
  case server
  /// Something that does not have the server's key.
  case other
  /// Nothing.
  case nothing
}

extension CommunityServer {
  private static let reachTimeout: Duration = .seconds(10)
  private static let maxReachReply = 64 * 1024

  /// Asks at the server's URL, in the way of the last node of a path, though from this machine.
  public func reach() async -> CommunityReach {
    guard let probe = try? OnionProbe(for: "/capabilities", of: key), let client = try? HTTPClient() else {
      return .nothing
    }
    var request = HTTPClient.Request(.post, url + OnionProbe.path, body: probe.bytes)
    request.timeout = Self.reachTimeout
    request.maxReply = Self.maxReachReply
    let reply = try? await client.send(request)
    await client.stop()
    guard let reply else { return .nothing }
    return probe.status(of: reply.body) == 200 ? .server : .other
  }
}
