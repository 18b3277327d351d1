internal import CSessionCore

/// Names of people and groups, without surrounding white space.
package enum Name {
  package static func trimmed(_ text: String) -> String {
    Array(text.utf8).withUnsafeBufferPointer { sc_message_name(sc_bytes($0)).text } ?? ""
  }
}
