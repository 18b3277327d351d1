public import SessionCore

/// Text that is stored as UTF-8, without copies between guarded memory and SQLite.
extension SecretText: DatabaseValue {
  public func bind(to place: Place) {
    withUTF8 { bytes in place.statement.bind(bytes, place.index) }
  }

  public static func bindNull(to place: Place) { SecretBytes.bindNull(to: place) }

  public init(column: Column) throws(StorageError) { self.init(utf8: try SecretBytes(column: column)) }
}
