import Synchronization

/// The room on the device for copies of content that are being sent.
final class CopyRoom: Sendable {
  /// Room that is taken until the last reference to it is gone.
  final class Share: Sendable {
    private let room: CopyRoom
    private let count: Int

    fileprivate init(_ count: Int, of room: CopyRoom) { (self.count, self.room) = (count, room) }

    deinit {
      let count = count
      room.used.withLock { $0 -= count }
    }
  }

  private let maxBytes: Int
  fileprivate let used = Mutex(0)

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  /// Takes room for so many bytes; nil if there is none.
  func take(_ count: Int) -> Share? {
    let isTaken = used.withLock { used in
      guard used + count <= maxBytes else { return false }
      used += count
      return true
    }
    return isTaken ? Share(count, of: self) : nil
  }
}
