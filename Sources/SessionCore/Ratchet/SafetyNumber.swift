internal import CSessionCore

/// What one account contributes to a safety number: its key, and the devices that take part in the ratchet protocol.
public struct SafetySide: Hashable, Sendable {
  /// The maximum number of devices that count.
  public static let maxDevices = Int(SC_SAFETY_MAX_DEVICES)

  /// The key of the account id.
  let key: [UInt8]
  /// Identifies the account with exactly these devices.
  public let fingerprint: [UInt8]

  /// Computes the side of an account, which takes milliseconds. The order of devices does not matter.
  ///
  /// Throws ``SessionError/Code/idKind`` for anything but a user's account, and ``SessionError/Code/tooLarge`` for more
  /// than ``maxDevices``.
  public init(_ account: SessionID, devices: some Sequence<[UInt8]>) throws(SessionError) {
    let devices = Array(devices)
    guard devices.allSatisfy({ $0.count == Int(SC_KEY_BYTES) }) else { throw SessionError(SC_ERR_KEY_SIZE) }
    let list = Array(devices.joined())
    var side = sc_safety_side()
    var id = account.core
    try Core.call { sc_safety_side_make(&side, &id, list, devices.count) }
    key = array(side.key)
    fingerprint = array(side.fingerprint)
  }

  fileprivate var core: sc_safety_side {
    var side = sc_safety_side()
    fill(&side.key, with: key)
    fill(&side.fingerprint, with: fingerprint)
    return side
  }
}

/// What two people compare to be sure that no third one stands between them.
///
/// Both see the same number only if each knows exactly the devices that the other one has.
public struct SafetyNumber: Hashable, Sendable {
  /// How a code that another device shows compares with this number.
  public enum Match: UInt32, Sendable, CoreEnum {
    typealias Core = sc_safety_match

    case equal
    /// The accounts are right, but the other side has other devices than are known here.
    case otherDevicesTheirs
    /// They know other devices of ours than we do.
    case otherDevicesOwn
    case otherDevicesBoth
    /// An older code, which says nothing of devices: it proves too little.
    case accountsEqual
    case otherPerson
    /// The code that we show ourselves.
    case ownCode
  }

  public let own: SafetySide
  public let theirs: SafetySide

  public init(own: SafetySide, theirs: SafetySide) {
    self.own = own
    self.theirs = theirs
  }

  /// The 60 digits, without anything between them.
  public var digits: String {
    var (own, theirs) = (own.core, theirs.core)
    return Core.text(capacity: SC_SAFETY_DIGITS + 1) { sc_safety_number($0, &own, &theirs) }
  }

  /// The 132 bytes to show as a QR code.
  public var code: [UInt8] {
    var (own, theirs) = (own.core, theirs.core)
    var code = [UInt8](repeating: 0, count: Int(SC_SAFETY_CODE_BYTES))
    sc_safety_code(&code, &own, &theirs)
    return code
  }

  /// The code as text for pasting: base64url without padding.
  public var codeText: String {
    String(
      code.base64.map { character in
        switch character {
        case "+": "-"
        case "/": "_"
        default: character
        }
      })
  }

  /// Compares what a person typed, in constant time; spaces between digits are allowed. Throws
  /// ``SessionError/Code/safetyDigits`` for anything but 60 digits, and ``SessionError/Code/safetyNumber`` for others.
  public func check(_ typed: String) throws(SessionError) {
    var digits = Array(digits.utf8CString)
    defer { digits.withUnsafeMutableBytes { sc_wipe($0.baseAddress, $0.count) } }
    try Core.call(with: typed.utf8) { sc_safety_number_check(digits, $0) }
  }

  /// Compares the text form of a code, in constant time.
  public func compare(codeText text: String) throws(SessionError) -> Match {
    var (own, theirs) = (own.core, theirs.core)
    var match = SC_SAFETY_EQUAL
    try Core.call(with: text.utf8) { sc_safety_code_compare_text(&match, $0, &own, &theirs) }
    return Match(match)
  }
}
