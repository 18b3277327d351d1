internal import CSessionCore

/// A core coder that takes content piece by piece, with a buffer for its output. Unusable after a failure.
final class CoreCoder {
  let handle: OpaquePointer
  private let buffer: UnsafeMutablePointer<sc_buffer>
  private let free: (OpaquePointer?) -> Void

  init(
    free: @escaping (OpaquePointer?) -> Void,
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
    (self.buffer, self.free) = (buffer, free)
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

  /// Passes content to the coder, and returns its output.
  func pass(
    _ content: [UInt8], to step: (OpaquePointer?, sc_bytes) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    try Core.call(with: content) { step(handle, $0) }
    return drain()
  }

  /// Runs the final step, and returns its output.
  func finish(_ step: (OpaquePointer?) -> sc_status) throws(SessionError) -> [UInt8] {
    try Core.call { step(handle) }
    return drain()
  }
}
