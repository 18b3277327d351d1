import SessionCore
import SessionStorage

/// The connections of a program to its networks: one for each network, which all accounts in it share.
actor SharedNetworks {
  private let roots: StorageRoots
  private var networks: [String: Task<Network, any Error>] = [:]

  init(_ roots: StorageRoots) { self.roots = roots }

  /// The started network that an account is in.
  func network(of reach: AccountNetwork.Reach) async throws -> Network {
    let name = try reach.file?.identifier ?? "main"
    let starting = networks[name] ?? Task { [roots] in try await Self.start(reach, name, roots) }
    networks[name] = starting
    do {
      return try await starting.value
    } catch {
      // Another caller may have begun anew.
      if networks[name] == starting { networks[name] = nil }
      throw error
    }
  }

  private static func start(
    _ reach: AccountNetwork.Reach, _ name: String, _ roots: StorageRoots
  ) async throws -> Network {
    var reach = reach
    reach.options.folder = try reach.cacheFolder(in: roots)
    try reach.keepGuards(in: roots)
    let network = try Network(reach.options)
    do { try await network.start() } catch {
      await network.stop()
      throw error
    }
    return network
  }

  func stop() async {
    for network in networks.values { await (try? network.value)?.stop() }
    networks = [:]
  }
}
