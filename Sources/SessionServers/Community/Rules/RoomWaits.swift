import SessionStorage
import Synchronization

/// Requests that wait until something happens in a room.
final class RoomWaits: Sendable {
  /// Requests that wait at a time at most.
  private static let maxWaits = 256
  /// They have one of so many connections, so that other requests find room.
  private static let part = 4
  /// Of one person, or of one address.
  static let maxOfOne = 8

  /// The changes of a room that a request has seen.
  struct Ticket: Sendable {
    fileprivate let room: Int64
    fileprivate let change: UInt64
  }

  private struct Waiting {
    let room: Int64
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var isOpen = true
    /// The number of the last change of anything, of each room, and of all rooms at once.
    var now: UInt64 = 0
    var rooms: [Int64: UInt64] = [:]
    var all: UInt64 = 0
    var waiting: [UInt64: Waiting] = [:]
    var lastNumber: UInt64 = 0
    /// Requests that wait or answer, of each person or address.
    var counts: [[UInt8]: Int] = [:]
    var count = 0
    var admitted = 0

    func isOver(_ ticket: Ticket) -> Bool {
      !isOpen || max(rooms[ticket.room] ?? 0, all) > ticket.change
    }
  }

  /// Requests that wait at a time.
  let limit: Int
  private let state = Mutex(State())

  init(connections: Int) { limit = min(Self.maxWaits, connections / Self.part) }

  /// Lets a request of somebody wait; false if too many do.
  func enter(_ who: [UInt8]) -> Bool {
    state.withLock { state in
      guard state.isOpen, state.count < limit, state.counts[who, default: 0] < Self.maxOfOne else {
        return false
      }
      state.count += 1
      state.admitted += 1
      state.counts[who, default: 0] += 1
      return true
    }
  }

  func leave(_ who: [UInt8]) {
    state.withLock { state in
      state.count -= 1
      let left = (state.counts[who] ?? 1) - 1
      state.counts[who] = left > 0 ? left : nil
    }
  }

  /// To be called before a room is read.
  func ticket(for room: Int64) -> Ticket { state.withLock { Ticket(room: room, change: $0.now) } }

  /// Waits until the room has changed since the ticket, or the time is over. False at once after the end of the server.
  func wait(_ ticket: Ticket, until deadline: ContinuousClock.Instant) async -> Bool {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let timer = Task {
      try? await Task.sleep(until: deadline, clock: .continuous)
      wake(number)
    }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard !Task.isCancelled, ContinuousClock.now < deadline, !state.isOver(ticket) else { return true }
          state.waiting[number] = Waiting(room: ticket.room, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake(number)
    }
    return state.withLock { $0.isOpen }
  }

  private func wake(_ number: UInt64) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
  }

  /// Wakes those who wait for what has changed.
  func note(_ changes: ChangeSet) {
    let isAll = changes.isExternal || changes.changes.keys.contains { $0.subject == nil }
    let rooms = changes.changes.keys.compactMap { key -> Int64? in
      if case .row(let room)? = key.subject { room } else { nil }
    }
    wake { state in
      state.now += 1
      if isAll { state.all = state.now }
      for room in rooms { state.rooms[room] = state.now }
      return state.waiting.filter { isAll || rooms.contains($0.value.room) }.map(\.key)
    }
  }

  /// Ends all waiting.
  func close() {
    wake { state in
      state.isOpen = false
      return Array(state.waiting.keys)
    }
  }

  /// Resumes those whose numbers a closure gives, outside of the lock.
  private func wake(_ body: (inout State) -> [UInt64]) {
    let woken = state.withLock { state in body(&state).compactMap { state.waiting.removeValue(forKey: $0) } }
    for waiting in woken { waiting.continuation.resume() }
  }

  /// The number of requests that wait now.
  var count: Int { state.withLock { $0.waiting.count } }

  /// The number of requests so far that could wait.
  var admitted: Int { state.withLock { $0.admitted } }
}
