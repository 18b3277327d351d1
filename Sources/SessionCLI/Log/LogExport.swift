import Glibc
import SessionBase
import SessionStorage

/// The log as a text that may be given to others: it names no person, no account and no machine.
struct LogExport: Sendable {
  let io: CommandIO
  let roots: StorageRoots
  /// Milliseconds since 1970; earlier lines are left out.
  let since: Int64

  /// Numbers for ids, in the order in which they occur.
  private struct Pseudonyms {
    private var numbers: [String: Int] = [:]

    mutating func name(_ text: String) -> String {
      guard text.contains("…") else { return text }
      let number = numbers[text] ?? numbers.count + 1
      numbers[text] = number
      return "P\(number)"
    }
  }

  /// Writes a new file, which only its owner can read.
  func write(to path: String) throws {
    let file = try PendingFile(for: path)
    for line in try head() { try file.write(Array((line + "\n").utf8).span) }
    var reader = LogReader(LogFolder(in: roots))
    var pseudonyms = Pseudonyms()
    while case let records = try reader.next(), !records.isEmpty {
      for record in records where record.time >= since {
        try file.write(Array((record.text { pseudonyms.name($0) } + "\n").utf8).span)
      }
    }
    try file.commit()
  }

  /// What a reader of the report has to know about the machine.
  private func head() throws -> [String] {
    var lines = [
      "session \(SessionTool.version)", "exported \(LocalTime.universal(Int64(clamping: io.now())))",
    ]
    var system = utsname()
    if uname(&system) == 0 {
      lines.append("kernel \(Self.text(system.sysname)) \(Self.text(system.release))")
    }
    if let release = try? OpenFile(reading: "/etc/os-release").readAll(upTo: 1 << 16) {
      let pairs = String(decoding: release, as: UTF8.self).split(separator: "\n")
      if let name = pairs.first(where: { $0.hasPrefix("PRETTY_NAME=") }) {
        lines.append("system \(name.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" })")
      }
    }
    lines.append("accounts \(try AccountFolder.all(in: roots).count)")
    for finding in MachineCheckup(roots: roots, now: io.now()).findings() {
      lines.append("check \(finding.check) \(finding.state.rawValue)")
    }
    return lines + [""]
  }

  /// A text of the system, whose bytes are a tuple.
  private static func text<Bytes>(_ bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
