import SessionBase
import SessionCore
import SessionStorage

/// The beginning of a backup: what it is, and how its passphrase leads to the key of the rest.
///
/// After the magic bytes and the version comes 0 for a plain backup, or 1 with the cost of the passphrase's key (passes
/// in 4 bytes, memory in 8), its salt, and the encrypted key. Numbers are big-endian.
struct BackupHeader: Hashable, Sendable {
  /// The key of the body under a passphrase.
  struct Protection: Hashable, Sendable {
    let cost: PassphraseKey.Cost
    let salt: [UInt8]
    let sealedKey: [UInt8]
  }

  private static let magic = Array("SESSCOMB".utf8)
  private static let version: UInt8 = 1
  private static let keyBytes = 32
  private static let sealedBytes = SealedBox.nonceBytes + keyBytes + SealedBox.tagBytes
  private static let beginningBytes = magic.count + 2
  private static let protectionBytes = 12 + PassphraseKey.saltCount + sealedBytes
  /// Costs beyond these are not of our making, and would take the machine down.
  private static let passes: ClosedRange<UInt64> = 1...16
  private static let memory: ClosedRange<UInt64> = 8192...(1 << 30)

  let protection: Protection?

  init(protection: Protection?) { self.protection = protection }

  /// Puts the key of a body under a passphrase. Takes the time and memory of the cost.
  init(
    key: SecretBytes, under passphrase: SecretBytes, cost: PassphraseKey.Cost
  ) throws(SessionError) {
    let salt = try SecretBytes.random(count: PassphraseKey.saltCount).reveal()
    let wrapping = try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost)
    protection = Protection(cost: cost, salt: salt, sealedKey: try SealedBox.seal(key, key: wrapping))
  }

  /// The key of the body.
  func key(under passphrase: SecretBytes, _ protection: Protection) throws -> SecretBytes {
    do throws(SessionError) {
      let wrapping = try PassphraseKey.derive(
        from: passphrase, salt: protection.salt, cost: protection.cost)
      return try SealedBox.openSecret(protection.sealedKey, key: wrapping)
    } catch {
      guard error.code == .decrypt else { throw error }
      throw CommunityBackupFailure.wrongPassphrase
    }
  }

  var bytes: [UInt8] {
    guard let protection else { return Self.magic + [Self.version, 0] }
    return Self.magic + [Self.version, 1] + BackupFrame.bytes(UInt64(protection.cost.passes), count: 4)
      + BackupFrame.bytes(UInt64(protection.cost.memory), count: 8) + protection.salt + protection.sealedKey
  }

  /// Reads the header at the beginning of a file; `path` is for messages.
  init(reading file: OpenFile, path: String) throws {
    let beginning = try file.read(exactly: Self.beginningBytes)
    guard beginning.starts(with: Self.magic) else { throw CommunityBackupFailure.foreign(path) }
    guard beginning.count == Self.beginningBytes else { throw CommunityBackupFailure.truncated }
    guard beginning[Self.magic.count] == Self.version else { throw CommunityBackupFailure.newerFormat }
    switch beginning[Self.magic.count + 1] {
    case 0: protection = nil
    case 1:
      let rest = try file.read(exactly: Self.protectionBytes)
      guard rest.count == Self.protectionBytes else { throw CommunityBackupFailure.truncated }
      let (passes, memory) = (BackupFrame.number(rest[..<4]), BackupFrame.number(rest[4..<12]))
      guard Self.passes ~= passes, Self.memory ~= memory else { throw CommunityBackupFailure.damaged }
      let sealed = 12 + PassphraseKey.saltCount
      protection = Protection(
        cost: .init(passes: UInt32(passes), memory: Int(memory)), salt: Array(rest[12..<sealed]),
        sealedKey: Array(rest[sealed...]))
    default: throw CommunityBackupFailure.damaged
    }
  }
}

extension OpenFile {
  /// The next bytes; fewer only at the end of the file.
  func read(exactly count: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let piece = try read(upTo: count - bytes.count)
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    return bytes
  }
}
