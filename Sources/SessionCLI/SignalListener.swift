import Dispatch
import Glibc
import Synchronization

/// Listens for a signal, which then does not end the process. Several listeners may share one.
struct SignalListener: Sendable {
  private let number: Int32
  private let id: Int

  /// From here on nothing is missed.
  init(_ number: Int32, _ hear: @escaping @Sendable () -> Void) {
    (self.number, id) = (number, SignalBoard.shared.add(hear, to: number))
  }

  func stop() { SignalBoard.shared.remove(id, from: number) }

  /// True if the program was started to outlive its terminal, as with `nohup`. Read before any listener is installed.
  static let outlivesTerminal: Bool = {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    // SIG_IGN is a number in the place of a function: it can only be compared.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }()
}

/// The listeners of each signal. A handler may do next to nothing: it writes the number of its signal into a pipe, and
/// the reader of the pipe notifies the listeners.
///
/// Sendable without the compiler's check: the source, which is not known to be, is only kept.
private final class SignalBoard: @unchecked Sendable {
  static let shared = SignalBoard()

  private struct Line {
    var before = sigaction()
    var listeners: [Int: @Sendable () -> Void] = [:]
  }

  private struct State {
    var lines: [Int32: Line] = [:]
    var last = 0
  }

  private let state = Mutex(State())
  private let rings: Int32
  private let source: any DispatchSourceRead

  private init() {
    var ends: [Int32] = [-1, -1]
    // The program could no longer be stopped cleanly.
    guard pipe(&ends) == 0 else { fatalError("too many files are open") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let hears = ends[0]
    rings = ends[1]
    source = DispatchSource.makeReadSource(fileDescriptor: hears)
    source.setEventHandler {
      var numbers = [UInt8](repeating: 0, count: 64)
      let count = read(hears, &numbers, numbers.count)
      for number in Set(numbers.prefix(max(count, 0))) { Self.shared.tell(Int32(number)) }
    }
    source.resume()
  }

  func add(_ hear: @escaping @Sendable () -> Void, to number: Int32) -> Int {
    state.withLock { state in
      state.last += 1
      var line = state.lines[number] ?? Line()
      if line.listeners.isEmpty {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { SignalBoard.shared.ring($0) }
        action.sa_flags = SA_RESTART
        sigaction(number, &action, &line.before)
      }
      line.listeners[state.last] = hear
      state.lines[number] = line
      return state.last
    }
  }

  func remove(_ id: Int, from number: Int32) {
    state.withLock { state in
      guard var line = state.lines[number] else { return }
      line.listeners[id] = nil
      if line.listeners.isEmpty { sigaction(number, &line.before, nil) }
      state.lines[number] = line.listeners.isEmpty ? nil : line
    }
  }

  /// Inside a handler: neither locks nor memory. A full pipe rings already.
  private func ring(_ number: Int32) {
    let failure = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(rings, &byte, 1)
    errno = failure
  }

  private func tell(_ number: Int32) {
    for hear in state.withLock({ Array($0.lines[number]?.listeners.values ?? [:].values) }) { hear() }
  }
}
