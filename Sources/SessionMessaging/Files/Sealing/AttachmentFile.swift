import SessionBase
public import SessionCore
import SessionStorage

/// Sealed files on disk, complete or not at all.
///
/// The output is written next to its final path and renamed once it is complete and verified. A failed or cancelled
/// call leaves no output. If the target exists, the call fails and leaves it unchanged.
public enum AttachmentFile {
  /// Seals the file at `source` into `target`, and returns the pointer that opens it.
  public static func seal(
    _ source: String, to target: String, _ sealing: AttachmentSealing
  ) async throws -> AttachmentPointer {
    try await SessionError.files {
      try await FileWriter.write(target) { file in
        var pointer: AttachmentPointer?
        for try await part in FilePieces(source).sealed(sealing) {
          switch part {
          case .piece(let piece): try await file.write(piece)
          case .pointer(let last): pointer = last
          }
        }
        guard let pointer else { preconditionFailure("a sealed file ends with its pointer") }
        return pointer
      }
    }
  }

  /// Opens the sealed file at `source` into `target`.
  public static func open(_ source: String, to target: String, with pointer: AttachmentPointer) async throws {
    try await SessionError.files {
      try await FileWriter.write(target) { file in
        for try await piece in FilePieces(source).opened(with: pointer) { try await file.write(piece) }
      }
    }
  }
}
