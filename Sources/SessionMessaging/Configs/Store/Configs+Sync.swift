import SessionCore

extension Configs {
  /// True if a config has changes to store, now or once there is a key to seal them with.
  func needsPush(_ name: ConfigName) throws(SessionError) -> Bool {
    guard name.kind.namespace != nil else { return false }
    if name.kind == .groupKeys {
      return try pendingKeys(of: name.owner) != nil
    }
    return try withHandle(name) { (handle) throws(SessionError) in handle.needsPush }
  }

  /// The message with a new key of a group, until it was retrieved.
  func pendingKeys(of group: SessionID) throws(SessionError) -> [UInt8]? {
    try readGroup(group) { (group) throws(SessionError) in group.keys.pending }
  }

  /// True if a config can be stored.
  func canPush(_ name: ConfigName) throws(SessionError) -> Bool {
    guard damaged[name] == nil else { return false }
    guard name.kind != .groupKeys else { return true }
    return try withHandle(name) { (handle) throws(SessionError) in handle.hasKey }
  }

  /// The dump of a config, if it has unsaved changes.
  mutating func dump(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> ConfigDump? {
    // Keep a damaged dump: a newer client may be able to read it, and it holds more than its replacement.
    guard damaged[name] == nil else { return nil }
    guard try needsDump(name) else { return nil }
    touch(name.owner)
    let dump = try dumped(name, at: now)
    mended.remove(name)
    return dump
  }

  private func needsDump(_ name: ConfigName) throws(SessionError) -> Bool {
    guard !mended.contains(name) else { return true }
    if name.kind == .groupKeys {
      return try readGroup(name.owner) { (group) throws(SessionError) in group.keys.needsDump }
    }
    return try withHandle(name) { (handle) throws(SessionError) in handle.needsDump }
  }

  private mutating func dumped(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> ConfigDump {
    if name.kind == .groupKeys {
      let content = try withGroup(name.owner) { (group) throws(SessionError) in try group.keys.dump() }
      return ConfigDump(name, content: content)
    }
    return try withHandle(name) { (handle) throws(SessionError) in
      ConfigDump(name, content: try handle.dump(at: now), parts: handle.parts(at: now))
    }
  }

  /// The messages to push for a config, if it changed, and the hashes of obsolete messages.
  mutating func push(
    _ name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> (push: ConfigPush?, obsolete: [String]) {
    guard let namespace = name.kind.namespace else { return (nil, []) }
    if name.kind == .groupKeys {
      let message = try pendingKeys(of: name.owner)
      return (message.map { ConfigPush(keys: [$0], of: name, in: namespace) }, [])
    }
    var edits = edits[name]
    let handedOut = try withHandle(name) { (handle) throws(SessionError) -> (ConfigPush?, [String]) in
      guard handle.needsPush else { return (nil, handle.takeOldHashes()) }
      let handedOut = try Self.push(of: handle, name, in: namespace, at: now)
      edits?.handOut(handle)
      return handedOut
    }
    self.edits[name] = edits
    return handedOut
  }

  private static func push(
    of handle: borrowing ConfigHandle, _ name: ConfigName, in namespace: StorageNamespace,
    at now: MessageTime
  ) throws(SessionError) -> (push: ConfigPush?, obsolete: [String]) {
    let (sequenceNumber, messages, obsolete) = try handle.push(at: now)
    let push = ConfigPush(
      name: name, namespace: namespace, sequenceNumber: sequenceNumber, messages: messages)
    return (push, obsolete)
  }

  /// The messages as stored, and the hashes of obsolete messages.
  func storedAgain(
    _ name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> (push: ConfigPush?, obsolete: [String]) {
    guard let namespace = name.kind.namespace else { return (nil, []) }
    if name.kind == .groupKeys {
      let messages = try readGroup(name.owner) { (group) throws(SessionError) in group.keys.activeMessages }
      return (messages.isEmpty ? nil : ConfigPush(keys: messages, of: name, in: namespace), [])
    }
    return try withHandle(name) { (handle) throws(SessionError) in
      guard !handle.needsPush, handle.hasKey, handle.sequenceNumber > 0 else { return (nil, []) }
      return try Self.push(of: handle, name, in: namespace, at: now)
    }
  }

  func activeHashes(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> [String] {
    if name.kind == .groupKeys {
      return try readGroup(name.owner) { (group) throws(SessionError) in group.keys.activeHashes }
    }
    return try withHandle(name) { (handle) throws(SessionError) in try handle.activeHashes(at: now) }
  }

  /// Confirms a push under the hashes that the swarm gives its messages. A group's key is confirmed when its message
  /// comes back.
  mutating func confirm(_ push: ConfigPush) throws(SessionError) {
    guard push.name.kind != .groupKeys else { return }
    touch(push.name.owner)
    try confirm(push, hashes: push.messages.map { push.hash(of: $0) })
  }

  /// Confirms that all messages of a push are stored.
  mutating func confirm(_ push: ConfigPush, hashes: [String]) throws(SessionError) {
    var edits = edits[push.name]
    try withHandle(push.name) { (handle) throws(SessionError) in
      try handle.confirm(push.sequenceNumber, hashes: hashes)
      edits?.settle(handle)
    }
    self.edits[push.name] = edits
  }

  mutating func merge(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    let merge = try merged(messages, into: name, at: now)
    // Once a message was merged, or there is none at all, the base for edits is known.
    if messages.isEmpty || merge.rejected.count < messages.count { mend(name) }
    return merge
  }

  private mutating func merged(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    touch(name.owner)
    if name.kind == .groupKeys {
      return try withGroup(name.owner) { (group) throws(SessionError) in
        try group.mergeKeys(messages, at: now)
      }
    }
    guard var edits = edits[name] else {
      throw SessionError(.notFound, "no such config to merge into")
    }
    let (effect, rejected, paths, isNext) = try withHandle(name) { (handle) throws(SessionError) in
      let (mark, number) = (ConfigMark(of: handle), handle.sequenceNumber)
      let (effect, rejected) = try handle.merge(messages, keeping: &edits, at: now)
      edits.settle(handle)
      let isNext = handle.sequenceNumber == number &+ 1
      return (effect, rejected, mark.changes(in: handle, of: name.kind), isNext)
    }
    self.edits[name] = edits
    return ConfigMerge(
      effect: effect, rejected: rejected, changes: changes(in: name, paths), needsRekey: false,
      isOneRevision: effect == .adopted && isNext && messages.count == 1)
  }
}
