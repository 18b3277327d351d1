import Glibc
import SessionCore
import SessionService

extension Configuration {
  /// Reads a file that has these keys, and no others.
  init(_ path: String, keys: [ConfigKey], topic: String, io: CommandIO) throws(CommandFailure) {
    let text = try Self.text(of: path, io)
    do throws(Mistake) { try self.init(path, text: text, keys: keys, topic: topic) } catch {
      throw CommandFailure(error)
    }
  }

  /// Reads a file of this user's settings, which no other user may write; nil if there is none.
  static func own(
    _ path: String, keys: [ConfigKey], topic: String, io: CommandIO
  ) throws(CommandFailure) -> Configuration? {
    guard try isOwn(path) else { return nil }
    return try Configuration(path, keys: keys, topic: topic, io: io)
  }

  /// True if a file exists and only its owner can write it, false if there is none. Throws if others could choose what the
  /// programs of this user do.
  static func isOwn(_ path: String) throws(CommandFailure) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno != ENOENT else { return false }
      throw CommandFailure(
        status: .configuration, message: "\(path) cannot be looked at: \(String(cString: strerror(errno)))",
        advice: "Check that you can read the folder.")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
      throw CommandFailure(
        status: .configuration, message: "others can write to \(path)",
        advice: "run: chmod go-w '\(path)'")
    }
    return true
  }

  /// The text of a file.
  static func text(of path: String, _ io: CommandIO) throws(CommandFailure) -> String {
    let bytes: [UInt8]
    do throws(SessionError) {
      bytes = try io.read(path, maxBytes)
    } catch {
      throw CommandFailure(error, subject: path)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .data("\(path): not UTF-8") }
    return text
  }
}
