import CSystemBus
import Foundation
import Glibc
import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5))) struct BusTests {
  private let server: PrivateBus

  init() throws { server = try PrivateBus() }

  private static let echo = BusMethod("test.Echo", "/test/Echo", "test.Echo", "Echo")

  /// Runs blocking work off the threads of tasks.
  private func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await WorkerQueue("test.bus").run { try work() }
  }

  /// A program that answers each call.
  private func answering(
    _ answer: @escaping @Sendable (BusSignal) -> BusAnswer
  ) async throws -> Bus {
    let bus = try server.connected()
    bus.export(Self.echo.path, answer)
    #expect(try await blocking { try bus.take(name: Self.echo.destination) })
    return bus
  }

  @Test func everyFunctionIsInTheLibrary() {
    #expect(bus_missing().map { String(cString: $0) } == nil)
    #expect(bus_load() != nil)
  }

  /// A socket that takes connections, and says nothing.
  private func silentAddress() throws -> (address: String, socket: FileHandle) {
    let path = server.folder.appending(path: "silent").path
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let isBound = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && listen(descriptor, 4) == 0)
    return ("unix:path=\(path)", handle)
  }

  @Test func aBusThatSaysNothingFailsInTime() async throws {
    let (address, socket) = try silentAddress()
    let bus = try Bus(address: address)
    let begin = ContinuousClock.now
    let failure = await #expect(throws: BusFailure.self) {
      try await blocking { try bus.callBlocking(Self.echo, timeout: .milliseconds(50)) }
    }
    #expect(failure?.kind == .timeout)
    #expect(ContinuousClock.now - begin < .seconds(30))
    try socket.close()
  }

  @Test func allValuesGoThereAndBack() async throws {
    let other = try await answering { .values($0.values) }
    let values: [BusValue] = [
      .byte(255), .boolean(true), .boolean(false), .int16(-3), .uint16(65535), .int32(-1), .uint32(.max),
      .int64(.min), .uint64(.max), .double(1.5), .string("ü\u{202E}"), .string(""), .path("/a/b"),
      .signature("a{sv}"),
      .bytes([]), .bytes([0, 1, 255]), .array(of: "s", []), .array(of: "s", [.string("x"), .string("y")]),
      .structure([.int32(1), .structure([.byte(2), .bytes([3])])]), .variant(.variant(.uint32(7))),
      .options([("a", .string("b")), ("c", .structure([.int32(1), .bytes([9])]))]), .texts([("k", "v")]),
      .array(of: "(oayays)", [.structure([.path("/"), .bytes([]), .bytes([1]), .string("t")])]),
    ]
    let reply = try await server.connected().call(Self.echo, values)
    #expect(reply == values)
    withExtendedLifetime(other) {}
  }

  @Test func fewFilesAreTakenFromAMessage() async throws {
    let other = try await answering { call in
      let count = Int(call.values.first?.number ?? 0)
      let files = (0..<count).map { _ in
        BusValue.file(BusFile(adopting: open("/dev/null", O_RDONLY | O_CLOEXEC)))
      }
      return .values([.array(of: "h", files)])
    }
    let bus = try server.connected()
    let most = UInt32(BusMessage.maxFiles)
    let reply = try await bus.call(Self.echo, [.uint32(most)])
    #expect(reply.first?.elements?.count == BusMessage.maxFiles)
    let failure = await #expect(throws: BusFailure.self) {
      try await bus.call(Self.echo, [.uint32(most + 1)])
    }
    #expect(failure == BusFailure(.message, "a message has too many files"))
    withExtendedLifetime(other) {}
  }

  @Test func refusalsAndMissingProgramsAreErrors() async throws {
    let other = try await answering { call in
      call.values.isEmpty ? .error("test.Error.No", "not today") : .values([])
    }
    let bus = try server.connected()
    let refused = await #expect(throws: BusFailure.self) { try await bus.call(Self.echo) }
    #expect(refused == BusFailure(.refused("test.Error.No"), "not today"))
    let missing = await #expect(throws: BusFailure.self) {
      try await bus.call(BusMethod("test.Absent", "/x", "test.X", "Y"))
    }
    #expect(missing?.kind == .refused("org.freedesktop.DBus.Error.ServiceUnknown"))
    withExtendedLifetime(other) {}
  }

  @Test func aReplyThatDoesNotComeIsATimeout() async throws {
    let other = try await answering { _ in .silence }
    let bus = try server.connected()
    let late = await #expect(throws: BusFailure.self) {
      try await bus.call(Self.echo, timeout: .milliseconds(50))
    }
    #expect(late?.kind == .timeout)
    withExtendedLifetime(other) {}
  }

  @Test func textsWithAZeroAreRefusedAndTheConnectionStays() async throws {
    let other = try await answering { .values($0.values) }
    let bus = try server.connected()
    let refused = await #expect(throws: BusFailure.self) { try await bus.call(Self.echo, [.string("a\0b")]) }
    #expect(refused?.kind == .message)
    for bad in [BusValue.path("no path"), .signature("{"), .array(of: "}", [])] {
      await #expect(throws: BusFailure.self) { try await bus.call(Self.echo, [bad]) }
    }
    #expect(try await bus.call(Self.echo, [.byte(1)]) == [.byte(1)])
    withExtendedLifetime(other) {}
  }

  @Test func callsThatWaitEndWithTheBus() async throws {
    let isCalled = Latch()
    let other = try await answering { _ in
      isCalled.open()
      return .silence
    }
    let bus = try server.connected()
    let (ends, ending) = AsyncStream.makeStream(of: Bus.Reply.self)
    bus.call(Self.echo, timeout: .seconds(100)) { ending.yield($0) }
    await isCalled.wait()
    server.end()
    var replies = ends.makeAsyncIterator()
    guard case .failure(let lost)? = await replies.next() else {
      return #expect(Bool(false), "there was a reply")
    }
    #expect([.closed, .timeout].contains(lost.kind))
    await bus.closed.wait()
    let closed = await #expect(throws: BusFailure.self) { try await bus.call(Self.echo) }
    #expect(closed?.kind == .closed)
    withExtendedLifetime(other) {}
  }

  @Test func callsThatWaitEndWithTheirConnection() async throws {
    let isCalled = Latch()
    let other = try await answering { _ in
      isCalled.open()
      return .silence
    }
    let (ends, ending) = AsyncStream.makeStream(of: Bus.Reply.self)
    do {
      let bus = try server.connected()
      bus.call(Self.echo, timeout: .seconds(100)) { ending.yield($0) }
      await isCalled.wait()
    }
    var replies = ends.makeAsyncIterator()
    let reply = await replies.next()
    #expect(reply == .failure(BusFailure(.closed, "the connection to the bus has ended")))
    withExtendedLifetime(other) {}
  }

  @Test func signalsOfAnOwnerAreHeard() async throws {
    let (heard, hearing) = AsyncStream.makeStream(of: BusSignal.self)
    let owner = try await answering { .values($0.values) }
    let stranger = try server.connected()
    let bus = try server.connected()
    try await blocking {
      try bus.hear("type='signal',sender='test.Echo',interface='test.Echo',member='Said'") {
        hearing.yield($0)
      }
    }
    stranger.send(
      BusSignal(sender: "", path: "/test/Echo", interface: "test.Echo", member: "Said", values: [.byte(1)]))
    // The bus has passed on the signal of the stranger before it answers this.
    _ = try await stranger.call(.bus("GetId"))
    owner.send(
      BusSignal(sender: "", path: "/test/Echo", interface: "test.Echo", member: "Said", values: [.byte(2)]))
    var signals = heard.makeAsyncIterator()
    let first = await signals.next()
    #expect(first?.values == [.byte(2)] && first?.sender.hasPrefix(":") == true)
  }

  @Test func aNameIsTakenOnce() async throws {
    let (one, two) = (try server.connected(), try server.connected())
    #expect(try await blocking { try one.take(name: "test.Name") })
    #expect(try await !blocking { try two.take(name: "test.Name") })
  }

  @Test func addressesThatAreNoBusAreErrors() async throws {
    try Data().write(to: server.folder.appending(path: "file"))
    for (address, kind) in [
      ("unix:path=\(server.folder.path)/file", BusFailure.Kind.noBus),
      ("unix:path=\(server.folder.path)/absent", .noBus), ("nonsense", .noBus), ("", .noBus),
    ] {
      let failure = #expect(throws: BusFailure.self, "\(address)") { try Bus(address: address) }
      #expect(failure?.kind == kind)
    }
  }

  @Test func theAddressComesFromTheEnvironment() throws {
    #expect(Bus.systemAddress([:]) == "unix:path=/run/dbus/system_bus_socket")
    #expect(Bus.systemAddress(["DBUS_SYSTEM_BUS_ADDRESS": server.address]) == server.address)
    #expect(Bus.sessionAddress([:]) == nil)
    #expect(Bus.sessionAddress(["XDG_RUNTIME_DIR": server.folder.path]) == nil)
    #expect(Bus.sessionAddress(["DBUS_SESSION_BUS_ADDRESS": server.address]) == server.address)
    try FileManager.default.moveItem(
      at: server.folder.appending(path: "socket"), to: server.folder.appending(path: "bus"))
    #expect(
      Bus.sessionAddress(["XDG_RUNTIME_DIR": server.folder.path]) == "unix:path=\(server.folder.path)/bus")
  }
}
