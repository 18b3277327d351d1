import SessionBase
import SessionCore
import SessionNode

/// A node in this process, until its task is cancelled or it has left its network.
struct NodeRunning: Sendable {
  let configuration: NodeConfiguration

  func run() async throws -> CommandOutput {
    let opening = WorkerQueue("session.node.opening")
    let service = try await opening.run { [configuration] in try NodeService(configuration.options) }
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    let control: NodeControl
    do {
      control = try await opening.run { [configuration] in
        try NodeControl(service, folder: configuration.folder) { ending.finish() }
      }
    } catch {
      await service.stop()
      throw error
    }
    for await _ in ends {}
    await service.stop()
    await control.stop()
    return CommandOutput()
  }
}

/// A registry in this process, until its task is cancelled.
struct RegistryRunning: Sendable {
  let configuration: RegistryConfiguration

  func run() async throws -> CommandOutput {
    let registry = try await Registry.start(configuration.options)
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    defer { ending.finish() }
    let control: RegistryControl
    do {
      control = try await WorkerQueue("session.registry.opening").run { [configuration] in
        try RegistryControl(registry, folder: configuration.options.folder)
      }
    } catch {
      await registry.stop()
      throw error
    }
    for await _ in ends {}
    await registry.stop()
    await control.stop()
    return CommandOutput()
  }
}
