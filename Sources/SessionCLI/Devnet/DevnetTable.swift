import SessionBase
import SessionCore
import SessionEndpoint
import SessionNode

/// A table of nodes and servers.
struct DevnetTable {
  /// The width of labels below the table.
  private static let labelWidth = 18

  let status: DevnetStatus

  var text: String {
    let head = ["node", "address", "swarm", "state", "messages", "weather", "key"]
    let rows = [head] + status.nodes.map(row)
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ").trimmingEnd
    }
    let servers = status.servers.flatMap { server in
      [
        "\(server.name) server".padded(to: Self.labelWidth) + "\(server.url)  \(server.summary)",
        "".padded(to: Self.labelWidth) + server.key,
      ]
    }
    return
      (lines + [""] + servers + [
        "network file  \(status.networkFile)", "memory        \(status.memory / 1_048_576) MiB", "",
      ]).joined(separator: "\n")
  }

  private func row(_ node: DevnetStatus.Node) -> [String] {
    [
      "\(node.number)", node.address, String(node.swarm, radix: 16), node.isAlive ? "alive" : "dead",
      node.isAlive ? "\(node.messages)" : "", weather(node.weather), String(node.key),
    ]
  }

  private func weather(_ weather: NetworkWeather) -> String {
    guard weather != .fair else { return "fair" }
    let loss = weather.loss * 100
    let percent = loss == loss.rounded() ? "\(Int(loss))" : "\(loss)"
    return "\(weather.delay.milliseconds) ms, \(percent) % lost"
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
