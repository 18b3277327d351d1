import SessionCore

/// Names what bt of a config holds, and hides the secrets in it.
struct ConfigReading {
  let kind: ConfigKind?
  let showsSecrets: Bool

  private static let states = [
    "0": "clean", "1": "dirty: edited since it was pushed", "2": "waiting: pushed",
  ]

  /// A config message, its fields named.
  func message(_ bytes: [UInt8]) -> [Inspection] {
    BtInspection.inspect(bytes).parts.map { part in
      var part = part
      part.parts = fields(of: part, in: bytes)
      return part
    }
  }

  /// A dump, and the message in it.
  func dump(_ bytes: [UInt8]) -> [Inspection] {
    BtInspection.inspect(bytes).parts.map { part in
      var part = part
      part.parts = part.parts.map { dumped($0, in: bytes) }
      return part
    }
  }

  /// Fields of a record that is no config message.
  func fields(_ bytes: [UInt8], as schema: ConfigSchema) -> [Inspection] {
    BtInspection.inspect(bytes).parts.flatMap { part in
      // Data after a mistake is shown next to the record.
      part.parts.isEmpty ? [withoutRest(part)] : named(part, schema, in: bytes).parts
    }
  }

  private func dumped(_ field: Inspection, in bytes: [UInt8]) -> Inspection {
    var field = withoutRest(field)
    switch field.name {
    case "\"!\"": return named(field, .words("state", Self.states), in: bytes)
    case "\"$\"":
      field.name += " message"
      field.parts = field.parts.map { message in
        var message = message
        message.parts = fields(of: message, in: bytes)
        return message
      }
    case "\"(\"": field.name += " current hashes"
    case "\")\"": field.name += " old hashes"
    case "\"*\"":
      field.name += " parts that wait"
      field.parts = field.parts.map { parts(in: $0) }
    case "\"+\"": return named(field, Self.extra(of: kind), in: bytes)
    default: break
    }
    return field
  }

  /// Beside its data read state keeps what is too old to be stored.
  private static func extra(of kind: ConfigKind?) -> ConfigSchema {
    let fields = kind == .conversations ? ConfigSchema.data(of: .conversations)?.fields : nil
    return .record("beside the data", fields ?? [:])
  }

  /// Parts are pieces of a message, with the secrets in it.
  private func parts(in set: Inspection) -> Inspection {
    var set = withoutRest(set)
    set.parts = set.parts.map { field in
      field.name == "\"d\"" ? hidden(field, "a piece of a message") : parts(in: field)
    }
    return set
  }

  private func fields(of message: Inspection, in bytes: [UInt8]) -> [Inspection] {
    message.parts.map { field in
      var field = withoutRest(field)
      switch field.name {
      case "\"#\"": field.name += " revision"
      case "\"&\"":
        return named(field, kind.flatMap(ConfigSchema.data) ?? .record("data", [:]), in: bytes)
      case "\"<\"":
        field.name += " earlier changes"
        field.parts = field.parts.map { lagged($0, in: bytes) }
      case "\"=\"": return changes(field, kind.flatMap(ConfigSchema.data), name: "changes")
      case "\"~\"": field.name += " signature"
      default: break
      }
      return field
    }
  }

  private func lagged(_ entry: Inspection, in bytes: [UInt8]) -> Inspection {
    guard entry.parts.count == 3 else { return withoutRest(entry) }
    var entry = entry
    entry.name = "earlier revision"
    entry.parts[0].name = "revision"
    entry.parts[1] = whole(entry.parts[1], in: bytes)
    entry.parts[1].name = "hash"
    if let place = entry.parts[1].place { entry.parts[1].value = bytes[place].suffix(32).hex }
    entry.parts[2].name = "changes"
    entry.parts[2] = changes(entry.parts[2], kind.flatMap(ConfigSchema.data), name: nil)
    return entry
  }

