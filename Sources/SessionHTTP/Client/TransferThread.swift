internal import CHTTP
import Glibc
import SessionBase
import SessionCore
import Synchronization

/// The thread on which a client's transfers run.
final class TransferThread: Sendable {
  enum Command {
    case begin(Transfer)
    case cancel(Transfer)
    /// The addresses of its host are known.
    case connect(Transfer, [NetworkAddress])
  }

  /// libcurl itself is prepared once a process.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  // Sendable without the compiler's check: other threads do no more than wake it, under the lock.
  private struct Inbox: @unchecked Sendable {
    var commands: [Command] = []
    /// Nil once it has ended.
    var multi: UnsafeMutableRawPointer?
    var isStopping = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let inbox: Mutex<Inbox>

  init(_ options: HTTPClient.Options) throws(HTTPError) {
    guard Self.isReady, let multi = curl_multi_init() else { throw .unreachable("libcurl cannot start") }
    http_set_limit(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.maxConnectionsPerHost)
    http_set_limit(multi, CURLMOPT_MAXCONNECTS, options.maxRequests)
    inbox = Mutex(Inbox(multi: multi))
    let transfers = Transfers(multi, options, self)
    guard OwnThread.start({ transfers.run() }) else {
      curl_multi_cleanup(multi)
      throw .unreachable("the system has no thread left")
    }
  }

  func post(_ command: Command) {
    let isPosted = inbox.withLock { inbox in
      guard let multi = inbox.multi, !inbox.isStopping else { return false }
      inbox.commands.append(command)
      curl_multi_wakeup(multi)
      return true
    }
    if !isPosted, case .begin(let transfer) = command { transfer.end(.failure(.stopped)) }
  }

  func stop() {
    inbox.withLock { inbox in
      inbox.isStopping = true
      if let multi = inbox.multi { curl_multi_wakeup(multi) }
    }
  }

  func ended() async {
    await withCheckedContinuation { waiting in
      let hasEnded = inbox.withLock { inbox in
        if inbox.multi != nil { inbox.waiting.append(waiting) }
        return inbox.multi == nil
      }
      if hasEnded { waiting.resume() }
    }
  }

  /// The waiting commands; there are none after the last.
  fileprivate func take() -> (commands: [Command], isLast: Bool) {
    inbox.withLock { inbox in
      defer { inbox.commands = [] }
      return (inbox.commands, inbox.isStopping)
    }
  }

  /// The last wake-up.
  fileprivate func end() -> [CheckedContinuation<Void, Never>] {
    inbox.withLock { inbox in
      defer { (inbox.multi, inbox.waiting) = (nil, []) }
      return inbox.waiting
    }
  }
}

/// The state of the thread.
// Sendable without the compiler's check: it is handed to its thread, and used there alone.
private final class Transfers: @unchecked Sendable {
  private static let longestWait = 60_000

  private let multi: UnsafeMutableRawPointer
  private let options: HTTPClient.Options
  private let thread: TransferThread
  /// By identity: transfers whose host is being resolved, and those in libcurl.
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var lookups = 0

  init(_ multi: UnsafeMutableRawPointer, _ options: HTTPClient.Options, _ thread: TransferThread) {
    self.multi = multi
    self.options = options
    self.thread = thread
  }

  func run() {
    var running: Int32 = 0
    while true {
      let (commands, isLast) = thread.take()
      for command in commands { follow(command) }
      if isLast { break }
      curl_multi_perform(multi, &running)
      endWhatIsDone()
      endWhatIsLate()
      curl_multi_poll(multi, nil, 0, Int32(clamping: wait), nil)
    }
    for transfer in transfers.values { end(transfer, .stopped) }
    let waiting = thread.end()
    curl_multi_cleanup(multi)
    for waiting in waiting { waiting.resume() }
  }

  private func follow(_ command: TransferThread.Command) {
    switch command {
    case .begin(let transfer): begin(transfer)
    case .cancel(let transfer):
      transfers[ObjectIdentifier(transfer)] == nil
        ? transfer.end(.failure(.cancelled)) : end(transfer, .cancelled)
    case .connect(let transfer, let addresses):
      lookups -= 1
      if transfers[ObjectIdentifier(transfer)] != nil { connect(transfer, to: addresses) }
    }
  }

  private func begin(_ transfer: Transfer) {
    if transfer.isOver { return }
    guard transfers.count < options.maxRequests else { return transfer.end(.failure(.busy)) }
    if transfer.proxy != nil {
      transfers[ObjectIdentifier(transfer)] = transfer
      return connect(transfer, to: [])
    }
    if let address = transfer.url.address {
      transfers[ObjectIdentifier(transfer)] = transfer
      return connect(transfer, to: [address])
    }
    guard lookups < options.maxLookups else { return transfer.end(.failure(.busy)) }
    transfers[ObjectIdentifier(transfer)] = transfer
    lookups += 1
    let (host, port) = (transfer.url.host, transfer.url.port)
    WorkerQueue("session.http.lookup").post { [thread, options] in
      thread.post(.connect(transfer, options.lookUp(host, port)))
    }
  }

  private func connect(_ transfer: Transfer, to addresses: [NetworkAddress]) {
    do throws(HTTPError) {
      let easy = try transfer.prepare(for: addresses)
      guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw .busy }
    } catch {
      transfers[ObjectIdentifier(transfer)] = nil
      transfer.end(.failure(error))
    }
  }

  private func end(_ transfer: Transfer, _ error: HTTPError) {
    transfers[ObjectIdentifier(transfer)] = nil
    if let easy = transfer.easy { curl_multi_remove_handle(multi, easy) }
    transfer.end(.failure(error))
  }

  private func endWhatIsDone() {
    var rest: Int32 = 0
    while let message = curl_multi_info_read(multi, &rest) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let transfer = transfers.values.first(where: { $0.easy == easy })
      else { continue }
      let code = message.pointee.data.result
      transfers[ObjectIdentifier(transfer)] = nil
      curl_multi_remove_handle(multi, easy)
      transfer.end(code)
    }
  }

  /// Ends late transfers; libcurl handles its own.
  private func endWhatIsLate() {
    let now = ContinuousClock.now
    for transfer in transfers.values where transfer.easy == nil && transfer.deadline <= now {
      end(transfer, .timeout)
    }
  }

  private var wait: Int {
    let next = transfers.values.filter { $0.easy == nil }.map(\.deadline).min()
    guard let next else { return Self.longestWait }
    return min(Self.longestWait, max(Int((next - .now).milliseconds) + 1, 0))
  }
}
