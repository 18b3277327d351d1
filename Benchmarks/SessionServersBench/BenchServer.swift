import Measuring
import SessionCore
import SessionServers

/// A community server with one room, for clients in other processes.
struct BenchServer: Sendable {
  static let room = "lobby"

  let server: CommunityServer

  /// Starts one in a fresh folder.
  static func start(in folder: String) throws -> BenchServer {
    var options = CommunityServer.Options(
      folder: folder, addresses: [try NetworkAddress(parsing: "127.0.0.1:0")])
    // A few clients do the work of many.
    options.requests.perPerson = 1e9
    options.requests.burst = 1e9
    options.requests.anonymous = 1e9
    options.requests.perAddress = 1e9
    options.requests.newcomersPerMinute = 1e9
    options.postLimit = CommunityServer.Options.Pace(1_000_000, within: 1)
    options.postsPerDay = 1_000_000_000
    _ = try CommunityServer.prepare(folder: folder)
    let server = try CommunityServer(options)
    var settings = RoomSettings(token: room)
    settings.name = "Lobby"
    try finish { [settings] in _ = try await server.carryOut(.addRoom(settings)) }
    return BenchServer(server: server)
  }

  /// Has a client in another process send so many requests.
  func load(_ mode: LoadClient.Mode, _ count: Int) throws {
    guard let address = server.address else { fatalError("the server has ended") }
    OwnProcess.run(mode.rawValue, "\(address)", server.key.hex, "\(count)")
  }

  func stop() throws { try finish { [server] in await server.stop() } }
}
