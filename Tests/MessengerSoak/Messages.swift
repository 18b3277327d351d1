import SessionMessaging

/// Writes `count` messages, this many at a time with a delay in between, and sees all of them arrive.
func run(
  _ name: String, _ count: Int, at once: Int, every delay: Duration, from alice: Messenger, to bob: Messenger
) async throws -> Run {
  let reader = name
  // Skip the events from before this run.
  try await bob.acknowledge(try await bob.lastEvent(), by: reader)
  async let arrivals = arrivals(of: count, named: name, at: bob, reader)
  var written: [String: ContinuousClock.Instant] = [:]
  for start in stride(from: 0, to: count, by: once) {
    for number in start..<min(start + once, count) {
      let body = "\(name) \(number)"
      written[body] = .now
      try await alice.send(body, to: bob.id)
    }
    try await Task.sleep(for: delay)
  }
  var run = Run(name: name)
  for (body, time) in try await arrivals {
    guard let begun = written.removeValue(forKey: body) else { throw Lost(what: "'\(body)' came twice") }
    run.times.append(time - begun)
  }
  guard written.isEmpty else { throw Lost(what: "\(written.count) of \(count) did not arrive") }
  return run
}

func arrivals(
  of count: Int, named name: String, at bob: Messenger, _ reader: String
) async throws -> [(String, ContinuousClock.Instant)] {
  var found: [(String, ContinuousClock.Instant)] = []
  for try await event in bob.events(for: reader) {
    if event.kind == .messageReceived, let id = event.message, let message = try await bob.message(id),
      message.body.hasPrefix(name)
    {
      found.append((message.body, .now))
    }
    try await bob.acknowledge(event.id, by: reader)
    if found.count == count { return found }
  }
  return found
}
