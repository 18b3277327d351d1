internal import CHTTP
import Glibc
import SessionCore

/// A connection of the library, as long as a request is on it.
// Sendable without the compiler's check: but for `resume`, which may come from any thread, only the server's thread uses
// it.
struct ConnectionHandle: @unchecked Sendable {
  private let connection: OpaquePointer
  let descriptor: Int32

  init(_ connection: OpaquePointer) {
    self.connection = connection
    descriptor = http_connection_socket(connection)
  }

  var peer: NetworkAddress? { http_connection_peer(connection).flatMap { NetworkAddress($0) } }

  var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    withUnsafeMutablePointer(to: &headers) { headers in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { headers, _, name, value in
          guard let headers, let name else { return .YES }
          headers.assumingMemoryBound(to: HTTPHeaders.self).pointee
            .append(String(cString: name), value.map { String(cString: $0) } ?? "")
          return .YES
        }, headers)
    }
    return headers
  }

  func suspend() { MHD_suspend_connection(connection) }

  func resume() { MHD_resume_connection(connection) }

  /// Sends a response; one that cannot be sent becomes an error.
  func queue(_ response: HTTPResponse) -> MHD_Result {
    let isSound = (200...599).contains(response.status) && response.headers.fields.allSatisfy(\.isSendable)
    let response = isSound ? response : .refusal(500, "Internal Server Error")
    guard let queued = make(response.body) else { return .NO }
    defer { MHD_destroy_response(queued) }
    for field in response.headers.fields
    where MHD_add_response_header(queued, field.name, field.value) == .NO {
      return .NO
    }
    return MHD_queue_response(connection, UInt32(response.status), queued)
  }

  private func make(_ body: HTTPResponse.Body) -> OpaquePointer? {
    switch body {
    case .bytes(var bytes):
      return bytes.withUnsafeMutableBytes {
        MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
      }
    case .file(let file):
      // The library closes its own.
      let own = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
      guard own >= 0 else { return nil }
      guard let response = MHD_create_response_from_fd_at_offset64(UInt64(file.size), own, 0) else {
        close(own)
        return nil
      }
      return response
    }
  }
}
