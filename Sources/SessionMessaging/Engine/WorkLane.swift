import Dispatch

/// A thread for what has to wait for locks and disks, so that no thread has to that other tasks need. What is given to it
/// is done one after the other.
final class WorkLane: Sendable {
  private let queue: DispatchQueue

  init(_ label: String) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
  }

  func perform<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
