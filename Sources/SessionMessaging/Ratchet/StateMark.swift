import SessionBase
import SessionCore
import SessionStorage

// A database that was put back to an older state, as from a backup, would go on with sessions that others have left behind.
// Where that state is younger than the last bundle, the slot does not show it: a file next to the database does, which
// changes together with it.

extension Ratchet {
  private static let markBytes = 16

  private var markPath: String? { folder.map { "\($0)/device.mark" } }

  /// Compares the file with the database, at the start of the program. Where they differ, sessions begin anew.
  func checkMark(in transaction: borrowing WriteTransaction) throws {
    guard let path = markPath, let row = try transaction.ratchetSelf() else { return }
    guard let stored = Self.mark(at: path) else { return keepMark(row.mark, in: transaction) }
    guard stored != row.mark else { return }
    environment.log(.warn, .account, "device-state-is-old")
    for session in try transaction.newestRatchetSessions() {
      guard let device = try transaction.ratchetDevice(session.deviceID) else { continue }
      for var old in try transaction.ratchetSessions(with: device.id) where !old.isClosed {
        old.isClosed = true
        try transaction.put(old)
      }
      try transaction.noteBroken("state of \(device.device.hex)", of: device.id, at: jobTime)
    }
    keepMark(row.mark, in: transaction)
  }

  /// Writes the file once the transaction is committed.
  func keepMark(_ mark: [UInt8], in transaction: borrowing WriteTransaction) {
    guard let path = markPath else { return }
    transaction.onCommit { [environment] in
      do throws(FileError) {
        try PendingFile.write(mark.span, to: path, replacing: true)
      } catch {
        environment.log(.warn, .account, "mark-not-written", .error(error))
      }
    }
  }

  private static func mark(at path: String) -> [UInt8]? {
    let bytes = try? OpenFile(reading: path).readAll(upTo: markBytes)
    return bytes?.count == markBytes ? bytes : nil
  }
}
