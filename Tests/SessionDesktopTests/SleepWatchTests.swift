import Glibc
import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// The sleep of a machine, which a fake service on a bus of its own tells.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(1)))
struct SleepWatchTests {
  /// Tells of sleep, and gives the ends of sockets as what keeps the machine awake.
  private final class FakeManager: Sendable {
    private let bus: Bus
    /// The other ends: reading one ends when the program lets the machine sleep.
    let awake: AsyncStream<BusFile>
    let words = Mutex<[[String]]>([])

    init(on bus: Bus, granting: Bool = true) throws {
      self.bus = bus
      let (awake, keeping) = AsyncStream.makeStream(of: BusFile.self)
      self.awake = awake
      bus.export("/org/freedesktop/login1") { [weak self] call in
        guard call.member == "Inhibit" else {
          return .error("org.freedesktop.DBus.Error.UnknownMethod", "no")
        }
        self?.words.withLock { $0.append(call.values.compactMap(\.text)) }
        var ends: [Int32] = [-1, -1]
        // Programs that other tests start meanwhile must not keep it open.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard granting, socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
          return .error("org.freedesktop.DBus.Error.AccessDenied", "no")
        }
        keeping.yield(BusFile(adopting: ends[0]))
        return .values([.file(BusFile(adopting: ends[1]))])
      }
      #expect(try bus.take(name: "org.freedesktop.login1"))
    }

    func tell(_ isAsleep: Bool, as interface: String = "org.freedesktop.login1.Manager") {
      bus.send(
        BusSignal(
          sender: "", path: "/org/freedesktop/login1", interface: interface, member: "PrepareForSleep",
          values: [.boolean(isAsleep)]))
    }
  }

  private let bus: PrivateBus
  private let queue = WorkerQueue("test.sleep")
  private let told: AsyncStream<Bool>
  private let telling: AsyncStream<Bool>.Continuation

  init() throws {
    bus = try PrivateBus()
    (told, telling) = AsyncStream.makeStream(of: Bool.self)
  }

  /// Returns when the other side has closed the file.
  private func untilClosed(_ file: BusFile) async throws {
    var polled = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, 0) < 1 {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func theMachineSleepsWhenEverythingIsDone() async throws {
    let (theirs, ours) = (try bus.connected(), try bus.connected())
    let fake = try await queue.run { try FakeManager(on: theirs) }
    var awake = fake.awake.makeAsyncIterator()
    let mayFinish = Latch()
    var watch = SleepWatch(on: ours)
    watch.patience = .seconds(50)
    let running = Task { [telling, watch] in
      try? await watch.run { isAsleep in
        telling.yield(isAsleep)
        if isAsleep { await mayFinish.wait() }
      }
    }
    let first = try #require(await awake.next())
    #expect(fake.words.withLock { $0.first?.first == "sleep" && $0.first?.last == "delay" })
    fake.tell(true)
    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == true)
    // It is kept awake until the work has ended.
    var polled = pollfd(fd: first.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&polled, 1, 0) == 0)
    mayFinish.open()
    try await untilClosed(first)
    // What others say changes nothing, and neither does what is known.
    ours.send(
      BusSignal(
        sender: "", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
        member: "PrepareForSleep", values: [.boolean(false)]))
    fake.tell(false, as: "org.example.Other")
    fake.tell(true)
    fake.tell(false)
    #expect(await changes.next() == false)
    let second = try #require(await awake.next())
    fake.tell(true)
    #expect(await changes.next() == true)
    try await untilClosed(second)
    // The end of the bus wakes it.
    bus.end()
    #expect(await changes.next() == false)
    await running.value
  }

  @Test func whatOthersSendToThisProgramAloneChangesNothing() async throws {
    let (theirs, ours, stranger) = (try bus.connected(), try bus.connected(), try bus.connected())
    let fake = try await queue.run { try FakeManager(on: theirs) }
    var awake = fake.awake.makeAsyncIterator()
    #expect(try await queue.run { try ours.take(name: "test.Watch") })
    let running = Task { [telling] in
      try? await SleepWatch(on: ours).run { telling.yield($0) }
      telling.finish()
    }
    _ = try #require(await awake.next())
    #expect(try await queue.run { try stranger.take(name: "test.Stranger") })
    let reply = try await stranger.call(.bus("GetNameOwner"), [.string("test.Stranger")])
    let name = try #require(reply.first?.text)
    // Only the bus can say who the manager is.
    let forged = [
      BusSignal(
        sender: "", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged",
        values: [.string("org.freedesktop.login1"), .string(""), .string(name)]),
      BusSignal(
        sender: "", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
        member: "PrepareForSleep", values: [.boolean(true)]),
    ]
    for signal in forged { stranger.send(signal, to: "test.Watch") }
    // The bus replies to each connection after what it has passed on before.
    for connection in [stranger, ours] { _ = try await connection.call(.bus("GetId")) }
    bus.end()
    await running.value
    var changes: [Bool] = []
    for await change in told { changes.append(change) }
    #expect(changes.isEmpty)
    withExtendedLifetime(fake) {}
  }

  @Test func workThatTakesLongDoesNotKeepItAwake() async throws {
    let (theirs, ours) = (try bus.connected(), try bus.connected())
    let fake = try await queue.run { try FakeManager(on: theirs) }
    var awake = fake.awake.makeAsyncIterator()
    let mayFinish = Latch()
    var watch = SleepWatch(on: ours)
    watch.patience = .milliseconds(1)
    let running = Task { [telling, watch] in
      try? await watch.run { isAsleep in
        if isAsleep { await mayFinish.wait() }
        telling.yield(isAsleep)
      }
    }
    let first = try #require(await awake.next())
    fake.tell(true)
    try await untilClosed(first)
    // Waking comes behind the work.
    fake.tell(false)
    mayFinish.open()
    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == true)
    #expect(await changes.next() == false)
    bus.end()
    await running.value
  }

  @Test func aSystemThatGrantsNothingIsHeardAllTheSame() async throws {
    let (theirs, ours) = (try bus.connected(), try bus.connected())
    let fake = try await queue.run { try FakeManager(on: theirs, granting: false) }
    let running = Task { [telling] in
      try? await SleepWatch(on: ours).run { telling.yield($0) }
    }
    // It asks once it hears.
    while fake.words.withLock({ $0.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    fake.tell(true)
    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == true)
    bus.end()
    await running.value
  }
}
