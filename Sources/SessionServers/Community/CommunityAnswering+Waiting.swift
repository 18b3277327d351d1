import SessionCore
import SessionHTTP
import SessionStorage

extension CommunityAnswering {
  /// The longest time that a request waits, in seconds.
  private static let maxWait = 25

  /// How long a request for the changes of a room waits if there are none; nil if it does not. Only a client that keeps its
  /// connection to itself may wait: the nodes of a path do not.
  func waitingTime(
    _ request: HTTPRequest, _ pattern: String, over way: ServerMetrics.Way
  ) throws(CommunityRefusal) -> Duration? {
    guard pattern == CommunityRoute.changes, let text = request.target[query: "wait"] else { return nil }
    guard let seconds = Int(text) else { throw .invalid("wait is not a number") }
    guard seconds > 0, way == .plain, isPrivate(request) else { return nil }
    return .seconds(min(seconds, Self.maxWait))
  }

  /// True if a request came over TLS, or from a private network.
  private func isPrivate(_ request: HTTPRequest) -> Bool {
    if rules.options.tls != nil { return true }
    let isProxied = rules.options.trustedProxies.contains { $0.hostBytes == request.peer?.hostBytes }
    let scheme = request.headers.values(of: "X-Forwarded-Proto").last
    if isProxied, scheme?.lowercased() == "https" { return true }
    return request.client(behind: rules.options.trustedProxies)?.isPrivate ?? false
  }

  /// Answers as soon as there is something to tell, or the time is over.
  func answer(
    within time: Duration, _ visit: CommunityVisit, who: [UInt8],
    _ work: (CommunityVisit) async throws(CommunityRefusal) -> CommunityAnswer
  ) async throws(CommunityRefusal) -> CommunityAnswer {
    let deadline = ContinuousClock.now + time
    guard let room = try await room(visit["room"]), rules.waits.enter(who) else {
      return try await work(visit)
    }
    defer { rules.waits.leave(who) }
    while true {
      let ticket = rules.waits.ticket(for: room)
      let answer = try await work(visit.at(now))
      guard answer.isEmptyPage, ContinuousClock.now < deadline, !Task.isCancelled,
        await rules.waits.wait(ticket, until: deadline)
      else { return answer }
    }
  }

  private func room(_ token: String) async throws(CommunityRefusal) -> Int64? {
    do { return try await store.read { try $0.room(token)?.id } } catch { throw failure(error) }
  }
}

extension CommunityAnswer {
  fileprivate var isEmptyPage: Bool { if case .json("[]") = body { status == 200 } else { false } }
}

extension CommunityVisit {
  /// The same request at a later time.
  fileprivate func at(_ now: Int64) -> CommunityVisit {
    CommunityVisit(
      method: method, target: target, parameters: parameters, headers: headers, body: body, author: author,
      now: now, rules: rules)
  }
}

extension NetworkAddress {
  /// True for this machine, and for addresses that no router of the internet passes on.
  var isPrivate: Bool {
    let host = hostBytes
    if host.count == 4 { return Self.isPrivate(host) }
    if host.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
      return Self.isPrivate(Array(host.suffix(4)))
    }
    return isLoopback || host[0] & 0xFE == 0xFC || (host[0] == 0xFE && host[1] & 0xC0 == 0x80)
  }

  private static func isPrivate(_ host: [UInt8]) -> Bool {
    switch (host[0], host[1]) {
    case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254): true
    default: false
    }
  }
}
