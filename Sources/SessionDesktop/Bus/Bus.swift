internal import CSystemBus
import Glibc
package import SessionBase
import Synchronization

/// A connection to a D-Bus bus. One thread owns it, and waits for messages and for work of others.
package final class Bus: Sendable {
  /// A reply: the values, or why there are none.
  package typealias Reply = Result<[BusValue], BusFailure>

  /// How long a call may take.
  package static let usualTimeout = Duration.seconds(5)
  private static let maxWaiting = 1024

  private struct Shared {
    var work: [@Sendable (BusThread?) -> Void] = []
    var isClosed = false
  }

  private let shared = Mutex(Shared())
  private let bell: BusBell
  /// Opens when the connection has ended.
  package let closed = Latch()

  /// The address of the session bus of an environment; nil if there is none.
  package static func sessionAddress(_ environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
    let path = folder + "/bus"
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return "unix:path=" + path
  }

  /// The address of the bus of the system, of an environment.
  package static func systemAddress(_ environment: [String: String]) -> String {
    let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
    return address.isEmpty ? "unix:path=/run/dbus/system_bus_socket" : address
  }

  /// Connects, without waiting until the bus has let this program in: calls wait for that.
  package init(address: String) throws(BusFailure) {
    guard let functions = bus_load() else {
      throw BusFailure(.noLibrary, "\(bus_missing().map { String(cString: $0) } ?? "libsystemd") is missing")
    }
    try Self.checkOwner(of: address)
    bell = try BusBell()
    let opened = try Self.connection(to: address, functions)
    // A raw pointer is handed to the thread, which alone uses it from now on.
    nonisolated(unsafe) let connection = opened
    nonisolated(unsafe) let calls = functions
    let isStarted = OwnThread.start { [weak self, bell] in
      let thread = BusThread(connection, calls)
      while let work = self?.takeWork() {
        for item in work { item(thread) }
        guard thread.process(until: bell) else { break }
      }
      self?.end()
      thread.close()
    }
    guard isStarted else {
      _ = functions.pointee.sd_bus_flush_close_unref(connection)
      throw BusFailure(.noBus, "no thread is left")
    }
  }

  deinit {
    // The thread ends when it sees that nothing holds the connection any more.
    bell.ring()
  }

  /// Another user's socket could be anything.
  private static func checkOwner(of address: String) throws(BusFailure) {
    guard address.hasPrefix("unix:path=") else { return }
    let path = String(address.dropFirst("unix:path=".count).prefix { $0 != "," && $0 != ";" })
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      throw BusFailure(.noBus, "\(path) is not a socket")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw BusFailure(.noBus, "\(path) belongs to another user")
    }
  }

  private static func connection(
    to address: String, _ functions: UnsafePointer<bus_functions>
  ) throws(BusFailure) -> OpaquePointer {
    var made: OpaquePointer?
    guard functions.pointee.sd_bus_new(&made) >= 0, let connection = made else {
      throw BusFailure(.noBus, "no connection can be made")
    }
    for result in [
      functions.pointee.sd_bus_set_address(connection, address),
      functions.pointee.sd_bus_set_bus_client(connection, 1),
      functions.pointee.sd_bus_set_exit_on_disconnect(connection, 0),
    ] where result < 0 {
      _ = functions.pointee.sd_bus_flush_close_unref(connection)
      throw BusFailure(.noBus, "\(address) is not the address of a bus")
    }
    let result = functions.pointee.sd_bus_start(connection)
    guard result >= 0 else {
      _ = functions.pointee.sd_bus_flush_close_unref(connection)
      throw BusFailure(.noBus, "the bus cannot be reached: \(String(cString: strerror(-result)))")
    }
    return connection
  }

  // MARK: - Work for the thread

  private func takeWork() -> [@Sendable (BusThread?) -> Void]? {
    shared.withLock { shared in
      guard !shared.isClosed else { return nil }
      defer { shared.work = [] }
      return shared.work
    }
  }

  private func end() {
    let left = shared.withLock { shared in
      defer { (shared.isClosed, shared.work) = (true, []) }
      return shared.work
    }
    for item in left { item(nil) }
    closed.open()
  }

  /// Has the thread do something; with nil if the connection has ended. False if it has, or if too much waits.
  private func post(_ work: @escaping @Sendable (BusThread?) -> Void) -> Bool {
    let isTaken = shared.withLock { shared in
      guard !shared.isClosed, shared.work.count < Self.maxWaiting else { return false }
      shared.work.append(work)
      return true
    }
    if isTaken { bell.ring() }
    return isTaken
  }
}

