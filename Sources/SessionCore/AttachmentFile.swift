/// Sealed files on disk, whole or not at all.
///
/// The output is written beside its final place and gets its name when it is complete and proven. After a
/// failure or a cancellation there is no output. A file that is there already is left alone, and the call fails.
public enum AttachmentFile {
  /// Seals the file at `source` into `target`, and gives the pointer that opens it.
  public static func seal(
    _ source: String, to target: String, _ sealing: AttachmentSealing
  ) async throws -> AttachmentPointer {
    let file = try PendingFile(for: target)
    var pointer: AttachmentPointer?
    for try await part in FilePieces(source).sealed(sealing) {
      switch part {
      case .piece(let piece): try file.write(piece.span)
      case .pointer(let last): pointer = last
      }
    }
    guard let pointer else { preconditionFailure("a sealed file ends with its pointer") }
    try Task.checkCancellation()
    try file.commit()
    return pointer
  }

  /// Opens the sealed file at `source` into `target`.
  public static func open(_ source: String, to target: String, with pointer: AttachmentPointer) async throws {
    let file = try PendingFile(for: target)
    for try await piece in FilePieces(source).opened(with: pointer) {
      try file.write(piece.span)
    }
    try Task.checkCancellation()
    try file.commit()
  }
}
