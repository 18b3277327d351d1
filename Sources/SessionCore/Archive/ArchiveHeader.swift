internal import CSessionCore

/// What anybody can read of an archive, without a secret.
public struct ArchiveHeader: Sendable {
  /// A secret that opens the archive.
  public enum Slot: Sendable, Hashable {
    case passphrase(passes: UInt32, memory: Int)
    case account
    case keyFile
  }

  /// The first bytes of a file that have to be read for it.
  public static let limit = Int(SC_ARCHIVE_MAX_HEADER)

  public let id: [UInt8]
  public let slots: [Slot]
  public let chunkSize: Int

  /// Reads the first bytes of a file.
  public init(_ start: [UInt8]) throws(SessionError) {
    var header = sc_archive_header()
    try Core.call(with: start) { sc_archive_header_read(&header, $0) }
    id = array(header.id)
    chunkSize = 1 << Int(header.chunk_log2)
    let all = withUnsafeBytes(of: header.slots) { Array($0.bindMemory(to: sc_archive_slot.self)) }
    slots = all.prefix(header.slot_count).map { slot in
      switch slot.kind {
      case SC_ARCHIVE_SLOT_PASSPHRASE: .passphrase(passes: slot.cost.passes, memory: slot.cost.memory)
      case SC_ARCHIVE_SLOT_ACCOUNT: .account
      default: .keyFile
      }
    }
  }
}
