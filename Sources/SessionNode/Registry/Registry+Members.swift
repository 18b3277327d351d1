import SessionBase
import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionService

extension Registry {
  /// Processes an announcement; returns the list if the node does not have it.
  func hear(_ announcement: NodeAnnouncement, from key: [UInt8]) async throws(NetworkRefusal) -> [UInt8] {
    guard announcement.key == key else { throw .registry(403, "somebody else's announcement") }
    try requireAllowed(key)
    let now = options.wallClock()
    guard max(now, announcement.time) - min(now, announcement.time) <= NodeAnnouncement.slack else {
      throw .registry(
        406, "the clocks differ: the registry has \(now) ms since 1970; set the clock of the node")
    }
    guard announcement.time >= lastTimes[key] ?? 0 else { throw .overtaken }
    guard announcement.state != .gone else {
      lastTimes[key] = announcement.time
      if forget(key, "node left") { revise() }
      return []
    }
    try await take(announcement)
    return announcement.height < file.height ? file.text : []
  }

  private func take(_ announcement: NodeAnnouncement) async throws(NetworkRefusal) {
    let key = announcement.key
    var record: NodeRecord
    do throws(SessionError) {
      record = try NodeRecord(
        key: key, address: announcement.address, httpsPort: announcement.httpsPort,
        version: announcement.version, swarm: NodeRecord.noSwarm)
    } catch {
      throw .registry(400, error.message)
    }
    let hasMoved = members[key]?.record.address != announcement.address
    if hasMoved {
      try requireFree(announcement)
      try await prove(announcement)
    }
    let mute = await findMute(record)
    if mute != nil { record.httpsPort = 0 }
    // Others were heard meanwhile, and perhaps the operator.
    try requireAllowed(key)
    let known = members[key]
    guard announcement.time >= lastTimes[key] ?? 0 else {
      // A later announcement is known already; it may have said that the node is gone.
      guard known != nil else { throw .overtaken }
      return
    }
    if hasMoved { try takeAddress(announcement) }
    lastTimes[key] = announcement.time
    record.swarm = known?.record.swarm ?? NodeRecord.noSwarm
    let member = Member(
      record: record, heard: options.clock(), isHeard: true, isLeaving: announcement.state == .leaving,
      unreachable: Set(announcement.unreachable), mute: mute)
    members[key] = member
    if known == nil {
      options.log(.info, "node joined", ["key": key.hex, "address": "\(announcement.address)"])
    }
    if known.map(member.differs) ?? true { revise() }
  }

  private func requireAllowed(_ key: [UInt8]) throws(NetworkRefusal) {
    guard !admission.allows(key) else { return }
    admission.read(members: members.keys)
    guard !admission.allows(key) else { return }
    if refusals.isNews(key, now: options.clock()) {
      options.log(.warning, "refused a node that is not allowed", ["key": key.hex])
    }
    throw .registry(403, "the operator has not allowed this node")
  }

  /// Calls the node at its announced address.
  private func prove(_ announcement: NodeAnnouncement) async throws(NetworkRefusal) {
    let reply: [UInt8]
    do {
      let peer = try NetworkPeer(address: announcement.address, key: announcement.key)
      guard let endpoint else { throw ServiceFailure.overloaded }
      reply = try await endpoint.request("snode_ping", to: peer, timeout: options.pingTimeout)
    } catch {
      options.log(
        .warning, "a node cannot be reached at its address",
        ["key": announcement.key.hex, "address": "\(announcement.address)"])
      throw .registry(502, "no reply from \(announcement.address): the registry must be able to call it")
    }
    guard reply == Array("pong".utf8) else { throw .registry(502, "an invalid reply from the node") }
  }

  /// Another node that has the address.
  private func holder(of announcement: NodeAnnouncement) -> Member? {
    members.values.first {
      $0.record.key != announcement.key && $0.record.address == announcement.address
    }
  }

  /// True if no recently heard node has the address.
  private func requireFree(_ announcement: NodeAnnouncement) throws(NetworkRefusal) {
    guard let holder = holder(of: announcement),
      holder.silence(at: options.clock()) <= options.silence.nanoseconds
    else { return }
    throw .registry(
      409,
      "node \(holder.record.key.hex) has the address \(announcement.address): stop it and wait until it has timed out"
    )
  }

  /// A node that was reached at its address has proved that it owns it.
  private func takeAddress(_ announcement: NodeAnnouncement) throws(NetworkRefusal) {
    try requireFree(announcement)
    if let holder = holder(of: announcement) { _ = forget(holder.record.key, "another node has its address") }
  }

  /// The HTTPS port that must not be listed because the node does not reply there, and until when; nil for none.
  private func findMute(_ record: NodeRecord) async -> (port: UInt16, until: UInt64)? {
    guard record.httpsPort > 0 else { return nil }
    if let known = members[record.key], known.record.address == record.address {
      if known.record.httpsPort == record.httpsPort { return nil }
      if let mute = known.mute, mute.port == record.httpsPort, options.clock() < mute.until { return mute }
    }
    guard await !web.reaches(record, within: options.pingTimeout) else { return nil }
    options.log(
      .warning, "a node does not reply at its HTTPS address and is listed without it",
      ["key": record.key.hex, "port": "\(record.httpsPort)"])
    return (record.httpsPort, options.clock() + options.httpsRetryDelay.nanoseconds)
  }

  /// True if there was such a member.
  private func forget(_ key: [UInt8], _ why: String) -> Bool {
    guard members.removeValue(forKey: key) != nil else { return false }
    options.log(.info, why, ["key": key.hex])
    return true
  }

  /// Checks for silent nodes and changed permissions. Nil when the task must end.
  func look() -> Void? {
    guard !Task.isCancelled else { return nil }
    admission.read(members: members.keys)
    let (now, wall) = (options.clock(), options.wallClock())
    let isCutOff = attendance(now).isCutOff
    for (key, member) in members {
      if !admission.allows(key) {
        _ = forget(key, "node is not allowed any more")
      } else if !isCutOff, member.silence(at: now) > options.memory.nanoseconds {
        _ = forget(key, "node timed out")
      }
    }
    // The time check refuses older announcements anyway; times far ahead came from another clock.
    lastTimes = lastTimes.filter { max(wall, $0.value) - min(wall, $0.value) <= 2 * NodeAnnouncement.slack }
    revise()
    return ()
  }

  /// Believes the list of allowed nodes as it is, however many it lacks; returns how many nodes go.
  func confirmAllowed() throws -> Int {
    let count = members.count
    try admission.confirm()
    _ = look()
    return count - members.count
  }
}

extension Registry.Member {
  /// True if the list may have to change.
  fileprivate func differs(from known: Registry.Member) -> Bool {
    record != known.record || isLeaving != known.isLeaving || unreachable != known.unreachable
      || (record.swarm == NodeRecord.noSwarm && !isLeaving)
  }
}

extension NetworkRefusal {
  fileprivate static var overtaken: NetworkRefusal {
    registry(409, "the node has already sent a newer announcement")
  }
}
