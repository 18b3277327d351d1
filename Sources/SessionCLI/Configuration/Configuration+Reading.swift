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
