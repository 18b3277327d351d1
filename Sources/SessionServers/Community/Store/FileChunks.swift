import SessionBase
import SessionStorage

// The content of files in rows, for servers whose processes share nothing but the database.

extension CommunityFile {
  /// The place of files whose content is in rows.
  static let inRows = "database"

  /// Bytes of a piece.
  static let chunkBytes = 256 * 1024
  /// Binary digits by which numbers of one moment differ.
  private static let chanceBits: Int64 = 20

  var isInRows: Bool { place == Self.inRows }

  /// A number for content whose file has no row yet. It is below zero, and tells when the content came.
  static func unplaced(now: Int64) -> Int64 { earliest(at: now) - Int64.random(in: 0..<(1 << chanceBits)) }

  /// The greatest of these numbers of a moment. Those of earlier moments are greater.
  fileprivate static func earliest(at time: Int64) -> Int64 { -(time << chanceBits) }
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

extension CommunityStore {
  /// Stores content in rows before its file has one, so that no room is locked meanwhile; it is read on a queue. Returns its
  /// number.
  func add(unplaced content: IncomingFile, on queue: WorkerQueue, now: Int64) async throws -> Int64 {
    let number = CommunityFile.unplaced(now: now)
    do {
      let source = try await queue.run { try content.reading() }
      var count = 0
      while true {
        let piece = count
        let chunk = try await queue.run { try source.read(upTo: CommunityFile.chunkBytes) }
        guard !chunk.isEmpty else { return number }
        try await write(.content) { try $0.addChunk(chunk, piece, of: number) }
        count += 1
      }
    } catch {
      await remove(unplaced: number)
      throw error
    }
  }

  /// Removes content whose file has got no row. Upkeep removes later what cannot be removed now.
  func remove(unplaced number: Int64) async {
    _ = try? await write(.content) { try $0.removeContent(of: number) }
  }
}

extension WriteTransaction {
  /// Adds a piece of the content of a file.
  func addChunk(_ chunk: [UInt8], _ number: Int, of file: Int64) throws(StorageError) {
    try run("INSERT INTO file_chunk (file, number, content) VALUES (?1, ?2, ?3)", file, number, chunk)
  }

  /// Gives content that came before its row to its file. PostgreSQL does not copy it.
  func giveContent(_ unplaced: Int64, to file: Int64) throws(StorageError) {
    guard try run("UPDATE file_chunk SET file = ?2 WHERE file = ?1", unplaced, file) > 0 else {
      throw StorageError(.missing, "the content of a file")
    }
  }

  func removeContent(of file: Int64) throws(StorageError) {
    try run("DELETE FROM file_chunk WHERE file = ?1", file)
  }

  /// Removes content that came before a moment and whose file has got no row.
  func removeUnplacedContent(before time: Int64) throws(StorageError) {
    try run("DELETE FROM file_chunk WHERE file < 0 AND file > ?1", CommunityFile.earliest(at: time))
  }
}
