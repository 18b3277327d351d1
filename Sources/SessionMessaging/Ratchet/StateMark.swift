import SessionBase
import SessionCore
import SessionStorage

// A database that was put back to an older state, as from a backup, would go on with sessions that others have left behind.
// Where that state is younger than the last bundle, the slot does not show it: a file next to the database does, which
// changes together with it.

extension Ratchet {
  private static let markBytes = 16
  /// How long after the last content sessions begin anew at once, in milliseconds.
  private static let recent = 7 * Time.day

  private var markPath: String? { folder.map { "\($0)/device.mark" } }

  /// Compares the file with the database, at the start of the program. Where they differ, sessions begin anew.
  func checkMark(in transaction: borrowing WriteTransaction) throws {
    guard let path = markPath, let row = try transaction.ratchetSelf() else { return }
    let stored = Self.marks(at: path)
    guard stored != [row.mark] else { return }
    // A program that ended at the change left both.
    guard !stored.isEmpty, !stored.contains(row.mark) else { return keepMark(row.mark, in: transaction) }
    environment.log(.warn, .account, "device-state-is-old")
    for session in try transaction.newestRatchetSessions() {
      guard let device = try transaction.ratchetDevice(session.deviceID) else { continue }
      let sessions = try transaction.ratchetSessions(with: device.id)
      for var old in sessions where !old.isClosed {
        old.isClosed = true
        try transaction.put(old)
      }
      guard let contentAt = sessions.compactMap(\.contentAt).max(), jobTime - contentAt < Self.recent else {
        continue
      }
      try transaction.noteBroken("state of \(device.device.hex)", of: device.id, at: jobTime)
    }
    keepMark(row.mark, in: transaction)
  }

  /// Returns the next mark of this device, once the file has both that and the one before: so the file matches the database
  /// whether the transaction is committed or not. Returns the one before if the file cannot be written.
  func nextMark(after mark: [UInt8], in transaction: borrowing WriteTransaction) throws -> [UInt8] {
    let next = try SecretBytes.random(count: Self.markBytes).reveal()
    guard let path = markPath else { return next }
    guard write(mark + next, to: path) else { return mark }
    keepMark(next, in: transaction)
    return next
  }

  /// Writes the file once the transaction is committed.
  private func keepMark(_ mark: [UInt8], in transaction: borrowing WriteTransaction) {
    guard let path = markPath else { return }
    transaction.onCommit { [self] in write(mark, to: path) }
  }

  @discardableResult
  private func write(_ marks: [UInt8], to path: String) -> Bool {
    do throws(FileError) {
      try PendingFile.write(marks.span, to: path, replacing: true)
      return true
    } catch {
      environment.log(.warn, .account, "mark-not-written", .error(error))
      return false
    }
  }

  /// The marks in the file; none if there is no such file.
  private static func marks(at path: String) -> [[UInt8]] {
    let bytes = (try? OpenFile(reading: path).readAll(upTo: 2 * markBytes)) ?? []
    return stride(from: 0, to: bytes.count - bytes.count % markBytes, by: markBytes).map {
      Array(bytes[$0..<$0 + markBytes])
    }
  }
}
