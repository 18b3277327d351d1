internal import CSessionCore

/// A core coder that takes content piece by piece, with a buffer for its output. Unusable after a failure.
final class CoreCoder {
  let handle: OpaquePointer
  private let buffer: UnsafeMutablePointer<sc_buffer>
  private let free: (OpaquePointer?) -> Void
  private let write: (OpaquePointer?, sc_bytes) -> sc_status
  private let end: (OpaquePointer?) -> sc_status

  /// `write` takes the content, and `end` runs the final step, if that returns nothing else.
  init(
    free: @escaping (OpaquePointer?) -> Void, write: @escaping (OpaquePointer?, sc_bytes) -> sc_status,
    end: @escaping (OpaquePointer?) -> sc_status = { _ in SC_OK },
    make: (UnsafeMutablePointer<OpaquePointer?>, sc_sink) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    let buffer = UnsafeMutablePointer<sc_buffer>.allocate(capacity: 1)
    buffer.initialize(to: sc_buffer())
    do throws(SessionError) {
      handle = try Core.object { (out) throws(SessionError) in try make(out, sc_sink_to_buffer(buffer)) }
    } catch {
      sc_buffer_free(buffer)
      buffer.deallocate()
      throw error
    }
    (self.buffer, self.free, self.write, self.end) = (buffer, free, write, end)
  }

  deinit {
    free(handle)
    sc_buffer_free(buffer)
    buffer.deallocate()
  }

  var hasOutput: Bool { buffer.pointee.len > 0 }

  /// Returns the output since the last call.
  func drain() -> [UInt8] {
    defer { sc_buffer_clear(buffer) }
    return Array(buffer.pointee.content)
  }

  func pass(_ content: [UInt8]) throws(SessionError) -> [UInt8] {
    try Core.call(with: content) { write(handle, $0) }
    return drain()
  }

  func finish() throws(SessionError) -> [UInt8] {
    try Core.call { end(handle) }
    return drain()
  }
}
