import Glibc
import SessionBase

/// Takes over the content of files: by a second name of the same file where that belongs to the user who imports and the
/// device has both folders, else by a copy.
struct ImportedFiles {
  let place: PysogsPlace
  let shelves: FileShelves

  /// Takes over the file at a path of the old server. Returns its new name. Throws `RowLeftOut`.
  func take(_ path: String, size: Int) throws -> String {
    guard let content = place.content(at: path) else { throw RowLeftOut("its content is missing") }
    var status = stat()
    guard stat(content, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RowLeftOut("its content is no file")
    }
    guard status.st_size == size else { throw RowLeftOut("its content has another size") }
    let name = try CommunityShelves.freshName()
    let target = shelves.path(of: name)
    try PrivateFolder.prepare(Folder.of(target))
    // A second name of a file has its owner, who may be another user than that of the new server.
    if status.st_uid == geteuid(), link(content, target) == 0 { return name }
    let bytes: [UInt8]
    do { bytes = try OpenFile(reading: content).readAll(upTo: size) } catch {
      throw RowLeftOut("its content cannot be read")
    }
    try shelves.place(try shelves.receive(bytes, for: name), as: name)
    return name
  }
}
