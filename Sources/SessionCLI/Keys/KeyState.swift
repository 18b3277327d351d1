import SessionBase
import SessionStorage

/// The state of a slot.
enum KeyState: Sendable {
  case works
  /// It opens with what a person types.
  case asks
  case failed(String)
  /// It is of a later version, or damaged.
  case unusable(String)

  /// Tests the slots that need no person. Blocks its thread.
  static func all(of slots: [KeySlot], _ keys: DatabaseKeys, _ places: KeyPlaces) -> [KeyState] {
    slots.map { slot in
      guard let lock = slot.lock else { return .unusable(slot.damage ?? "") }
      guard lock.kind.isAutomatic else { return .asks }
      do throws(StorageError) {
        _ = try places.open(slot, of: keys)
        return .works
      } catch {
        return .failed(error.message)
      }
    }
  }

  var isWorking: Bool { if case .works = self { true } else { false } }

  fileprivate var word: String {
    switch self {
    case .works: "works"
    case .asks: "asks"
    case .failed: "failed"
    case .unusable: "unusable"
    }
  }

  fileprivate var reason: String? {
    switch self {
    case .works, .asks: nil
    case .failed(let reason), .unusable(let reason): reason
    }
  }
}

extension KeySlot {
  /// Where the other key is kept.
  private var place: String {
    switch lock {
    case .credential(let name): name
    case .secretService(let item): item
    case .command(let words): KeyProgram.text(of: words)
    case .open, .passphrase, .recovery, nil: ""
    }
  }

  func row(_ state: KeyState) -> [String] {
    let shown = state.reason.map { "\(state.word): \($0)" } ?? state.word
    return ["\(id)", DisplayText.line(kindName), DisplayText.line(place), DisplayText.line(shown)]
  }

  func json(_ state: KeyState) -> JSONObject {
    var object: JSONObject = [
      "type": .string("key-slot"), "id": .integer(UInt64(id)), "kind": .string(kindName),
    ]
    if !place.isEmpty { object["place"] = .string(place) }
    object["state"] = .string(state.word)
    object["failure"] = state.reason.map { .string($0) }
    return object
  }
}
