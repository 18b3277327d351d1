import SessionBase
public import SessionCore
public import SessionEndpoint
import SessionService

extension Devnet {
  /// Sets loss and delay of datagrams to a node, or to all, including those started later.
  public func change(_ change: WeatherChange) async throws {
    for index in try change.node.map({ [try index(of: $0)] }) ?? Array(file.nodes.indices) {
      change.apply(to: &weathers[index])
      try await nodes[index]?.setWeather(weathers[index])
    }
  }

  /// The state of the devnet.
  public func status() async -> DevnetStatus {
    var nodes: [DevnetStatus.Node] = []
    for place in places {
      nodes.append(
        DevnetStatus.Node(
          number: place.number, key: place.record.key.hex, address: "\(place.record.address)",
          swarm: place.record.swarm, isAlive: place.node != nil,
          messages: (try? await place.node?.store.count()) ?? 0, weather: weathers[place.number - 1]))
    }
    var known: [DevnetStatus.Server] = []
    for (name, server) in servers.running {
      known.append(
        DevnetStatus.Server(
          name: name, url: server.service.url, key: server.service.key.hex, summary: await server.summary()))
    }
    return DevnetStatus(networkFile: networkFile, memory: MemoryUse.now, nodes: nodes, servers: known)
  }
}

extension StorageNode {
  /// Sets loss and delay of datagrams to the node.
  public func setWeather(_ weather: NetworkWeather) async throws(SessionError) {
    try await endpoint?.setWeather(weather)
  }
}
