import FoundationEssentials
import SessionBase
import SessionCore
import SessionNodeCore
import SessionService
import SessionStorage

/// Lets other processes of the same user inspect and change their community server.
public final class CommunityControl: Sendable {
  static let protocolName = "session-community-server"

  private let control: LocalControl

  /// Starts listening, and writes its address.
  public init(_ server: CommunityServer, folder: String) throws {
    control = try LocalControl(
      Self.protocolName, file: CommunityFolder(path: folder).control,
      handlers: [
        "status": { _ in try LocalControl.text(of: await server.status()) },
        "reach": { _ in try LocalControl.text(of: await server.reach()) },
        "order": { text in
          let order = try JSONDecoder().decode(CommunityOrder.self, from: Data(text.utf8))
          return try LocalControl.text(of: try await server.carryOut(order))
        },
      ])
  }

  public func stop() async { await control.stop() }
}

/// A community server of another process.
public struct CommunityRemote: Sendable {
  private let remote: LocalRemote

  /// Throws `ServiceFailure.notRunning` where none has begun.
  public init(folder: String) throws {
    guard
      let remote = try LocalRemote(
        CommunityControl.protocolName, file: CommunityFolder(path: folder).control)
    else { throw ServiceFailure.notRunning(folder) }
    self.remote = remote
  }

  public func status() async throws -> CommunityStatus {
    try await remote.value("status", as: CommunityStatus.self)
  }

  /// What answers at the server's URL.
  public func reach() async throws -> CommunityReach {
    try await remote.value("reach", as: CommunityReach.self)
  }

  public func carryOut(_ order: CommunityOrder) async throws -> CommunityReport {
    let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
    return try JSONDecoder().decode(
      CommunityReport.self, from: Data(try await remote.send("order", text, timeout: .seconds(600)).utf8))
  }

  public func close() async { await remote.close() }
}

extension CommunityServer {
  /// Carries out an order of the operator. Throws `ServiceFailure.request` for what cannot be done.
  public func carryOut(_ order: CommunityOrder) async throws -> CommunityReport {
    try await CommunityOperator(store: store, rules: rules).carryOut(order)
  }

  /// Carries out an order: by the server that has the folder, or on the folder itself if none runs.
  public static func carryOut(_ order: CommunityOrder, _ options: Options) async throws -> CommunityReport {
    do {
      let remote = try CommunityRemote(folder: options.folder)
      let result: Result<CommunityReport, any Error>
      do { result = .success(try await remote.carryOut(order)) } catch { result = .failure(error) }
      await remote.close()
      return try result.get()
    } catch ServiceFailure.notRunning {
      return try await carryOutAlone(order, options)
    }
  }

  private static func carryOutAlone(
    _ order: CommunityOrder, _ options: Options
  ) async throws -> CommunityReport {
    let opening = WorkerQueue("session.community.opening")
    let (lock, desk) = try await opening.run { try openAlone(options) }
    let result: Result<CommunityReport, any Error>
    do { result = .success(try await desk.carryOut(order)) } catch { result = .failure(error) }
    await opening.run { try? desk.store.close() }
    withExtendedLifetime(lock) {}
    return try result.get()
  }

  /// The store and the rules of a server that does not run.
  private static func openAlone(_ options: Options) throws -> (FolderLock, CommunityOperator) {
    let folder = CommunityFolder(path: options.folder)
    let lock = try folder.lock()
    let keys = try folder.keys()
    let store = try folder.store(keys, options)
    let shelves = try CommunityShelves(
      of: folder, files: options.files, usesRows: options.storesFilesInRows, maxBytes: options.maxFileStore)
    let bytes = try store.readHere { transaction in
      try transaction.takeTime()
      return try transaction.fileBytes()
    }
    shelves.occupy(bytes)
    var options = options
    options.url =
      options.url ?? options.addresses.first.map { "\(options.tls == nil ? "http" : "https")://\($0)" }
    let rules = CommunityRules(options, keys: keys, shelves: shelves)
    return (lock, CommunityOperator(store: store, rules: rules))
  }
}
