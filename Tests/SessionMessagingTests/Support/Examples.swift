import SessionCore

/// The accounts whose keys, ids and phrases the specification gives.
enum Example {
  static func first() throws -> Account { try Account(hexSeed: "0123456789abcdef0123456789abcdef".utf8) }
  static func second() throws -> Account { try Account(hexSeed: "00112233445566778899aabbccddeeff".utf8) }

  static let server = "1d7e7f92b1ed3643855c98ecac02fc7274033a3467653f047d6e433540c03f17"
}
