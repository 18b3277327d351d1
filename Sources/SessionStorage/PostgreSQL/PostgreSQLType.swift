internal import CPostgreSQL

/// A type of PostgreSQL, by its number in the catalogue, which never changes.
struct PostgreSQLType: RawRepresentable, Hashable {
  let rawValue: Oid

  static let unknown = PostgreSQLType(rawValue: 0)
  static let bool = PostgreSQLType(rawValue: 16)
  static let bytea = PostgreSQLType(rawValue: 17)
  static let int8 = PostgreSQLType(rawValue: 20)
  static let int2 = PostgreSQLType(rawValue: 21)
  static let int4 = PostgreSQLType(rawValue: 23)
  static let text = PostgreSQLType(rawValue: 25)
  static let float8 = PostgreSQLType(rawValue: 701)
  static let numeric = PostgreSQLType(rawValue: 1700)

  init(rawValue: Oid) { self.rawValue = rawValue }

  /// The type of columns that hold values of a kind.
  init(_ kind: EngineContent.Kind) {
    self =
      switch kind {
      case .integer: .int8
      case .real: .float8
      case .text: .text
      case .blob: .bytea
      case .null: .unknown
      }
  }
}

extension EngineContent {
  /// A value in binary form. Sums of whole numbers are decimals, so these are read as whole numbers.
  init(_ bytes: UnsafeRawBufferPointer, _ type: PostgreSQLType) {
    switch type {
    case .int8: self.init(integer: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
    case .int4: self.init(integer: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
    case .int2: self.init(integer: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
    case .bool: self.init(integer: bytes.first == 0 ? 0 : 1)
    case .numeric: self.init(integer: Self.whole(bytes))
    case .float8: self.init(.real, bits: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    default:
      let start = UInt64(UInt(bitPattern: bytes.baseAddress))
      self.init(type == .bytea ? .blob : .text, count: Int32(bytes.count), bits: start)
    }
  }

  private init(integer: Int64) { self.init(.integer, bits: UInt64(bitPattern: integer)) }

  /// The whole part of a decimal: its digits to the base of 10,000, the first of which has a weight.
  private static func whole(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    func number(_ place: Int) -> Int {
      Int(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * place, as: Int16.self)))
    }
    let (count, weight, isNegative) = (number(0), number(1), number(2) != 0)
    var sum: Int64 = 0
    for place in 0..<max(weight + 1, 0) {
      sum = sum &* 10_000 &+ (place < count ? Int64(number(4 + place)) : 0)
    }
    return isNegative ? -sum : sum
  }
}
