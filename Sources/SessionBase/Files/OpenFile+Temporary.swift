internal import CLinux
import Glibc

extension OpenFile {
  /// Creates a file that only its owner may read or write, with a random end of its name; `name` is for messages. Returns
  /// nil, with `errno` set, when the system refuses.
  package static func temporary(_ beginning: String, name: String) -> (file: OpenFile, path: String)? {
    var template = Array("\(beginning)XXXXXX".utf8CString)
    let descriptor = mkostemp(&template, O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (OpenFile(adopting: descriptor, name: name), path)
  }
}
