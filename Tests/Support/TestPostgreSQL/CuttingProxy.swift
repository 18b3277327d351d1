import Foundation
import Glibc
import Synchronization

@testable public import SessionStorage

/// Stands between a client and a PostgreSQL server, and cuts a connection where a test wants it.
public final class CuttingProxy: Sendable {
  /// Where the connection ends.
  public enum Cut: Sendable {
    /// The server does not get the next commit.
    case beforeCommit
    /// The server gets the next commit, and the client no answer.
    case beforeAnswer
    /// The server gets the next commit when a test delivers it, long after the client has lost the connection.
    case lateCommit
    /// The server does not get the next row.
    case insertion

    fileprivate var text: String { self == .insertion ? "INSERT INTO thing" : "COMMIT" }
  }

  private static let port = 5433

  private let instance: PostgreSQLInstance
  private let listener: Int32
  private let cut = Mutex<Cut?>(nil)
  private let late = Mutex<(@Sendable () -> Void)?>(nil)

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
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        guard let self else {
          close(client)
          return
        }
        serve(client)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Cuts what comes next of its kind.
  public func arm(_ cut: Cut) { self.cut.withLock { $0 = cut } }

  /// Passes the late commit on, and waits until the server has dealt with it.
  public func deliverLateCommit() {
    let deliver = late.withLock { late in
      defer { late = nil }
      return late
    }
    deliver?()
  }

  /// True until it was cut.
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
        switch cut.withLock({ cut in
          guard let armed = cut, String(decoding: bytes, as: UTF8.self).contains(armed.text) else {
            return Cut?.none
          }
          cut = nil
          return armed
        }) {
        case nil: return .on
        case .beforeCommit?, .insertion?: return .end
        case .beforeAnswer?:
          link.isMute.store(true, ordering: .sequentiallyConsistent)
          return .on
        case .lateCommit?:
          late.withLock { $0 = { link.deliver(bytes) } }
          return .hold
        }
      }
    }
    Thread.detachNewThread {
      link.pump(from: server, to: client) { _ in
        link.isMute.load(ordering: .sequentiallyConsistent) ? .end : .on
      }
    }
  }

  /// Both ends of a connection.
  private final class Link: Sendable {
    let client, server: Int32
    /// True if the client gets nothing more.
    let isMute = Atomic<Bool>(false)
    private let isHeld = Atomic<Bool>(false)
    private let ends = Mutex(2)
    private let ended = DispatchSemaphore(value: 0)

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    /// What happens with bytes.
    enum Passage {
      case on
      /// Both ends close.
      case end
      /// The client's end closes; the server's stays open until it answers.
      case hold
    }

    /// Passes bytes on until a closure is against it, or an end closes.
    func pump(from source: Int32, to sink: Int32, _ passage: ([UInt8]) -> Passage) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      pumping: while true {
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { break }
        switch passage(Array(buffer[..<count])) {
        case .on: guard send(sink, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break pumping }
        case .end: break pumping
        case .hold:
          isHeld.store(true, ordering: .sequentiallyConsistent)
          break pumping
        }
      }
      shutdown(client, Int32(SHUT_RDWR))
      if !isHeld.load(ordering: .sequentiallyConsistent) { shutdown(server, Int32(SHUT_RDWR)) }
      leave()
    }

    /// Sends the server what was held back, and waits for its answer, with which the connection ends.
    func deliver(_ bytes: [UInt8]) {
      _ = send(server, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      ended.wait()
    }

    private func leave() {
      let isLast = ends.withLock { ends in
        ends -= 1
        return ends == 0
      }
      guard isLast else { return }
      close(client)
      close(server)
      ended.signal()
    }
  }

  private static func path(_ folder: String, _ port: Int) -> String { "\(folder)/.s.PGSQL.\(port)" }

  /// A socket of a path, or -1.
  private static func socket(
    at path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Int32 {
    let made = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
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
