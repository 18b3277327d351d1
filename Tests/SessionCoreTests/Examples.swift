import SessionCore

/// The accounts whose keys, ids and phrases the specification gives.
enum Example {
  static func first() throws -> Account { try Account(hexSeed: "0123456789abcdef0123456789abcdef".utf8) }
  static func second() throws -> Account { try Account(hexSeed: "00112233445566778899aabbccddeeff".utf8) }

  static let firstID = "05d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72"
  static let secondID = "05aa654f00fc39fc69fd0db829410ca38177d7732a8d2f0934ab3872ac56d5aa74"
  static let firstPhrase =
    "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted adept"
  static let server = "1d7e7f92b1ed3643855c98ecac02fc7274033a3467653f047d6e433540c03f17"
}
