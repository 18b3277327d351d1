import SessionService
import SessionStorage

/// The state of a community server, for its operator.
public struct CommunityStatus: Codable, Hashable, Sendable {
  public let key: String
  public let url: String
  /// The addresses that the server listens on.
  public let addresses: [String]
  public let rooms: Int
  public let persons: Int
  /// Messages with a text.
  public let messages: Int
  /// Bytes of all files, and how many they may be.
  public let fileBytes: Int
  public let maxFileBytes: Int
  /// The number of requests it has replied to.
  public let requests: UInt64
  /// Bytes of the process.
  public let memory: Int
  public let uptimeSeconds: Int
}

/// How much a server stores.
struct CommunityCounts: Hashable, Sendable {
  var rooms = 0
  var persons = 0
  var messages = 0
}

extension CommunityStore {
  func counts() async throws -> CommunityCounts {
    try await read { transaction in
      try transaction.takeTime()
      return CommunityCounts(
        rooms: try transaction.value("SELECT count(*) FROM room") ?? 0,
        persons: try transaction.value("SELECT count(*) FROM person") ?? 0,
        // Both counts read an index alone.
        messages: try (transaction.value("SELECT count(*) FROM message") ?? 0)
          - (transaction.value("SELECT count(*) FROM message WHERE deleted IS NOT NULL") ?? 0))
    }
  }
}

extension CommunityServer {
  /// The metrics of the server for Prometheus.
  public func metricsText() async -> String {
    let status = await status()
    var text = MetricsText()
    text.add(
      "session_community_server_requests_total", .counter, "Replies by route, method, transport and status.",
      (server?.metrics.answers.counts ?? []).map { answer, count in
        (
          [
            "route": answer.route, "method": answer.method, "way": answer.way.rawValue,
            "status": "\(answer.status)",
          ], count
        )
      })
    text.add(
      "session_community_server_remembered_total", .counter, "Requests that were answered from memory.",
      store.memory.answerCount)
    text.add("session_community_server_rooms", .gauge, "Rooms.", status.rooms)
    text.add(
      "session_community_server_persons", .gauge, "People who have come or were named.", status.persons)
    text.add("session_community_server_messages", .gauge, "Messages with a text.", status.messages)
    text.add("session_community_server_file_bytes", .gauge, "Size of all files.", status.fileBytes)
    text.add(
      "session_community_server_max_file_bytes", .gauge, "Size limit of all files.", status.maxFileBytes)
    text.add("session_community_server_memory_bytes", .gauge, "Memory of the process.", status.memory)
    text.add(
      "session_community_server_uptime_seconds", .gauge, "Seconds since the server started.",
      status.uptimeSeconds)
    return text.text
  }
}
