import SessionBase
public import SessionCore
public import SessionService

extension DevnetServerKind {
  /// A community server with one room.
  public static var community: DevnetServerKind { community { _ in } }

  /// A community server with options of one's own.
  public static func community(
    _ change: @escaping @Sendable (inout CommunityServer.Options) -> Void
  ) -> DevnetServerKind {
    DevnetServerKind(name: NetworkService.community) { folder, address in
      var options = CommunityServer.Options(folder: folder, addresses: [address])
      change(&options)
      let server = try await WorkerQueue("session.community.opening").run { [options] in
        _ = try CommunityServer.prepare(folder: options.folder, database: options.database)
        return try CommunityServer(options)
      }
      try await server.addLobby()
      return server
    }
  }
}

extension CommunityServer: DevnetServer {
  public var service: NetworkService {
    do throws(SessionError) { return try NetworkService(url: url, exchangeKey: key) } catch {
      preconditionFailure("the address of a server that has begun is no address")
    }
  }

  public func summary() async -> String {
    let counts = (try? await store.counts()) ?? CommunityCounts()
    return "\(counts.rooms) rooms, \(counts.messages) messages, \(rules.link(to: Self.lobby))"
  }

  public func stop() async { await stop(grace: .seconds(5)) }

  private static let lobby = "lobby"

  fileprivate func addLobby() async throws {
    guard let lobby = NewRoom(token: Self.lobby, name: "Lobby") else { return }
    let now = Int64(clamping: options.wallClock())
    _ = try await store.write { try $0.add(lobby, now: now) }
  }
}
