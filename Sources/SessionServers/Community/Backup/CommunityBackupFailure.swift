/// Why a backup could not be written or restored.
public enum CommunityBackupFailure: Error, Hashable, Sendable {
  /// The file is no backup of a community server.
  case foreign(String)
  /// A later version of this program wrote the backup.
  case newerFormat
  case passphraseNeeded
  case wrongPassphrase
  /// A part of the backup is not what was written.
  case damaged
  /// The end of the backup is missing.
  case truncated
  /// There is something in the folder to restore to.
  case folderInUse(String)
  /// There is no database in the folder.
  case noDatabase(String)
  /// Another backup of the same server is being written, or the server is checked.
  case alreadyRunning
  /// The backup has no key, and none was given.
  case keyMissing
  /// The key is that of another server.
  case wrongKey
}

extension CommunityBackupFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .foreign(let path): "\(path) is no backup of a community server"
    case .newerFormat: "the backup was written by a later version of this program: use that version"
    case .passphraseNeeded: "the backup is protected by a passphrase"
    case .wrongPassphrase: "the passphrase is wrong, or the beginning of the backup is damaged"
    case .damaged: "the backup is damaged"
    case .truncated: "the backup is truncated: its end is missing"
    case .folderInUse(let path): "\(path) is not an empty folder; a backup is restored to a new one"
    case .noDatabase(let path): "there is no community.db in \(path)"
    case .alreadyRunning: "another process is writing a backup of this server, or checks it"
    case .keyMissing: "the backup was written without the key of the server; give --key FILE"
    case .wrongKey: "the key is that of another server"
    }
  }
}
