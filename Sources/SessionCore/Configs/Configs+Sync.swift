extension Configs {
  /// What is to be kept of a config, if anything is new.
  func dump(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> [UInt8]? {
    if name.kind == .groupKeys {
      return try withKeys(of: name.owner) { (keys) throws(SessionError) in
        keys.needsDump ? try keys.dump() : nil
      } ?? nil
    }
    return try withHandle(name) { (handle) throws(SessionError) in
      handle.needsDump ? try handle.dump(at: now) : nil
    } ?? nil
  }

  /// What is to be stored of a config, if anything is new, and the hashes of what that replaces.
  func push(
    _ name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> (push: ConfigPush, obsolete: [String])? {
    guard let namespace = name.kind.namespace else { return nil }
    if name.kind == .groupKeys {
      let message = try withKeys(of: name.owner) { (keys) in keys.pending } ?? nil
      return message.map {
        (ConfigPush(name: name, namespace: namespace, sequenceNumber: 0, messages: [$0]), [])
      }
    }
    return try withHandle(name) { (handle) throws(SessionError) in
      guard handle.needsPush else { return nil }
      let (sequenceNumber, messages, obsolete) = try handle.push(at: now)
      return (
        ConfigPush(name: name, namespace: namespace, sequenceNumber: sequenceNumber, messages: messages),
        obsolete
      )
    } ?? nil
  }

  /// The same bytes as are stored.
  func storedAgain(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> ConfigPush? {
    guard let namespace = name.kind.namespace else { return nil }
    if name.kind == .groupKeys {
      let messages = try withKeys(of: name.owner) { keys in keys.activeMessages } ?? []
      guard !messages.isEmpty else { return nil }
      return ConfigPush(name: name, namespace: namespace, sequenceNumber: 0, messages: messages)
    }
    return try withHandle(name) { (handle) throws(SessionError) in
      guard !handle.needsPush, handle.sequenceNumber > 0 else { return nil }
      let (sequenceNumber, messages, _) = try handle.push(at: now)
      return ConfigPush(
        name: name, namespace: namespace, sequenceNumber: sequenceNumber, messages: messages)
    } ?? nil
  }

  func activeHashes(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> [String] {
    if name.kind == .groupKeys { return try withKeys(of: name.owner) { keys in keys.activeHashes } ?? [] }
    return try withHandle(name) { (handle) throws(SessionError) in try handle.activeHashes(at: now) } ?? []
  }

  mutating func merge(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    if name.kind == .groupKeys {
      return try withGroup(name.owner) { (group) throws(SessionError) in try group.mergeKeys(messages) }
    }
    let merged = try withHandle(name) { (handle) throws(SessionError) in try handle.merge(messages, at: now) }
    guard let (paths, rejected) = merged else {
      throw SessionError(.notFound, "the configs of this group are not open")
    }
    return ConfigMerge(rejected: rejected, changes: try changes(in: name, paths), needsRekey: false)
  }
}
