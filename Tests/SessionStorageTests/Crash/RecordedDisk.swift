import CDiskRecorder
import Testing

@testable import SessionStorage

/// The folder of a test on a disk that can be pulled out at any step.
final class RecordedDisk {
  /// The loss of data that was not synchronised.
  enum Loss: Hashable {
    /// The program was killed, and the machine went on.
    case nothing
    /// As before, in the middle of the last write.
    case tornWrite
    case everything
    /// Names were kept before the bytes were.
    case bytes
    /// Every sector and name for itself.
    case some(seed: UInt64)

    fileprivate var kind: disk_loss {
      switch self {
      case .nothing: DISK_LOSES_NOTHING
      case .tornWrite: DISK_TEARS_LAST
      case .everything: DISK_LOSES_ALL
      case .bytes: DISK_LOSES_BYTES
      case .some: DISK_LOSES_SOME
      }
    }

    fileprivate var seed: UInt64 { if case .some(let seed) = self { seed } else { 0 } }

    /// True if the machine went down with the program.
    var isPowerCut: Bool { self != .nothing && self != .tornWrite }
  }

  /// The errors that system calls return.
  enum Fault: CaseIterable {
    case full
    case broken
    case short

    fileprivate var kind: disk_fault {
      switch self {
      case .full: DISK_FULL
      case .broken: DISK_BROKEN
      case .short: DISK_SHORT
      }
    }
  }

  private let recorder: OpaquePointer

  init(_ place: Workplace) throws { recorder = try #require(disk_recorder_new(place.path)) }

  deinit { disk_recorder_free(recorder) }

  /// How many steps there were.
  var count: Int { disk_recorder_count(recorder) }

  func stop() { disk_recorder_stop(recorder) }

  func description(of step: Int) -> String {
    var text = [CChar](repeating: 0, count: 400)
    disk_recorder_describe(recorder, step, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// True if any written data contains a text.
  func hasWritten(_ text: String) -> Bool { disk_recorder_has_written(recorder, text, text.utf8.count) }

  /// A number that is the same for the same content of the folder.
  func sum(after steps: Int, losing loss: Loss) -> UInt64 {
    disk_recorder_restore(recorder, steps, loss.kind, loss.seed, nil)
  }

  /// Makes the folder again, in an empty one.
  func restore(after steps: Int, losing loss: Loss, into place: Workplace) throws {
    try #require(disk_recorder_restore(recorder, steps, loss.kind, loss.seed, place.path) != 0)
  }

  /// Has so many calls fail, after some that do not.
  func fail(_ fault: Fault, after first: Int, count: Int) {
    disk_recorder_fail(recorder, fault.kind, first, count)
  }

  /// Lets all calls succeed again, and says how many have not.
  func heal() -> Int { disk_recorder_heal(recorder) }
}
