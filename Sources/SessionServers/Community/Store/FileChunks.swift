import SessionBase
import SessionStorage

// The content of files in rows, for servers whose processes share nothing but the database.

extension CommunityFile {
  /// The place of files whose content is in rows.
  static let inRows = "database"

  var isInRows: Bool { place == Self.inRows }
}

extension Reading where Self: ~Copyable {
  /// A piece of the content of a file; nil after the last one.
  func chunk(_ number: Int, of file: Int64) throws(StorageError) -> [UInt8]? {
    try value("SELECT content FROM file_chunk WHERE file = ?1 AND number = ?2", file, number)
  }

  /// The content of a file; nil if it is not all there.
  func content(of file: CommunityFile) throws(StorageError) -> [UInt8]? {
    var (content, number): ([UInt8], Int) = ([], 0)
    while content.count <= file.size, let chunk = try chunk(number, of: file.id) {
      content += chunk
      number += 1
    }
    return content.count == file.size ? content : nil
  }

  /// The first bytes of the content of a file.
  func beginning(of file: CommunityFile) throws(StorageError) -> [UInt8]? { try chunk(0, of: file.id) }

  /// Bytes of the content of a file that are there.
  func contentSize(of file: CommunityFile) throws(StorageError) -> Int {
    try value("SELECT coalesce(sum(length(content)), 0) FROM file_chunk WHERE file = ?1", file.id) ?? 0
  }
}

extension WriteTransaction {
  /// Bytes of a piece.
  private static let chunkBytes = 256 * 1024

  /// Adds the content of a file.
  func addContent(_ content: IncomingFile, of file: Int64) throws {
    let source = try content.reading()
    var number = 0
    while case let chunk = try source.read(upTo: Self.chunkBytes), !chunk.isEmpty {
      try run("INSERT INTO file_chunk (file, number, content) VALUES (?1, ?2, ?3)", file, number, chunk)
      number += 1
    }
  }
}
