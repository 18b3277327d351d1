import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// The program that shows notifications, on a bus of its own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct NotificationServerTests {
  private let bus: PrivateBus
  private let happenings: AsyncStream<NotificationServer.Happening>
  private let happening: AsyncStream<NotificationServer.Happening>.Continuation

  init() throws {
    bus = try PrivateBus()
    (happenings, happening) = AsyncStream.makeStream(of: NotificationServer.Happening.self)
  }

  private func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await WorkerQueue("test.bus").run { try work() }
  }

  private func fake(isOwner: Bool = true) async throws -> FakeNotificationServer {
    let connection = try bus.connected()
    return try await blocking { try FakeNotificationServer(on: connection, isOwner: isOwner) }
  }

  private func started() async throws -> NotificationServer {
    let connection = try bus.connected()
    let server = NotificationServer(on: connection) { [happening] in happening.yield($0) }
    try await blocking { try server.start() }
    return server
  }

  private let bubble = Bubble(NoticeText(summaryOf: 2, in: 1))

  @Test func aNotificationIsShownAndReplaced() async throws {
    let fake = try await fake()
    let server = try await started()
    let first = try await server.show(bubble, replacing: nil)
    #expect(try await server.show(bubble, replacing: first) == first)
    await server.close(first)
    var calls = fake.calls.makeAsyncIterator()
    guard case .shown(let shown)? = await calls.next(), case .shown(let again)? = await calls.next() else {
      return #expect(Bool(false), "nothing was shown")
    }
    #expect(shown.title == "Session" && shown.body == "2 messages in 1 conversation" && shown.replaced == 0)
    #expect(again.replaced == first)
    #expect(await calls.next() == .closed(first))
    let information = try await server.information()
    #expect(information.name == "Fake" && information.version == "1.0")
  }

  @Test func onlySignalsOfTheOwnerCount() async throws {
    let fake = try await fake()
    let server = try await started()
    let stranger = try await self.fake(isOwner: false)
    stranger.choose("default", of: 1)
    stranger.reply("send this", to: 1)
    stranger.signal("NotificationClosed", .uint32(1), .uint32(2))
    // What is no signal of ours.
    fake.signal("ActionInvoked", .uint32(0), .string("default"))
    fake.signal("ActionInvoked", .string("1"), .string("default"))
    fake.signal("ActionInvoked", .uint32(1))
    fake.signal("NotificationReplied", .uint32(1), .uint32(1))
    fake.signal("Other", .uint32(1))
    // The bus has passed on what the stranger sent before it answers it.
    _ = try await bus.connected().call(.bus("GetId"))
    fake.signal("ActivationToken", .uint32(2), .string("for another"))
    fake.signal("ActivationToken", .uint32(1), .string("token"))
    fake.choose("default", of: 1)
    fake.choose("read", of: 1)
    fake.reply("Hi", to: 2)
    fake.signal("NotificationClosed", .uint32(2), .uint32(2))
    var heard = happenings.makeAsyncIterator()
    #expect(await heard.next() == .chosen(1, "default", token: "token"))
    #expect(await heard.next() == .chosen(1, "read", token: nil))
    #expect(await heard.next() == .answered(2, "Hi"))
    #expect(await heard.next() == .closed(2))
    withExtendedLifetime((server, stranger)) {}
  }

  @Test func anotherServerIsAskedAnew() async throws {
    var old: FakeNotificationServer? = try await fake()
    let server = try await started()
    #expect(try await server.abilities().hasReplies)
    let owner = server.owner
    withExtendedLifetime(old) {}
    old = nil
    var heard = happenings.makeAsyncIterator()
    #expect(await heard.next() == .replaced)
    #expect(server.owner == nil)
    let connection = try bus.connected()
    let new = try await blocking {
      let new = try FakeNotificationServer(on: connection)
      new.state.withLock { $0.capabilities = ["body"] }
      return new
    }
    #expect(await heard.next() == .replaced)
    #expect(server.owner != nil && server.owner != owner)
    let abilities = try await server.abilities()
    #expect(!abilities.hasReplies && !abilities.hasActions && !abilities.hasMarkup)
    withExtendedLifetime(new) {}
  }

  @Test func strangeRepliesAreFailures() async throws {
    let fake = try await fake()
    let server = try await started()
    fake.state.withLock { $0.answer = 0 }
    let zero = await #expect(throws: BusFailure.self) { try await server.show(bubble, replacing: nil) }
    #expect(zero?.kind == .message)
    fake.state.withLock { ($0.answer, $0.failures) = (nil, 1) }
    let refused = await #expect(throws: BusFailure.self) { try await server.show(bubble, replacing: nil) }
    #expect(refused?.kind == .refused("test.Error.No"))
    #expect(try await server.show(bubble, replacing: nil) > 0)
  }

  @Test func veryManyCapabilitiesAreNoHarm() async throws {
    let fake = try await fake()
    fake.state.withLock { $0.capabilities = ["actions"] + (0..<10_000).map { "x-\($0)" } + ["inline-reply"] }
    let abilities = try await started().abilities()
    #expect(abilities.hasActions && !abilities.hasReplies)
  }

  @Test func aServerThatEndsBeforeItRepliesIsAFailure() async throws {
    var connection: Bus? = try bus.connected()
    let isCalled = Latch()
    try await blocking { [connection] in
      guard let connection else { return }
      connection.export("/org/freedesktop/Notifications") { call in
        guard call.member == "Notify" else { return .values([.array(of: "s", [])]) }
        isCalled.open()
        return .silence
      }
      _ = try connection.take(name: NotificationServer.name)
    }
    let server = try await started()
    let bubble = bubble
    let showing = Task { try await server.show(bubble, replacing: nil) }
    await isCalled.wait()
    withExtendedLifetime(connection) {}
    connection = nil
    let gone = await #expect(throws: BusFailure.self) { try await showing.value }
    #expect(gone?.kind == .timeout)
    // The bus is still there.
    _ = try await bus.connected().call(.bus("GetId"))
  }

  @Test func aMalformedListOfCapabilitiesIsAFailure() async throws {
    let connection = try bus.connected()
    try await blocking {
      connection.export("/org/freedesktop/Notifications") { _ in .values([.uint32(7)]) }
      _ = try connection.take(name: NotificationServer.name)
    }
    let server = try await started()
    let strange = await #expect(throws: BusFailure.self) { try await server.show(bubble, replacing: nil) }
    #expect(strange?.kind == .message)
    await #expect(throws: BusFailure.self) { try await server.information() }
    withExtendedLifetime(connection) {}
  }

  @Test func withoutAServerThereIsAFailure() async throws {
    let server = try await started()
    #expect(server.owner == nil)
    let missing = await #expect(throws: BusFailure.self) { try await server.show(bubble, replacing: nil) }
    #expect(missing?.kind == .refused("org.freedesktop.DBus.Error.ServiceUnknown"))
  }
}
