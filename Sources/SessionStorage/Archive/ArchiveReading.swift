public import SessionCore

/// An archive that was read from its first byte to the last, and checked.
public struct ArchiveReading: Sendable {
  public let manifest: ArchiveManifest
  public let report: ArchiveReport

  /// Reads an archive; each call of `next` returns its next bytes, none at the end. `visit` gets what it contains, as it
  /// comes. Throws the first fault of its form; nothing was believed that is not authentic.
  public static func read(
    opening secrets: [ArchiveSecret], next: () throws -> [UInt8],
    visit: @escaping (ArchiveEvent) throws -> Void = { _ in }
  ) throws -> ArchiveReading {
    var manifest: ArchiveManifest?
    var report = ArchiveReport()
    var size: Int64 = 0
    let reader = try ArchiveReader(
      secrets: secrets, tables: ArchiveTable.all.map(\.name), schema: Int64(Schema.account.version)
    ) { event in
      switch event {
      case .manifest(let read): manifest = read
      case .table(let name, _): report.begin(name)
      case .row: report.countRow()
      case .file(let file): size = file.size
      case .content: break
      case .fileEnd(let problem):
        guard problem == nil else { break }
        report.files += 1
        report.fileBytes += size
      case .problem(let problem): report.note(problem)
      }
      try visit(event)
    }
    do {
      while case let piece = try next(), !piece.isEmpty { try reader.read(piece) }
      try reader.finish()
    } catch let error as SessionError where error.code == .archiveDamaged {
      throw SessionError(error.code, "\(error.message), in chunk \(reader.chunkCount)")
    }
    guard let manifest else { throw StorageError(.value, "an archive without a list of contents") }
    return ArchiveReading(manifest: manifest, report: report)
  }
}
