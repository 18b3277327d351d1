import SessionCore
import SessionHTTP
import SessionService

/// The servers of a devnet, and the nodes' way to them.
struct DevnetServers: Sendable {
  /// The last number of the address of all servers of a devnet; nodes have those up to ``Devnet/maxNodes``.
  private static let host: UInt8 = 200

  private(set) var running: [(name: String, server: any DevnetServer)] = []
  private(set) var gateway: WebGateway?

  var services: [String: NetworkService] {
    Dictionary(uniqueKeysWithValues: running.map { ($0.name, $0.server.service) })
  }

  /// Starts servers at their previous addresses, if possible. `part` is the devnet's part of the loopback network.
  static func begin(
    _ kinds: [DevnetServerKind], in folder: DevnetFolder, _ known: NetworkFile?, part: String,
    hosts: [HostRule]
  ) async throws -> DevnetServers {
    var servers = DevnetServers()
    do {
      let fresh = try NetworkAddress(parsing: "\(part).\(host):0")
      for kind in kinds {
        let path = folder.server(kind.name)
        let last = known?.services[kind.name].flatMap {
          try? NetworkAddress(parsing: String($0.url.dropFirst(7)))
        }
        servers.running.append((kind.name, try await begin(kind, in: path, at: last, otherwise: fresh)))
      }
      let own = servers.running.compactMap { HostRule(String($0.server.service.url.dropFirst(7))) }
      var options = WebGateway.Options(hosts: own + hosts)
      options.reachesPrivateAddresses = true
      servers.gateway = try WebGateway(options)
      return servers
    } catch {
      await servers.stop()
      throw error
    }
  }

  private static func begin(
    _ kind: DevnetServerKind, in folder: String, at last: NetworkAddress?, otherwise fresh: NetworkAddress
  ) async throws -> any DevnetServer {
    guard let last, last.isLoopback else { return try await kind.begin(folder, fresh) }
    do {
      return try await kind.begin(folder, last)
    } catch HTTPError.addressInUse {
      return try await kind.begin(folder, fresh)
    }
  }

  func stop() async {
    await gateway?.stop()
    for one in running { await one.server.stop() }
  }
}
