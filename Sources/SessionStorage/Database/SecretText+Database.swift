public import SessionCore

/// Text that is stored as UTF-8, without copies between guarded memory and SQLite.
extension SecretText: DatabaseValue {
  public func bind(to place: Place) {
    withUTF8 { bytes in place.statement.bind(bytes, place.index) }
  }

  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .blob) }

  public init(column: Column) throws(StorageError) {
    let bytes = try column.blobBytes
    do { self.init(utf8: try SecretBytes(copying: bytes)) } catch {
      throw StorageError(.value, "column \(column.index) holds no secret")
    }
  }
}
