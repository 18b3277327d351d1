import Folders
import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionDaemon

/// The socket that systemd passes.
@Suite(.timeLimit(.minutes(5))) struct ActivatedSocketsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A Unix socket, as systemd makes it.
  private func descriptor(_ type: Int32 = Int32(SOCK_STREAM.rawValue), listening: Bool = true) throws -> Int32
  {
    let descriptor = socket(AF_UNIX, type, 0)
    let address = try UnixAddress(folder.path("daemon.sock"))
    #expect(address.withSockaddr { bind(descriptor, $0, $1) } == 0)
    if listening { #expect(listen(descriptor, 5) == 0) }
    return descriptor
  }

  /// Descriptors that follow each other, as the service manager passes them; the first of them. Their numbers
  /// were free, and are far from those of other tests, which may be ports that listen.
  private func passed(_ sockets: [Int32]) throws -> Int32 {
    var lowest = min(15_000, Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))) - 200)
    while true {
      var numbers: [Int32] = []
      for socket in sockets {
        numbers.append(fcntl(socket, F_DUPFD_CLOEXEC, numbers.last.map { $0 + 1 } ?? lowest))
        try #require((numbers.last ?? -1) >= 0)
      }
      let first = numbers[0]
      if numbers == Array(first..<first + Int32(numbers.count)) { return first }
      for number in numbers { close(number) }
      lowest = (numbers.last ?? lowest) + 1
    }
  }

  private func environment(count: String = "1", names: String? = "rpc", process: Int32 = getpid()) -> [String:
    String]
  {
    var environment = ["LISTEN_PID": "\(process)", "LISTEN_FDS": count]
    environment["LISTEN_FDNAMES"] = names
    return environment
  }

  @Test func aClientReachesTheSocketWhoseFileStays() async throws {
    let passed = try #require(try ActivatedSockets(environment(), first: descriptor()).own)
    #expect(passed.path == folder.path("daemon.sock"))
    #expect(fcntl(passed.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    let listener = try SocketListener(passed)
    let client = try StreamSocket.connect(to: listener.path)
    let accepted = try #require(await listener.next())
    try await client.write([7])
    var reader = LineReader(accepted, limit: 10)
    client.endWriting()
    #expect(try await reader.next()?.bytes == [7])
    listener.close()
    #expect(FileManager.default.fileExists(atPath: listener.path))
  }

  @Test func nothingIsTakenThatIsMeantForOthers() throws {
    for environment in [
      [:], environment(process: getpid() + 1), environment(count: "0"), environment(count: "many"),
      environment(count: "-1"),
    ] { #expect(try ActivatedSockets(environment, first: 1_000_000).own == nil) }
  }

  @Test(
    arguments: [
      ("2", "rpc:http"), ("2", "rpc"), ("1", "http"), ("2", "rpc:rpc"), ("3", nil), ("65", nil),
    ] as [(String, String?)])
  func otherNumbersAndNamesAreRefused(count: String, names: String?) throws {
    let unix = try descriptor()
    let first = try passed([unix, unix])
    defer { for descriptor in [unix, first, first + 1] { close(descriptor) } }
    #expect(throws: FileError.self) {
      try ActivatedSockets(environment(count: count, names: names), first: first)
    }
  }

  @Test func portsAndFurtherSocketsHaveTheirNames() throws {
    let port = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let address = try #require(LoopbackAddress("127.0.0.1:0"))
    #expect(address.withSockaddr { bind(port, $0, $1) } == 0 && listen(port, 5) == 0)
    let first = try self.passed([port, descriptor()])
    let passed = try ActivatedSockets(environment(count: "2", names: "http:group"), first: first)
    #expect(passed.own == nil && passed.extra.keys.sorted() == ["group"])
    #expect(passed.http?.address == LoopbackAddress(of: port))
    #expect(passed.extra["group"]?.isKept == false)
  }

  @Test func aPortThatOthersReachIsRefused() throws {
    let port = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(port, $0, size) }
    }
    #expect(isBound == 0 && listen(port, 5) == 0)
    #expect(throws: FileError.self) { try ActivatedSockets(environment(names: "http"), first: port) }
  }

  /// A program that starts itself anew goes on listening, and removes the file at its end.
  @Test func aKeptSocketGoesOnListening() async throws {
    let path = folder.path("own.sock")
    let before = try SocketListener(at: path)
    let kept = KeptSockets([try before.kept(as: "rpc")])
    before.close()
    let client = try StreamSocket.connect(to: path)
    let passed = try ActivatedSockets([KeptSockets.variable: kept.text])
    let own = try #require(passed.own)
    #expect(own.path == path && own.isKept)
    let after = try SocketListener(own)
    _ = try #require(await after.next())
    client.close()
    after.close()
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try ActivatedSockets([KeptSockets.variable: "1 rpc=3+"]).own == nil)
  }

  @Test func aKeptSocketIsDroppedWhereTheProgramIsToListenElsewhere() throws {
    let path = folder.path("old.sock")
    let before = try SocketListener(at: path)
    let kept = KeptSockets([try before.kept(as: "rpc")])
    before.close()
    let passed = try ActivatedSockets([KeptSockets.variable: kept.text])
    #expect(passed.dropping(ownUnlessAt: path, httpUnlessAt: nil).own != nil)
    #expect(passed.dropping(ownUnlessAt: folder.path("new.sock"), httpUnlessAt: nil).own == nil)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func onlyAListeningStreamIsTaken() throws {
    for descriptor in [try descriptor(listening: false), 1_000_000, 1] {
      #expect(throws: FileError.self) { try ActivatedSockets(environment(), first: descriptor) }
    }
    unlink(folder.path("daemon.sock"))
    let datagrams = try descriptor(Int32(SOCK_DGRAM.rawValue), listening: false)
    #expect(throws: FileError.self) { try ActivatedSockets(environment(), first: datagrams) }
  }
}
