internal import CSessionCore

/// A coder of the core that takes content piece by piece, and where it puts its output until that is fetched. After a
/// failure it is of no more use.
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

  /// What came out since the last time.
  func drain() -> [UInt8] {
    defer { sc_buffer_clear(buffer) }
    return Array(buffer.pointee.content)
  }

  /// Gives the coder content, and returns what came out.
  func pass(
    _ content: [UInt8], to step: (OpaquePointer?, sc_bytes) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    try Core.call(with: content) { step(handle, $0) }
    return drain()
  }

  /// Ends with a step, and returns what came out.
  func finish(_ step: (OpaquePointer?) -> sc_status) throws(SessionError) -> [UInt8] {
    try Core.call { step(handle) }
    return drain()
  }
}
