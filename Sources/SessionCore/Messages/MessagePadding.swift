internal import CSessionCore

/// Padding that hides the length of messages to contacts and communities.
package enum MessagePadding {
  package static func padded(_ message: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    try Core.bytes(of: message) { sc_pad($0, $1) }
  }

  /// The number of bytes before the padding, if any.
  package static func contentCount(of padded: some Collection<UInt8>) throws(SessionError) -> Int {
    try padded.lend { (padded) throws(SessionError) in sc_unpadded(padded).len }
  }
}
