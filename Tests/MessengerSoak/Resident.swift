import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

/// One person's device, and its way into the network.
struct Resident {
  let messenger: Messenger
  let network: Network

  init(_ name: String, _ path: String, _ file: NetworkFile) async throws {
    network = try Network(Network.Options(file))
    try await network.start()
    let files = try FileClient(of: file, through: NetworkServers(network))
    messenger = try await Messenger.create(
      .generate(), name: name, in: AccountFolder("account", in: StorageRoots(inside: path)),
      MessengerEnvironment(swarms: NetworkSwarms(network), files: files))
    try await messenger.start()
  }

  func stop() async {
    await messenger.stop()
    await network.stop()
  }
}
