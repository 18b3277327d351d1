import SessionNode
import SessionService

extension ConfigKey {
  static let log = ConfigKey(
    name: "log", kind: .text, summary: "the lowest level to log: error, warning, info or debug")
  static let logFormat = ConfigKey(
    name: "log_format", kind: .text, summary: "text, or json for one object per line")
}

extension Configuration {
  /// The log on standard error.
  func log(to io: CommandIO) throws(Mistake) -> ServiceLog {
    guard let level = ServiceLog.Level(named: text("log") ?? "info") else {
      throw mistake("log", ServiceLog.Level.allCases.map(\.name).joined(separator: ", "))
    }
    guard let form = ServiceLog.Form(rawValue: text("log_format") ?? "text") else {
      throw mistake("log_format", ServiceLog.Form.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return ServiceLog(level: level, form: form, write: io.tell)
  }
}
