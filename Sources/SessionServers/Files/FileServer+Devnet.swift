import SessionBase
import SessionCore
public import SessionService

extension DevnetServerKind {
  /// A file server.
  public static var fileServer: DevnetServerKind { fileServer { _ in } }

  /// A file server with options of one's own.
  public static func fileServer(
    _ change: @escaping @Sendable (inout FileServer.Options) -> Void
  ) -> DevnetServerKind {
    DevnetServerKind(name: NetworkService.fileServer) { folder, address in
      var options = FileServer.Options(folder: folder, address: address)
      change(&options)
      return try await WorkerQueue("session.files.opening").run { [options] in try FileServer(options) }
    }
  }
}

extension FileServer: DevnetServer {
  public func summary() async -> String {
    let totals = (try? await store.totals()) ?? (files: 0, bytes: 0)
    return "\(totals.files) files, \(totals.bytes) bytes"
  }

  public func stop() async { await stop(grace: .seconds(5)) }
}
