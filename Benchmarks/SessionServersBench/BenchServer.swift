import Measuring
import SessionCore
import SessionServers
import SessionStorage

/// A community server with one room, for clients in other processes.
struct BenchServer: Sendable {
  static let room = "lobby"

  let server: CommunityServer

  /// Further rooms, for posts that go to one room after the other.
  static let rooms = (0..<20).map { "room\($0)" }

  /// Starts one in a folder; with `database` its rows are in PostgreSQL.
  static func start(in folder: String, database: String? = nil) throws -> BenchServer {
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
    if let database { options.database = try PostgreSQLAddress(database) }
    _ = try CommunityServer.prepare(folder: folder, database: options.database)
    let server = try CommunityServer(options)
    for token in [room] + (database == nil ? [] : rooms) {
      var settings = RoomSettings(token: token)
      settings.name = token
      // Another process, or an earlier one, may have added it.
      try finish { [settings] in _ = try? await server.carryOut(.addRoom(settings)) }
    }
    return BenchServer(server: server)
  }

  /// Has a client in another process send so many requests.
  func load(_ mode: LoadClient.Mode, _ count: Int) throws {
    guard let address = server.address else { fatalError("the server has ended") }
    OwnProcess.run(mode.rawValue, "\(address)", server.key.hex, "\(count)")
  }

  /// Has clients in another process poll, each within so many milliseconds, in so many rounds.
  func crowd(_ clients: Int, interval: Int, rounds: Int, connections: Int) {
    guard let address = server.address else { fatalError("the server has ended") }
    OwnProcess.run(
      "--crowd", "\(address)", server.key.hex, "\(clients)", "\(interval)", "\(rounds)", "\(connections)")
  }

  /// Has it answer one request, which needs its rows.
  func readOnce() {
    guard let address = server.address else { fatalError("the server has ended") }
    let request = "GET /room/\(Self.room)/messages/recent?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n"
    LoadConnection(to: address).exchange(Array(request.utf8), expecting: 200)
  }

  func stop() throws { try finish { [server] in await server.stop() } }
}
