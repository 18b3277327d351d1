internal import CSessionCore

/// Seals content piece by piece. After a failure it is of no more use.
protocol AttachmentSealer: AnyObject {
  /// True if the whole content has to be measured before it is sealed.
  var measuresFirst: Bool { get }
  func measure(_ content: [UInt8]) throws(SessionError)
  /// Ends measuring; gives the next of what stands before the content, and nothing when the content is due.
  func head() throws(SessionError) -> [UInt8]
  func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8]
  func finish() throws(SessionError) -> (end: [UInt8], pointer: AttachmentPointer)
}

/// Opens a sealed file piece by piece. After a failure it is of no more use.
protocol AttachmentOpener: AnyObject {
  /// True if the whole file has to be checked before it is opened.
  var checksFirst: Bool { get }
  func check(_ sealed: [UInt8]) throws(SessionError)
  func finishChecking() throws(SessionError)
  func open(_ sealed: [UInt8]) throws(SessionError) -> [UInt8]
  func finish() throws(SessionError) -> [UInt8]
}

extension AttachmentPointer {
  func makeOpener() throws(SessionError) -> any AttachmentOpener {
    switch format {
    case .legacy: try LegacyOpener(self)
    case .stream: try StreamOpener(self)
    }
  }
}

/// Where the C coders put their output until it is fetched.
final class SinkBuffer {
  private let buffer: UnsafeMutablePointer<sc_buffer>
  let sink: sc_sink

  init() {
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: sc_buffer())
    sink = sc_sink_to_buffer(buffer)
  }

  deinit {
    sc_buffer_free(buffer)
    buffer.deallocate()
  }

  var isEmpty: Bool { buffer.pointee.len == 0 }

  /// What was put in since the last time.
  func drain() -> [UInt8] {
    defer { sc_buffer_clear(buffer) }
    return Array(buffer.pointee.content)
  }
}
