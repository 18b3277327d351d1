internal import CSessionCore

/// What people and groups are called: without white space around it.
enum Name {
  static func trimmed(_ text: String) -> String {
    Array(text.utf8).withUnsafeBufferPointer { sc_message_name(sc_bytes($0)).text } ?? ""
  }
}
