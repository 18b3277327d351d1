import Foundation
import SessionCore
import SessionStorage
import Testing

/// A folder for one test, which goes with it.
final class Folder: Sendable {
  let path: String

  init() throws {
    var template = Array("\(NSTemporaryDirectory())/jobs.XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Opens the database in the folder.
  func open() throws -> Database {
    let key = try DatabaseKey(SecretBytes(copying: [UInt8](repeating: 1, count: DatabaseKey.byteCount)))
    return try Database.open(path + "/account.db", key: key, schema: .account)
  }
}
