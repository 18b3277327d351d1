import Folders
import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionDaemon

/// The socket that systemd passes.
@Suite struct ActivatedSocketsTests {
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

  @Test(arguments: [("2", "rpc:http"), ("2", "rpc"), ("1", "http"), ("3", nil)])
  func otherNumbersAndNamesAreRefused(count: String, names: String?) {
    #expect(throws: FileError.self) { try ActivatedSockets(environment(count: count, names: names)) }
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
