public import SessionCore

/// Secrets are stored as they are, without copies between guarded memory and SQLite.
extension SecretBytes: DatabaseValue {
  public func bind(to place: Place) {
    withBytes { bytes in place.statement.bind(bytes, place.index) }
  }

  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .blob) }

  public convenience init(column: Column) throws(StorageError) {
    let bytes = try column.blobBytes
    do { try self.init(copying: bytes) } catch {
      throw StorageError(.value, "column \(column.index) holds no secret")
    }
  }
}
