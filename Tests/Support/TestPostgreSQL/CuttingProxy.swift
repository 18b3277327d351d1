import Foundation
import Glibc
import Synchronization

@testable public import SessionStorage

/// Stands between a client and a PostgreSQL server, and cuts a connection at its next commit.
public final class CuttingProxy: Sendable {
  /// Where the next commit ends.
  public enum Cut: Sendable {
    /// The server does not get it.
    case beforeCommit
    /// The server gets it, and the client no answer.
    case beforeAnswer
  }

  private static let port = 5433

  private let instance: PostgreSQLInstance
  private let listener: Int32
  private let cut = Mutex<Cut?>(nil)

  public init(_ instance: PostgreSQLInstance) throws {
    self.instance = instance
    listener = Self.socket(at: Self.path(instance.folder, Self.port)) {
      bind($0, $1, $2) == 0 && listen($0, 16) == 0
    }
    guard listener >= 0 else { throw PostgreSQLInstance.Absence(description: "the proxy cannot listen") }
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let self else {
          close(client)
          return
        }
        serve(client)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Has the next commit cut.
  public func arm(_ cut: Cut) { self.cut.withLock { $0 = cut } }

  /// True until a commit was cut.
  public var isArmed: Bool { cut.withLock { $0 != nil } }

  public func address(of database: String) throws -> PostgreSQLAddress {
    try PostgreSQLAddress(try instance.address(of: database).text + "&port=\(Self.port)")
  }

  private func serve(_ client: Int32) {
    let server = Self.socket(at: Self.path(instance.folder, 5432)) { connect($0, $1, $2) == 0 }
    guard server >= 0 else {
      close(client)
      return
    }
    let link = Link(client: client, server: server)
    Thread.detachNewThread { [self] in
      link.pump(from: client, to: server) { bytes in
        guard bytes.contains("COMMIT") else { return true }
        switch cut.withLock({ cut in
          defer { cut = nil }
          return cut
        }) {
        case nil: return true
        case .beforeCommit?: return false
        case .beforeAnswer?:
          link.isMute.store(true, ordering: .sequentiallyConsistent)
          return true
        }
      }
    }
    Thread.detachNewThread {
      link.pump(from: server, to: client) { _ in !link.isMute.load(ordering: .sequentiallyConsistent) }
    }
  }

  /// Both ends of a connection.
  private final class Link: Sendable {
    let client, server: Int32
    /// True if the client gets nothing more.
    let isMute = Atomic<Bool>(false)
    private let ends = Mutex(2)

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    /// Passes bytes on until a closure is against it, or an end closes.
    func pump(from source: Int32, to sink: Int32, _ passes: (String) -> Bool) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(source, &buffer, buffer.count)
        guard count > 0, passes(String(decoding: buffer[..<count], as: UTF8.self)),
          send(sink, buffer, count, Int32(MSG_NOSIGNAL)) == count
        else { break }
      }
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
      let isLast = ends.withLock { ends in
        ends -= 1
        return ends == 0
      }
      guard isLast else { return }
      close(client)
      close(server)
    }
  }

  private static func path(_ folder: String, _ port: Int) -> String { "\(folder)/.s.PGSQL.\(port)" }

  /// A socket of a path, or -1.
  private static func socket(
    at path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Int32 {
    let made = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isUsed = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if !isUsed { close(made) }
    return isUsed ? made : -1
  }
}
