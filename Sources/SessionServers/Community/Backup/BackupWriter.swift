import SessionBase
import SessionCore

/// Writes the body of a backup, frame by frame.
final class BackupWriter {
  private let file: FileWriter
  /// Nil for a plain backup.
  private let sealer: KeptFileSealer?
  private var frames: UInt64 = 0

  private init(_ file: FileWriter, _ sealer: KeptFileSealer?) { (self.file, self.sealer) = (file, sealer) }

  /// Writes the header; without a passphrase the body is plain.
  static func begin(
    _ file: FileWriter, passphrase: SecretBytes?, cost: PassphraseKey.Cost
  ) async throws -> BackupWriter {
    guard let passphrase else {
      try await file.write(BackupHeader(protection: nil).bytes)
      return BackupWriter(file, nil)
    }
    let sealer = try KeptFileSealer()
    let key = sealer.key
    let header = try await WorkerQueue("session.community.passphrase").run { () throws(SessionError) in
      try BackupHeader(key: key, under: passphrase, cost: cost)
    }
    try await file.write(header.bytes)
    return BackupWriter(file, sealer)
  }

  func write(_ frame: BackupFrame) async throws {
    try Task.checkCancellation()
    let bytes = try frame.bytes(number: frames)
    frames += 1
    try await file.write(try sealer?.seal(bytes) ?? bytes)
  }

  /// Writes bytes in as many frames as it takes; none for no bytes.
  func write(_ kind: BackupFrame.Kind, _ bytes: [UInt8]) async throws {
    for start in stride(from: 0, to: bytes.count, by: BackupFrame.maxPayload) {
      try await write(BackupFrame(kind, Array(bytes[start...].prefix(BackupFrame.maxPayload))))
    }
  }

  /// Ends the body, after its last frame.
  func finish() async throws {
    if let sealer { try await file.write(try sealer.finish()) }
  }
}
