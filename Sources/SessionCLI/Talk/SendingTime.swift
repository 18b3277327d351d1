import SessionMessaging

extension Invocation {
  /// When a message is to be sent, by `--at`, `--in` and `--late`; nil if it is sent at once.
  func sendTime(_ io: CommandIO) throws(CommandFailure) -> SendTime? {
    let late = try span("late").map { $0 * 1000 } ?? SendTime.usualLateness
    switch (self["at"], try span("in")) {
    case (nil, nil):
      guard self["late"] == nil else { throw misuse("--late needs --at or --in") }
      return nil
    case (_?, _?): throw misuse("--at and --in exclude each other")
    case (let text?, nil):
      let now = Int64(clamping: io.now())
      guard let at = LocalMoment.parse(text) ?? LocalMoment.next(text, after: now) ?? Self.milliseconds(text)
      else {
        throw misuse("--at is a time, such as '2026-12-24 18:00' or 07:30")
      }
      return SendTime(at, zone: LocalZone.name(io.environment), late: late)
    case (nil, let seconds?):
      return SendTime(
        Int64(clamping: io.now()) + seconds * 1000, zone: LocalZone.name(io.environment), late: late)
    }
  }

  /// As programs give a time: milliseconds since 1970.
  private static func milliseconds(_ text: String) -> Int64? {
    guard (12...15).contains(text.utf8.count), let number = Int64(text), number > 0 else { return nil }
    return number
  }

  private func span(_ option: String) throws(CommandFailure) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let span = TimeSpan(text), span.seconds <= SendTime.mostDelay / 1000 else {
      throw misuse("--\(option) is a span of time, such as 30m, 2h or 3d, of up to a year")
    }
    return span.seconds
  }
}

extension Command.Option {
  static let sendAt = Self(
    name: "at", value: "WHEN", summary: "send it later: '2026-12-24 18:00', or the next 07:30")
  static let sendIn = Self(name: "in", value: "TIME", summary: "send it after this time, such as 2h")
  static let sendLate = Self(
    name: "late", value: "TIME",
    summary: "how late it may still be sent if nothing ran when it was due; 1h by default")
}
