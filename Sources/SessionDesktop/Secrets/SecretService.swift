import SessionBase
package import SessionCore

/// The store of secrets of a desktop: the Secret Service on the session bus. Its calls block, for worker queues only.
///
/// Secrets go over the bus as they are: it is private to the user, and any program of the user may ask for them anyway.
package final class SecretService: Sendable {
  /// Why the store does not give or take a secret.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    case bus(BusFailure)
    /// There is no collection to keep secrets in.
    case noCollection
    /// The collection is locked.
    case locked
    /// A person closed the prompt, or did not answer it in time.
    case dismissed
    /// There is no such item.
    case missing
    /// It said that it keeps a key, and does not have it.
    case notKept
    /// The store replied with something else.
    case wrongAnswer

    package var description: String {
      switch self {
      case .bus(let failure): "the Secret Service cannot be used: \(failure)"
      case .noCollection: "the Secret Service has no default keyring"
      case .locked: "the keyring is locked"
      case .dismissed: "the prompt for the keyring was not answered"
      case .missing: "the keyring does not have the key"
      case .notKept: "the keyring did not keep the key"
      case .wrongAnswer: "the Secret Service replies in a way that is not known"
      }
    }
  }

  private static let name = "org.freedesktop.secrets"
  private static let root = "/org/freedesktop/secrets"
  private static let prefix = "org.freedesktop.Secret."
  private static let keyCount = 32

  private let bus: Bus
  private let session: String
  private let promptTime: Duration

  /// Connects to the store. `promptTime` is how long a person may take to answer.
  package init(address: String, promptTime: Duration = .seconds(120)) throws(Failure) {
    self.promptTime = promptTime
    do throws(BusFailure) {
      bus = try Bus(address: address)
      let reply = try bus.callBlocking(
        Self.service("OpenSession"), [.string("plain"), .variant(.string(""))])
      session = reply.count == 2 ? reply[1].text ?? "" : ""
    } catch {
      throw .bus(error)
    }
    guard session.hasPrefix("/") else { throw .wrongAnswer }
  }

  private static func service(_ member: String) -> BusMethod {
    BusMethod(name, root, prefix + "Service", member)
  }

  private func call(
    _ path: String, _ interface: String, _ member: String, _ values: [BusValue] = []
  ) throws(Failure) -> [BusValue] {
    do throws(BusFailure) {
      return try bus.callBlocking(BusMethod(Self.name, path, Self.prefix + interface, member), values)
    } catch {
      throw error.kind == .refused(Self.prefix + "Error.IsLocked") ? .locked : .bus(error)
    }
  }

  // MARK: - Keys

  private static func attributes(_ item: String) -> [(String, String)] {
    [("xdg:schema", ApplicationID.name + ".Key"), ("key-id", item)]
  }

  /// The keys that are kept under a name: each of them may be the right one. Unlocks the keyring if a person may be asked.
  /// Throws `locked` and `missing`.
  package func keys(_ item: String, asking: Bool) throws(Failure) -> [SecretBytes] {
    var (found, locked) = try search(item)
    if found.isEmpty, !locked.isEmpty {
      guard asking else { throw .locked }
      found = try unlock(locked)
    }
    guard !found.isEmpty else { throw .missing }
    var keys: [SecretBytes] = []
    var failure = Failure.missing
    for path in found {
      do throws(Failure) { keys.append(try key(at: path)) } catch { failure = error }
    }
    guard !keys.isEmpty else { throw failure }
    return keys
  }

  private func search(_ item: String) throws(Failure) -> (unlocked: [String], locked: [String]) {
    let reply = try call(Self.root, "Service", "SearchItems", [.texts(Self.attributes(item))])
    guard reply.count == 2, let unlocked = reply[0].paths, let locked = reply[1].paths else {
      throw .wrongAnswer
    }
    return (unlocked, locked)
  }

  private func key(at path: String) throws(Failure) -> SecretBytes {
    // The reply is gone by now, so that no other copy of the digits is left.
    var digits = try digits(at: path)
    defer { digits.wipe() }
    guard digits.count == 2 * Self.keyCount, var bytes = try? [UInt8](hex: digits) else { throw .wrongAnswer }
    defer { bytes.wipe() }
    do throws(SessionError) { return try SecretBytes(copying: bytes) } catch { throw .wrongAnswer }
  }

  private func digits(at path: String) throws(Failure) -> [UInt8] {
    let reply = try call(path, "Item", "GetSecret", [.path(session)])
    guard let secret = reply.first?.elements, secret.count == 4, let digits = secret[2].content else {
      throw .wrongAnswer
    }
    return digits
  }

  /// Keeps a key under a name, in the default keyring, beside those that it keeps under that name already: one of them may
  /// be in use. Reads it again: throws `notKept` if it is not there.
  package func keep(_ key: SecretBytes, as item: String, asking: Bool) throws(Failure) {
    let collection = try defaultCollection(asking: asking)
    var digits = key.hexDigits()
    defer { digits.wipe() }
    let properties = BusValue.options([
      (Self.prefix + "Item.Label", .string("Session messages on this machine")),
      (Self.prefix + "Item.Attributes", .texts(Self.attributes(item))),
    ])
    let reply = try call(
      collection, "Collection", "CreateItem", [properties, secret(digits), .boolean(false)])
    guard reply.count == 2, let prompt = reply[1].text else { throw .wrongAnswer }
    if prompt != "/" {
      guard asking else { throw .locked }
      _ = try self.prompt(prompt)
    }
    let kept: [SecretBytes]
    do throws(Failure) { kept = try keys(item, asking: asking) } catch {
      throw error == .missing ? .notKept : error
    }
    guard kept.contains(key) else { throw .notKept }
  }

  private func secret(_ digits: [UInt8]) -> BusValue {
    .structure([.path(session), .bytes([]), .bytes(digits), .string("text/plain; charset=utf8")])
  }

  /// Deletes what is kept under a name.
  package func forget(_ item: String, asking: Bool) throws(Failure) {
    let (unlocked, locked) = try search(item)
    for path in unlocked + locked {
      let reply = try call(path, "Item", "Delete")
      guard let prompt = reply.first?.text, prompt != "/" else { continue }
      guard asking else { throw .locked }
      _ = try self.prompt(prompt)
    }
  }

  /// True if a key can be kept without asking anybody. Throws `noCollection`.
  package func isOpen() throws(Failure) -> Bool {
    do throws(Failure) { _ = try defaultCollection(asking: false) } catch {
      guard error == .locked else { throw error }
      return false
    }
    return true
  }

  private func defaultCollection(asking: Bool) throws(Failure) -> String {
    let alias = try call(Self.root, "Service", "ReadAlias", [.string("default")])
    guard let collection = alias.first?.text else { throw .wrongAnswer }
    guard collection != "/" else { throw .noCollection }
    guard try isLocked(collection) else { return collection }
    guard asking else { throw .locked }
    guard try unlock([collection]).contains(collection) else { throw .locked }
    return collection
  }

  private func isLocked(_ collection: String) throws(Failure) -> Bool {
    do throws(BusFailure) {
      let reply = try bus.callBlocking(
        BusMethod(Self.name, collection, "org.freedesktop.DBus.Properties", "Get"),
        [.string(Self.prefix + "Collection"), .string("Locked")])
      return reply.first?.inner?.isTrue ?? false
    } catch {
      throw .bus(error)
    }
  }

  // MARK: - Prompts

  /// Unlocks objects, and returns those that are unlocked.
  private func unlock(_ paths: [String]) throws(Failure) -> [String] {
    let reply = try call(Self.root, "Service", "Unlock", [.array(of: "o", paths.map { .path($0) })])
    guard reply.count == 2, let unlocked = reply[0].paths, let prompt = reply[1].text else {
      throw .wrongAnswer
    }
    guard prompt != "/" else { return unlocked }
    return try self.prompt(prompt).inner?.paths ?? []
  }

  /// Lets a person answer a prompt, and returns its result.
  private func prompt(_ path: String) throws(Failure) -> BusValue {
    let result = AwaitedAnswer<[BusValue]>()
    do throws(BusFailure) {
      // The bus lets through only what the owner of the name sends.
      try bus.hear(
        "type='signal',sender='\(Self.name)',interface='\(Self.prefix)Prompt',member='Completed',path='\(path)'"
      ) { signal in
        result.give(signal.values)
      }
    } catch {
      throw .bus(error)
    }
    _ = try call(path, "Prompt", "Prompt", [.string("")])
    guard let values = result.wait(for: promptTime) else {
      _ = try? call(path, "Prompt", "Dismiss")
      throw .dismissed
    }
    guard values.count == 2, let isDismissed = values[0].isTrue else {
      throw .wrongAnswer
    }
    guard !isDismissed else { throw .dismissed }
    return values[1]
  }
}
