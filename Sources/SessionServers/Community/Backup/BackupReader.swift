import SessionBase
import SessionCore

/// Reads the body of a backup, frame by frame, on the thread of its caller. A frame that it returns is as it was written.
final class BackupReader {
  private static let pieceBytes = 256 * 1024

  private let file: OpenFile
  /// Nil for a plain backup.
  private let opener: FileOpener?
  private var buffer: [UInt8] = []
  private var begin = 0
  private var frames: UInt64 = 0
  private var isAtEnd = false

  /// Opens a backup. `passphrase` is called if there is one.
  init(_ path: String, passphrase: () throws -> SecretBytes?) throws {
    file = try OpenFile(reading: path)
    let header = try BackupHeader(reading: file, path: path)
    guard let protection = header.protection else {
      opener = nil
      return
    }
    guard let passphrase = try passphrase() else { throw CommunityBackupFailure.passphraseNeeded }
    opener = try FileOpener(keptUnder: try header.key(under: passphrase, protection))
  }

  /// The next frame. Throws `truncated` at the end of the file, and `damaged`.
  func next() throws -> BackupFrame {
    let head = try take(BackupFrame.headBytes)
    let length = Int(BackupFrame.number(head[1...]))
    guard let kind = BackupFrame.Kind(rawValue: head[0]), length <= BackupFrame.maxPayload else {
      throw CommunityBackupFailure.damaged
    }
    let payload = try take(length)
    guard try take(BackupFrame.hashBytes) == BackupFrame.hash(of: head + payload, number: frames) else {
      throw CommunityBackupFailure.damaged
    }
    frames += 1
    return BackupFrame(kind, payload)
  }

  /// Throws `damaged` if something follows.
  func expectEnd() throws {
    while !isAtEnd { try fill() }
    guard begin == buffer.count else { throw CommunityBackupFailure.damaged }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count - begin < count {
      guard !isAtEnd else { throw CommunityBackupFailure.truncated }
      try fill()
    }
    defer { begin += count }
    return Array(buffer[begin..<begin + count])
  }

  private func fill() throws {
    buffer.removeFirst(begin)
    begin = 0
    let piece = try file.read(upTo: Self.pieceBytes)
    isAtEnd = piece.isEmpty
    guard let opener else {
      buffer += piece
      return
    }
    do throws(SessionError) {
      buffer += isAtEnd ? try opener.finish() : try opener.open(piece)
    } catch {
      guard error.code.isDamage else { throw error }
      throw isAtEnd ? CommunityBackupFailure.truncated : .damaged
    }
  }
}

extension SessionError.Code {
  /// True for what an opener of files says of content that is not what was sealed.
  fileprivate var isDamage: Bool { family == .attachment }
}
