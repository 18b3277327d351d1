import SessionBase
import SessionCore
import SessionDesktop
import SessionStorage

/// The places outside of an account's folder that keep keys for its slots, and hand them out without a person.
struct KeyPlaces: Sendable {
  /// The name of the credential where no other is chosen.
  static let credential = "session.key"

  let io: CommandIO

  /// The key, from the first slot that opens without a person who types something, and why the others before it do not. The
  /// desktop may ask a person to unlock the keyring only if `asking` is true.
  func key(
    of keys: DatabaseKeys, asking: Bool = false, _ kinds: [KeySlot.Kind] = automatic
  ) async throws -> (DatabaseKey?, [StorageError]) {
    let slots = try keys.slots().filter { $0.lock?.kind.isAutomatic ?? false }
    guard !slots.isEmpty else { return (nil, []) }
    return await WorkerQueue("session.keys").run {
      var failures: [StorageError] = []
      for kind in kinds {
        for slot in slots where slot.kind == kind {
          do throws(StorageError) {
            return (try open(slot, of: keys, asking: asking), failures)
          } catch {
            failures.append(error)
          }
        }
      }
      return (nil, failures)
    }
  }

  /// The slots that open the key now, without a person. Blocks its thread.
  func working(of keys: DatabaseKeys) throws(StorageError) -> [KeySlot] {
    let slots = try keys.slots()
    return zip(slots, KeyState.all(of: slots, keys, self)).filter { $1.isWorking }.map { $0.0 }
  }

  /// What to know about slots that open an account which was locked.
  static func note(_ opening: [KeySlot]) -> String {
    "Commands still open it without a person: \(opening.map(\.kindName).joined(separator: ", "))."
  }

  /// The order in which slots are tried that need no person.
  static let automatic = [KeySlot.Kind.open, .credential, .secretService, .command]

  /// The key, opened with what the place of a slot keeps. Blocks its thread. Throws `slotFailed`.
  func open(_ slot: KeySlot, of keys: DatabaseKeys, asking: Bool = false) throws(StorageError) -> DatabaseKey
  {
    var failure: StorageError?
    for wrapping in try wrappings(of: slot, asking: asking) {
      do throws(StorageError) { return try keys.open(slot.id, wrapping: wrapping) } catch { failure = error }
    }
    throw failure ?? StorageError(.slotFailed, "slot \(slot.id) (\(slot.kindName)) fails")
  }

  /// The keys that a place keeps for a slot; nil for an open slot.
  private func wrappings(of slot: KeySlot, asking: Bool) throws(StorageError) -> [SecretBytes?] {
    do {
      switch slot.lock {
      case .open: return [nil]
      case .credential(let name):
        return [try Self.key(in: try credential(name), from: "the credential \(name)")]
      case .command(let words): return [try printed(by: words)]
      case .secretService(let item): return try secretService().keys(item, asking: asking)
      case .passphrase, .recovery: throw KeyPlaceFailure("it needs a person")
      case nil: throw KeyPlaceFailure(slot.damage ?? "it is damaged")
      }
    } catch {
      throw StorageError(.slotFailed, "slot \(slot.id) (\(slot.kindName)) fails: \(error)")
    }
  }

  /// The keyring of the desktop. Blocks its thread.
  func secretService() throws -> SecretService {
    guard let address = Bus.sessionAddress(io.environment) else {
      throw KeyPlaceFailure("there is no desktop session")
    }
    return try SecretService(address: address)
  }

  /// The content of a credential.
  func credential(_ name: String) throws -> [UInt8] {
    guard Self.isCredential(name) else { throw KeyPlaceFailure("\(name) is not the name of a credential") }
    let found: [UInt8]?
    do { found = try ServiceCredential(io: io).content(name) } catch {
      throw KeyPlaceFailure("the credential \(name) cannot be read")
    }
    guard let found else { throw KeyPlaceFailure("there is no credential \(name)") }
    return found
  }

  /// True for a name without a path.
  static func isCredential(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64 && !name.hasPrefix(".")
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
  }

  /// The key that a program prints, which the settings have to allow: a copied account must not run programs.
  func printed(by words: [String]) throws -> SecretBytes {
    guard io.settings.keyCommands.contains(KeyProgram.text(of: words)) else {
      throw KeyPlaceFailure(
        "your settings do not allow \(DisplayText.line(words.joined(separator: " "))); 'session key add command' does"
      )
    }
    var output = try KeyProgram(words: words, environment: io.environment).output()
    defer { output.wipe() }
    return try Self.key(in: output, from: words[0])
  }

  /// 32 bytes, or as many as 64 hexadecimal digits on one line.
  static func key(in content: [UInt8], from source: String) throws -> SecretBytes {
    var content = content
    defer { content.wipe() }
    if content.count == keyCount { return try SecretBytes(copying: content) }
    let line = content.last == UInt8(ascii: "\n") ? content.dropLast() : content[...]
    guard line.count == 2 * keyCount, var key = try? [UInt8](hex: line) else {
      throw KeyPlaceFailure(
        "\(source) gives \(content.count) bytes, not a key of \(keyCount), or 64 hexadecimal digits")
    }
    defer { key.wipe() }
    return try SecretBytes(copying: key)
  }

  private static let keyCount = 32
}

/// Why a place does not give a key.
struct KeyPlaceFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
