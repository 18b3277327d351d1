import SessionBase
import SessionDaemon
import SessionNetworking
import SessionStorage

/// Where files of calls are that are no part of them: uploads, and the folders of which clients may name files.
struct ClientFiles: Sendable {
  let uploads: Uploads
  let folders = FileFolders()

  /// Uploads are kept, encrypted, in a folder that only the user may open.
  init(in roots: StorageRoots) {
    uploads = Uploads(in: "\(roots.state)/uploads", maxSize: FileClient.maxBytes)
  }
}