  /// Changes tell which values changed, not what to.
  private func changes(_ field: Inspection, _ schema: ConfigSchema?, name: String?) -> Inspection {
    var field = withoutRest(field)
    if let name { field.name += " \(name)" }
    if field.parts.isEmpty, field.value == nil || field.value == "dict" { field.value = "none" }
    switch field.value {
    case "\"\"": field.value = "set"
    case "\"-\"": field.value = "removed"
    case "list" where field.parts.count == 2:
      field.value = "set of values"
      field.parts[0].name = "added"
      field.parts[1].name = "removed"
    default:
      field.parts = field.parts.map { part in
        let inner = schema?[Self.key(part)]
        return changes(part, inner, name: inner?.name)
      }
    }
    return field
  }

  private func named(_ field: Inspection, _ schema: ConfigSchema?, in bytes: [UInt8]) -> Inspection {
    if isSecret(field, schema, in: bytes) {
      return hidden(field, schema?.name ?? "secret", named: schema != nil)
    }
    var field = whole(withoutRest(field), in: bytes)
    let key = Self.key(field)
    field.parts = field.parts.map { part in
      if isDict(field, in: bytes) { return named(part, schema?[Self.key(part)], in: bytes) }
      // The members of a set have no keys.
      return schema?.entry.isEmpty == false
        ? named(part, schema?.entry.first, in: bytes) : whole(part, in: bytes)
    }
    guard let schema else { return field }
    if key != schema.name { field.name += " \(schema.name)" }
    guard let number = field.value, first(of: field, in: bytes) == UInt8(ascii: "i") else { return field }
    switch schema.form {
    case .seconds: field.value = UInt64(number).map(ShownTime.seconds) ?? number
    case .milliseconds: field.value = UInt64(number).map(ShownTime.milliseconds) ?? number
    case .words(let words): field.value = number + (words[number].map { "  " + $0 } ?? "")
    case .plain, .secret: break
    }
    return field
  }

  /// True for unknown keys under which other kinds store secrets.
  private func isSecret(_ field: Inspection, _ schema: ConfigSchema?, in bytes: [UInt8]) -> Bool {
    guard !showsSecrets, first(of: field, in: bytes) != UInt8(ascii: "i") else { return false }
    guard let schema else { return ConfigSchema.secretKeys.contains(Self.key(field)) }
    if case .secret = schema.form { return true }
    return false
  }

  private func hidden(_ field: Inspection, _ what: String, named: Bool = true) -> Inspection {
    guard !showsSecrets else { return field }
    var field = field
    if named { field.name += " \(what)" }
    field.value = "not shown"
    field.parts = []
    return field
  }

  /// A text in a config is a text, also when it could be read as bt.
  private func whole(_ field: Inspection, in bytes: [UInt8]) -> Inspection {
    guard field.verdict == nil, let place = field.place, let first = first(of: field, in: bytes),
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      let colon = bytes[place].firstIndex(of: UInt8(ascii: ":"))
    else { return field }
    var field = field
    field.value = ShownBytes.textOrHex(bytes[(colon + 1)..<place.upperBound])
    field.parts = []
    return field
  }

  /// Hides the rest after an error, which may contain anything.
  private func withoutRest(_ field: Inspection) -> Inspection {
    guard !showsSecrets, field.name == "no value" || field.name == "after the end" else { return field }
    var field = field
    field.value = field.name == "no value" ? field.value.map { String($0.prefix { $0 != ":" }) } : nil
    return field
  }

  private func first(of field: Inspection, in bytes: [UInt8]) -> UInt8? {
    field.place.flatMap { $0.isEmpty ? nil : bytes[$0.lowerBound] }
  }

  private func isDict(_ field: Inspection, in bytes: [UInt8]) -> Bool {
    first(of: field, in: bytes) == UInt8(ascii: "d")
  }

  /// The key as it is, without the quotes it is shown in.
  private static func key(_ field: Inspection) -> String {
    field.name.count > 1 && field.name.hasPrefix("\"")
      ? String(field.name.dropFirst().dropLast()) : field.name
  }
}
