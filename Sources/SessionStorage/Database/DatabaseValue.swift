/// A type that a column can store.
public protocol DatabaseValue {
  /// Puts the value into a place of a statement.
  func bind(to place: Place)
  /// Puts a null into a place for values of this type.
  static func bindNull(to place: Place)
  /// Reads the value of a column that is not null: `value` for one that cannot be read.
  init(column: Column) throws(StorageError)
  /// The value for null; nil if a column must not be null.
  static var null: Self? { get }
}

/// A place of a statement that takes a value.
public struct Place {
  let statement: any SQLStatement
  let index: Int
}

/// A column of the row that a statement has come to.
public struct Column {
  let index: Int
  let content: EngineContent

  // A column holds what was written into it: another type is as wrong as a value that has no meaning.

  var integer: Int64 {
    get throws(StorageError) {
      guard content.kind == .integer else { throw unreadable("number") }
      return content.integer
    }
  }

  var real: Double {
    get throws(StorageError) {
      switch content.kind {
      case .real: return content.real
      case .integer: return Double(content.integer)
      default: throw unreadable("number")
      }
    }
  }

  var text: String {
    get throws(StorageError) { String(decoding: try textBytes, as: UTF8.self) }
  }

  var textBytes: UnsafeBufferPointer<UInt8> {
    get throws(StorageError) {
      guard content.kind == .text else { throw unreadable("text") }
      return content.bytes
    }
  }

  var blob: [UInt8] {
    get throws(StorageError) { Array(try blobBytes) }
  }

  var blobBytes: UnsafeBufferPointer<UInt8> {
    get throws(StorageError) {
      guard content.kind == .blob else { throw unreadable("blob") }
      return content.bytes
    }
  }

  private func unreadable(_ what: String) -> StorageError {
    StorageError(.value, "column \(index) holds no \(what)")
  }
}

extension DatabaseValue {
  public static var null: Self? { nil }
}

extension Int64: DatabaseValue {
  public func bind(to place: Place) { place.statement.bind(self, place.index) }
  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .integer) }
  public init(column: Column) throws(StorageError) { self = try column.integer }
}

extension Int: DatabaseValue {
  public func bind(to place: Place) { place.statement.bind(Int64(self), place.index) }
  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .integer) }
  public init(column: Column) throws(StorageError) { self = Int(try column.integer) }
}

extension Bool: DatabaseValue {
  public func bind(to place: Place) { place.statement.bind(self ? 1 as Int64 : 0, place.index) }
  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .integer) }
  public init(column: Column) throws(StorageError) { self = try column.integer != 0 }
}

extension Double: DatabaseValue {
  public func bind(to place: Place) { place.statement.bind(self, place.index) }
  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .real) }
  public init(column: Column) throws(StorageError) { self = try column.real }
}

extension String: DatabaseValue {
  public func bind(to place: Place) { place.statement.bind(self, place.index) }
  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .text) }
  public init(column: Column) throws(StorageError) { self = try column.text }
}

extension [UInt8]: DatabaseValue {
  public func bind(to place: Place) { place.statement.bind(self, place.index) }
  public static func bindNull(to place: Place) { place.statement.bindNull(place.index, .blob) }
  public init(column: Column) throws(StorageError) { self = try column.blob }
}

extension Optional: DatabaseValue where Wrapped: DatabaseValue {
  public func bind(to place: Place) {
    if let self { self.bind(to: place) } else { Wrapped.bindNull(to: place) }
  }

  public static func bindNull(to place: Place) { Wrapped.bindNull(to: place) }

  public init(column: Column) throws(StorageError) { self = try Wrapped(column: column) }

  public static var null: Wrapped?? { .some(nil) }
}

/// Types with a raw value are stored as that; unknown numbers are refused.
extension DatabaseValue where Self: RawRepresentable, RawValue: DatabaseValue {
  public func bind(to place: Place) { rawValue.bind(to: place) }

  public static func bindNull(to place: Place) { RawValue.bindNull(to: place) }

  public init(column: Column) throws(StorageError) {
    guard let value = Self(rawValue: try RawValue(column: column)) else {
      throw StorageError(.value, "column \(column.index) holds no \(Self.self)")
    }
    self = value
  }
}

/// The number of a row, of one kind of record.
public struct RowID<Record>: RawRepresentable, Hashable, Sendable, DatabaseValue {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }
}

extension RowID: Comparable {
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension RowID: CustomStringConvertible {
  public var description: String { "\(rawValue)" }
}
