internal import CSessionCore

/// A file in an archive.
public struct ArchiveFile: Hashable, Sendable {
  public enum Folder: UInt32, Sendable {
    case attachments
    case avatars
  }

  public let id: Int64
  public let size: Int64
  public let folder: Folder

  public init(id: Int64, size: Int64, folder: Folder) {
    self.id = id
    self.size = size
    self.folder = folder
  }

  init(_ core: sc_archive_file) {
    self.init(
      id: core.id, size: core.size, folder: core.folder == SC_ARCHIVE_AVATARS ? .avatars : .attachments)
  }

  var core: sc_archive_file {
    sc_archive_file(id: id, size: size, folder: sc_archive_folder(rawValue: folder.rawValue))
  }
}
