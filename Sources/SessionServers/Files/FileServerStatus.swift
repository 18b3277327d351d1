import SessionService

/// The state of a file server, for its operator.
public struct FileServerStatus: Codable, Hashable, Sendable {
  public let key: String
  public let url: String
  /// The address that the server listens on.
  public let address: String
  public let files: Int
  /// Bytes of all files.
  public let bytes: Int
  public let maxBytes: Int
  /// The number of requests it has replied to.
  public let requests: UInt64
  /// Bytes of the process.
  public let memory: Int
  public let uptimeSeconds: Int
}

extension FileServer {
  /// The metrics of the server for Prometheus.
  public func metricsText() async -> String {
    let status = await status()
    var text = MetricsText()
    text.add(
      "session_file_server_requests_total", .counter, "Replies by route, method, transport and status.",
      (server?.metrics.answers.counts ?? []).map { answer, count in
        (
          [
            "route": answer.route, "method": answer.method, "way": answer.way.rawValue,
            "status": "\(answer.status)",
          ], count
        )
      })
    text.add("session_file_server_files", .gauge, "Stored files.", status.files)
    text.add("session_file_server_file_bytes", .gauge, "Size of all files.", status.bytes)
    text.add("session_file_server_max_bytes", .gauge, "Size limit of all files.", status.maxBytes)
    text.add("session_file_server_memory_bytes", .gauge, "Memory of the process.", status.memory)
    text.add(
      "session_file_server_uptime_seconds", .gauge, "Seconds since the server started.", status.uptimeSeconds)
    return text.text
  }
}
