import SessionCore
public import SessionStorage
import StorageFloor

/// A database that is measured.
public struct BenchAccount {
  private static let key = [UInt8](repeating: 7, count: DatabaseKey.byteCount)

  public let path: String
  public let database: Database

  public init(_ path: String) throws {
    self.path = path
    database = try Self.open(path)
  }

  public static func open(_ path: String, _ options: DatabaseOptions = DatabaseOptions()) throws -> Database {
    try Database.open(path, key: DatabaseKey(SecretBytes(copying: key)), schema: .account, options: options)
  }

  /// Opens the same file for the floor.
  public func openFloor() -> OpaquePointer { Self.openFloor(path) }

  public static func openFloor(_ path: String) -> OpaquePointer { floor_open(path, key) }
}