extension Bus {
  // MARK: - Calls

  private static let gone = BusFailure(.closed, "the connection to the bus has ended")

  /// Calls a method. `then` is called once, on the thread of the bus, which it must not block.
  package func call(
    _ method: BusMethod, _ values: [BusValue] = [], timeout: Duration = usualTimeout,
    then: @escaping @Sendable (Reply) -> Void
  ) {
    let isTaken = post { thread in
      guard let thread else { return then(.failure(Self.gone)) }
      thread.call(method, values, timeout, then)
    }
    if !isTaken { then(.failure(Self.gone)) }
  }

  /// Calls a method, and waits for its reply.
  package func call(
    _ method: BusMethod, _ values: [BusValue] = [], timeout: Duration = usualTimeout
  ) async throws(BusFailure) -> [BusValue] {
    let reply: Reply = await withCheckedContinuation { waiting in
      call(method, values, timeout: timeout) { waiting.resume(returning: $0) }
    }
    return try reply.get()
  }

  /// Calls a method, and blocks the calling thread until it replies: for worker queues only.
  package func callBlocking(
    _ method: BusMethod, _ values: [BusValue] = [], timeout: Duration = usualTimeout
  ) throws(BusFailure) -> [BusValue] {
    let answer = AwaitedAnswer<Reply>()
    call(method, values, timeout: timeout) { answer.give($0) }
    return try Self.reply(answer, timeout).get()
  }

  // MARK: - Signals

  /// Hears the signals that a rule matches. `hear` is called on the thread of the bus, which it must not block, until the
  /// connection ends. Returns once the bus has the rule.
  package func hear(
    _ rule: String, _ hear: @escaping @Sendable (BusSignal) -> Void
  ) throws(BusFailure) {
    let answer = AwaitedAnswer<BusFailure?>()
    let isTaken = post { thread in
      guard let thread else { return answer.give(Self.gone) }
      thread.hear(rule, hear) { answer.give($0) }
    }
    guard isTaken else { throw Self.gone }
    if let failure = try Self.reply(answer, Self.usualTimeout) { throw failure }
  }

  /// Waits for an answer. The time of a call begins only when the bus has let this program in, which a silent bus never does.
  private static func reply<Answer>(
    _ answer: AwaitedAnswer<Answer>, _ timeout: Duration
  ) throws(BusFailure) -> Answer {
    guard let reply = answer.wait(for: timeout + .seconds(1)) else {
      throw BusFailure(.timeout, "the bus does not answer")
    }
    return reply
  }

  /// Sends a signal from a path of this program, to one program or to all that listen.
  package func send(_ signal: BusSignal, to destination: String? = nil) {
    _ = post { $0?.send(signal, to: destination) }
  }

  // MARK: - Objects

  /// Answers the calls of a path. `answer` is called on the thread of the bus, which it must not block.
  package func export(_ path: String, _ answer: @escaping @Sendable (BusSignal) -> BusAnswer) {
    _ = post { $0?.export(path, answer) }
  }

  /// Takes a name, unless another program has it. Blocks.
  package func take(name: String) throws(BusFailure) -> Bool {
    // Do not queue, and do not replace others.
    let reply = try callBlocking(.bus("RequestName"), [.string(name), .uint32(4)])
    return reply.first?.number == 1
  }
}

/// A method of an object on the bus.
package struct BusMethod: Hashable, Sendable {
  package let destination: String
  package let path: String
  package let interface: String
  package let member: String

  package init(_ destination: String, _ path: String, _ interface: String, _ member: String) {
    (self.destination, self.path, self.interface, self.member) = (destination, path, interface, member)
  }

  /// A method of the bus itself.
  package static func bus(_ member: String) -> BusMethod {
    BusMethod("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member)
  }
}

/// How an object of this program answers a call.
package enum BusAnswer: Hashable, Sendable {
  case values([BusValue])
  /// The name of the error, and its text.
  case error(String, String)
  /// No reply at all.
  case silence
}

/// Wakes the thread of a bus.
final class BusBell: Sendable {
  let descriptor: Int32

  init() throws(BusFailure) {
    descriptor = bus_bell()
    guard descriptor >= 0 else { throw BusFailure(.noBus, "no descriptor is left") }
  }

  deinit { close(descriptor) }

  func ring() { bus_ring(descriptor) }

  func silence() { bus_silence(descriptor) }
}
