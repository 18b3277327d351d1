import Foundation
import SessionBase
import SessionCore
import Synchronization
import Testing

@testable import SessionNode

/// A registry whose clock the test sets, and nodes that do nothing by themselves.
final class RegistryPlayground: Sendable {
  let registry: Registry
  let remote: RegistryRemote
  let clock: SettableClock
  private let folder: String
  private let services = Mutex<[NodeService]>([])

  init(
    smallest: Int = 5, largest: Int = 10, folder: String = freshPath(), pingTimeout: Duration = .seconds(60),
    _ change: (inout Registry.Options) -> Void = { _ in }
  ) async throws {
    self.folder = folder
    clock = SettableClock()
    var options = try Self.options(folder, clock, smallest, largest)
    options.pingTimeout = pingTimeout
    change(&options)
    registry = try await Registry.start(options)
    remote = try RegistryRemote(
      address: try #require(await registry.address), operatorKey: registry.operatorKey)
  }

  static func options(
    _ folder: String, _ clock: SettableClock, _ smallest: Int = 5, _ largest: Int = 10
  ) throws -> Registry.Options {
    var options = Registry.Options(
      folder: folder + "/registry", address: try NetworkAddress(parsing: "127.0.0.1:0"))
    options.rules = try #require(SwarmRules(smallest: smallest, largest: largest))
    options.interval = .seconds(100_000)
    options.listInterval = .zero
    options.pingTimeout = .seconds(60)
    options.clock = { clock.nanoseconds }
    options.wallClock = { clock.wall }
    return options
  }

  var allowed: AllowList { RegistryFolder(path: folder + "/registry").allowed }

  func folder(of number: Int) -> String { folder + "/node-\(number)" }

  /// Begins a node; its key is allowed unless that is not wanted.
  func begin(
    _ number: Int, isAllowed: Bool = true, _ change: (inout NodeService.Options) -> Void = { _ in }
  ) throws -> NodeService {
    let path = folder(of: number)
    let key = try NodeService.prepare(folder: path)
    if isAllowed { _ = try allowed.allow(key) }
    var options = NodeService.Options(
      folder: path, address: try NetworkAddress(parsing: "127.0.1.\(number):0"), source: .registry(remote))
    options.interval = .seconds(100_000)
    options.registryTimeout = .seconds(120)
    options.node.replicationInterval = .seconds(100_000)
    options.node.testInterval = .seconds(100_000)
    options.node.handshakeTimeout = .seconds(8)
    options.node.memberTimeout = .seconds(60)
    options.node.slowMemberTimeout = .seconds(60)
    options.node.lateTimeout = .seconds(60)
    options.node.exemptsLoopback = true
    options.node.wallClock = { [clock] in clock.wall }
    change(&options)
    let service = try NodeService(options)
    services.withLock { $0.append(service) }
    return service
  }

  /// Begins nodes that have all joined and know it.
  func begin(_ numbers: ClosedRange<Int>) async throws -> [NodeService] {
    let services = try numbers.map { try begin($0) }
    for service in services { try await service.refresh() }
    for service in services { try await service.refresh() }
    return services
  }

  func stop() async {
    for service in services.withLock({ $0 }) { await service.stop() }
    await registry.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// A clock that is as far from the machine's as it is set.
final class SettableClock: Sendable {
  private let offset = Mutex<Int64>(0)

  var nanoseconds: UInt64 {
    MachineClock.nanoseconds &+ UInt64(bitPattern: seconds * 1_000_000_000)
  }

  var wall: UInt64 { MachineClock.wallMilliseconds &+ UInt64(bitPattern: seconds * 1000) }

  private var seconds: Int64 { offset.withLock { $0 } }

  func advance(seconds: Int64) { offset.withLock { $0 += seconds } }
}
