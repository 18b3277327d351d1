import Folders
import Foundation
import Glibc
import SessionBase
import SessionMessaging
import SessionStorage
import Synchronization
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// What systemd hears of the daemon while it runs.
@Suite(.timeLimit(.minutes(1))) struct DaemonHealthTests {
  /// Accounts in states that a test sets. Each look finds the next ones; the last ones stay.
  private final class Shown: ServedAccounts {
    private let looks: Mutex<[[ServedAccount]]>
    private let (stream, telling) = AsyncStream.makeStream(of: Void.self)

    convenience init(_ accounts: [ServedAccount]) { self.init([accounts]) }

    init(_ looks: [[ServedAccount]]) {
      self.looks = Mutex(looks)
      telling.yield()
    }

    func set(_ accounts: [ServedAccount]) {
      looks.withLock { $0 = [accounts] }
      telling.yield()
    }

    func all() -> [ServedAccount] {
      looks.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }

    func changes() -> AsyncStream<Void> { stream }
    func messenger(named name: String?) throws -> Messenger { throw RPCError.noAccount(name ?? "") }
    func openMessenger(named name: String) -> Messenger? { nil }
    func park(_ name: String) {}
    func unpark(_ name: String) {}
    func release(to process: Int32) {}
    func unlock(_ name: String, _ secret: KeySecret?) {}
    func change(_ name: String, _ change: AccountChange) {}
    func isDeleted(_ name: String) -> Bool { false }
  }

  /// A socket such as systemd's.
  private final class Manager: Sendable {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let path: String

    init(_ path: String) {
      self.path = path
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let result = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      #expect(result == 0)
    }

    deinit { close(descriptor) }

    /// The next text.
    func next() async -> String {
      await WorkerQueue("manager").run { [descriptor] in
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      }
    }
  }

  private let folder: TemporaryFolder
  private let manager: Manager

  init() throws {
    folder = try TemporaryFolder()
    manager = Manager(folder.path("notify"))
  }

  private static func account(_ state: String, writingFor time: Duration = .zero) -> ServedAccount {
    var account = ServedAccount(name: "a", id: nil, state: state)
    account.writingTime = time
    return account
  }

  private func health(
    _ accounts: Shown, watchdog: Int = 0, stuck: @escaping @Sendable (ServedAccount) -> Void = { _ in }
  ) -> DaemonHealth {
    DaemonHealth(
      manager: ServiceManager(["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "\(watchdog)"]),
      accounts: accounts, noteStuck: stuck, pause: .milliseconds(1))
  }

  @Test func statesAreToldWhenTheyChangeWithoutNames() async {
    let accounts = Shown([Self.account("opening"), Self.account("running")])
    let reporting = Task { await health(accounts).report() }
    #expect(await manager.next() == "STATUS=1 of 2 accounts running, 1 opening")
    accounts.set([Self.account("opening"), Self.account("running")])
    accounts.set([Self.account("locked"), Self.account("failed")])
    #expect(await manager.next() == "STATUS=0 of 2 accounts running, 1 locked, 1 failed")
    reporting.cancel()
    await reporting.value
  }

  @Test func theWatchdogHearsOfADaemonThatServes() async {
    let feeding = Task { await health(Shown([ServedAccount]()), watchdog: 20_000).feedWatchdog() }
    for _ in 0..<3 { #expect(await manager.next() == "WATCHDOG=1") }
    feeding.cancel()
    await feeding.value
  }

  @Test func theWatchdogIsNotFedWhenTheEndTakesTooLong() async {
    let feeding = Task { await Latch().wait() }
    await DaemonHealth.stop(feeding, after: .milliseconds(1))
    await feeding.value
    #expect(feeding.isCancelled)
  }

  @Test func theWatchdogIsFedUntilAQuickEndIsOver() async {
    let feeding = Task { await Latch().wait() }
    let limiting = Task { await DaemonHealth.stop(feeding, after: .seconds(3600)) }
    limiting.cancel()
    await limiting.value
    #expect(!feeding.isCancelled)
    feeding.cancel()
    await feeding.value
  }

  @Test func aDatabaseThatIsStuckEndsTheDaemon() async {
    let late = DaemonHealth.longestWrite
    #expect(
      await health(Shown([Self.account("running", writingFor: late - .seconds(1))])).isAlive(
        within: .seconds(60)))
    #expect(await !health(Shown([Self.account("running", writingFor: late)])).isAlive(within: .seconds(60)))
  }

  @Test func aSlowDatabaseIsLoggedOnceEachTime() async {
    let (noted, noting) = AsyncStream.makeStream(of: Duration.self)
    let times = [59, 60, 90, 0, 61, 62].map { [Self.account("running", writingFor: .seconds($0))] }
    let watching = Task { await health(Shown(times)) { noting.yield($0.writingTime) }.watchDatabases() }
    var all = noted.makeAsyncIterator()
    #expect(await all.next() == .seconds(60))
    #expect(await all.next() == .seconds(61))
    watching.cancel()
    await watching.value
    noting.finish()
    #expect(await all.next() == nil)
  }

  @Test func aLongStartAsksForMoreTime() async {
    let prolonging = Task { await health(Shown([ServedAccount]())).prolongStart(every: .milliseconds(1)) }
    #expect(await manager.next() == "EXTEND_TIMEOUT_USEC=60000000")
    prolonging.cancel()
    await prolonging.value
  }
}
