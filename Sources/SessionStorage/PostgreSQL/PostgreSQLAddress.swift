internal import CPostgreSQL

/// The address of a database of a PostgreSQL server: a URL such as `postgresql://session@db.example/chat`.
///
/// It holds no password: an address stands in configuration files, and in the arguments of commands, which other users
/// see. libpq finds the password in the file that PGPASSFILE or the address names, `~/.pgpass` by default.
public struct PostgreSQLAddress: Hashable, Sendable, CustomStringConvertible {
  /// The text as it was given.
  public let text: String

  private static let schemes = ["postgresql://", "postgres://"]

  /// Throws `value` for another URL, and for one with a password; `missing` if libpq is not installed.
  public init(_ text: String) throws(StorageError) {
    guard Self.isAddress(text) else {
      throw StorageError(.value, "the address of a database begins with postgresql://")
    }
    guard postgresql_load() else {
      throw StorageError(.missing, "the library libpq.so.5 is missing; run: apt install libpq5")
    }
    var reason: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &reason) else {
      PQfreemem(reason)
      // libpq's own words may contain a part of the address that is a password.
      throw StorageError(.value, "the address of the database cannot be read: postgresql://USER@HOST/NAME")
    }
    defer { PQconninfoFree(options) }
    var option = options
    while let name = option.pointee.keyword {
      if String(cString: name) == "password", option.pointee.val != nil {
        throw StorageError(
          .value,
          """
          the address of the database has a password, which others could read; write HOST:PORT:NAME:USER:PASSWORD into \
          a file that only you can read, and append ?passfile=FILE to the address or set PGPASSFILE
          """)
      }
      option += 1
    }
    self.text = text
  }

  /// True for what is meant as such an address, whether it is right or not.
  public static func isAddress(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

  public var description: String { text }
}
