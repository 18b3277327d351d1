import SessionBase
import SessionDaemon
import SessionNetworking
import SessionStorage

/// Uploads, and the folders clients may attach from.
struct ClientFiles: Sendable {
  let uploads: Uploads
  let folders = FileFolders()

  /// Uploads are kept, encrypted, in a folder that only the user may open.
  init(in roots: StorageRoots) {
    uploads = Uploads(in: "\(roots.state)/uploads", maxSize: FileClient.maxBytes)
  }
}
