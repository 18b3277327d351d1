import SessionStorage
import Synchronization

/// How far a file has come.
public struct FileTransfer: Hashable, Sendable {
  public enum Direction: Hashable, Sendable {
    case upload
    case download
  }

  public let attachment: AttachmentView.ID
  public let direction: Direction
  /// From 0 to 1, of the work: sealing or opening it counts beside the crossing, which is one step.
  public let progress: Double
}

/// Who wants to know how far files have come; nothing of it is kept.
final class TransferBoard: Sendable {
  /// How long nothing is told of a file that was told of, in milliseconds.
  static let pause: Int64 = 250
  /// How much a slow reader may be behind.
  private static let limit = 256

  private struct State {
    var readers: [Int: AsyncStream<FileTransfer>.Continuation] = [:]
    var next = 0
    var toldAt: [AttachmentView.ID: Int64] = [:]
  }

  private let state = Mutex(State())

  func stream() -> AsyncStream<FileTransfer> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FileTransfer.self, bufferingPolicy: .bufferingNewest(Self.limit))
    let number = state.withLock { state in
      state.next += 1
      state.readers[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.readers[number] = nil }
    }
    return stream
  }

  func tell(_ transfer: FileTransfer, at now: Int64) {
    let readers = state.withLock { state in
      let isEnd = transfer.progress >= 1
      if !isEnd, let told = state.toldAt[transfer.attachment], told <= now, now < told + Self.pause {
        return [AsyncStream<FileTransfer>.Continuation]()
      }
      // Whatever ended without a last word is forgotten some time.
      if state.toldAt.count > Self.limit { state.toldAt = [:] }
      state.toldAt[transfer.attachment] = isEnd ? nil : now
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield(transfer) }
  }

  /// No more is told.
  func finish() {
    let readers = state.withLock { Array($0.readers.values) }
    for reader in readers { reader.finish() }
  }
}
