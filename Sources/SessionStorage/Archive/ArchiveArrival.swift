import SessionBase
import SessionCore

/// A file of an archive on its way into the vault of an account.
final class ArchiveArrival {
  private let id: Int64
  private let path: String
  private let sealer: KeptFileSealer
  private var pending: PendingFile?
  private var size: Int64 = 0

  /// `folder` is that of the account.
  init(of file: ArchiveFile, in folder: String) throws {
    id = file.id
    let shelf: AccountFiles.Shelf = file.folder == .avatars ? .avatars : .attachments
    let name = try FileVault.newName()
    path = "\(shelf.rawValue)/\(name)"
    sealer = try KeptFileSealer()
    pending = try FileVault("\(folder)/\(shelf.rawValue)").pendingFile(name)
  }

  func write(_ content: [UInt8]) throws {
    size += Int64(content.count)
    try put(try sealer.seal(content))
  }

  private func put(_ sealed: [UInt8]) throws(FileError) { try pending?.write(sealed.span) }

  private func end() throws(FileError) { try pending.take()?.commit() }

  /// Gives the file its name; what its row has to know.
  func commit() throws -> (id: Int64, path: String, key: [UInt8], size: Int64) {
    try put(try sealer.finish())
    try end()
    return (id, path, sealer.key.reveal(), size)
  }
}
