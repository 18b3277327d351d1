internal import CSessionCore

/// Why a call failed: a code to branch on, and a message a person can act on.
///
/// Codes and their families match as patterns:
///
///     do { … }
///     catch SessionError.Code.phraseChecksum { … }
///     catch SessionError.Family.phrase { … }
///
/// The message never holds a secret, so it may be logged.
public struct SessionError: Error, Sendable {
  public let code: Code
  /// One sentence without a full stop.
  public let message: String
  /// Which words of a recovery phrase are wrong, where some are.
  public let phraseMistake: RecoveryPhrase.Mistake?
  /// Which rule a message breaks, where it is one.
  public let messageRule: MessageRule?

  init(
    _ code: Code, _ message: String, phraseMistake: RecoveryPhrase.Mistake? = nil,
    messageRule: MessageRule? = nil
  ) {
    self.code = code
    self.message = message
    self.phraseMistake = phraseMistake
    self.messageRule = messageRule
  }

  init(_ status: sc_status) {
    self.init(Code(rawValue: status.rawValue), String(cString: sc_status_text(status)))
  }

  static func check(_ status: sc_status) throws(SessionError) {
    guard status == SC_OK else { throw SessionError(status) }
  }
}

extension SessionError: CustomStringConvertible {
  public var description: String { message }
}

extension SessionError {
  /// What a failure is about.
  public struct Family: Hashable, Sendable {
    private let number: Int

    /// The process lacks something, or a call was made wrongly.
    public static let environment = Family(number: 1)
    /// Bytes or text that are not in the form they should be.
    public static let encoding = Family(number: 2)
    /// A key, nonce, signature or hash, or the passphrase behind one.
    public static let key = Family(number: 3)
    public static let id = Family(number: 4)
    public static let phrase = Family(number: 5)
    /// A message, sealed or not.
    public static let message = Family(number: 6)
    public static let name = Family(number: 7)
    /// The content of a sealed file.
    public static let attachment = Family(number: 8)
    /// The file system refused something.
    public static let fileSystem = Family(number: 9)
  }

  /// One number for each failure a caller may want to tell apart; negative ones are those of the C core.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    public static let noMemory = Code(rawValue: -1)
    public static let noRandomness = Code(rawValue: -2)
    public static let argument = Code(rawValue: -3)
    public static let state = Code(rawValue: -4)
    public static let tooLarge = Code(rawValue: -5)
    public static let truncated = Code(rawValue: -6)
    public static let trailing = Code(rawValue: -7)
    public static let notFound = Code(rawValue: -8)
    public static let sink = Code(rawValue: -9)
    public static let hex = Code(rawValue: -20)
    public static let base64 = Code(rawValue: -21)
    public static let base32z = Code(rawValue: -22)
    public static let utf8 = Code(rawValue: -23)
    public static let btSyntax = Code(rawValue: -30)
    public static let btType = Code(rawValue: -31)
    public static let btRange = Code(rawValue: -32)
    public static let btOrder = Code(rawValue: -33)
    public static let btDepth = Code(rawValue: -34)
    public static let jsonSyntax = Code(rawValue: -40)
    public static let jsonType = Code(rawValue: -41)
    public static let jsonRange = Code(rawValue: -42)
    public static let jsonDepth = Code(rawValue: -43)
    public static let jsonDuplicateKey = Code(rawValue: -44)
    public static let compression = Code(rawValue: -50)
    public static let keySize = Code(rawValue: -60)
    public static let keyInvalid = Code(rawValue: -61)
    public static let keyMismatch = Code(rawValue: -62)
    public static let nonceSize = Code(rawValue: -63)
    public static let signatureSize = Code(rawValue: -64)
    public static let signature = Code(rawValue: -65)
    public static let hashSize = Code(rawValue: -66)
    public static let decrypt = Code(rawValue: -67)
    public static let passphraseCost = Code(rawValue: -68)
    public static let seed = Code(rawValue: -69)
    public static let idLength = Code(rawValue: -80)
    public static let idHex = Code(rawValue: -81)
    public static let idPrefix = Code(rawValue: -82)
    public static let idKind = Code(rawValue: -83)
    public static let idBlind = Code(rawValue: -84)
    public static let phraseTooShort = Code(rawValue: -90)
    public static let phraseTooLong = Code(rawValue: -91)
    public static let phraseUnknownWord = Code(rawValue: -92)
    public static let phraseBadGroup = Code(rawValue: -93)
    public static let phraseChecksum = Code(rawValue: -94)
    public static let phraseLanguage = Code(rawValue: -95)
    public static let phraseLength = Code(rawValue: -96)
    public static let recipient = Code(rawValue: -100)
    public static let sender = Code(rawValue: -101)
    public static let format = Code(rawValue: -102)
    public static let version = Code(rawValue: -103)
    public static let noKey = Code(rawValue: -104)
    public static let groupData = Code(rawValue: -105)
    public static let kick = Code(rawValue: -106)
    public static let nameLength = Code(rawValue: -110)
    public static let nameCharacters = Code(rawValue: -111)
    public static let nameRecord = Code(rawValue: -112)
    public static let cipher = Code(rawValue: -113)
    public static let fileFormat = Code(rawValue: -120)
    public static let fileDamaged = Code(rawValue: -121)
    public static let fileSize = Code(rawValue: -122)
    public static let fileChanged = Code(rawValue: -123)
    public static let fileTooLarge = Code(rawValue: -124)
    public static let protoTag = Code(rawValue: -140)
    public static let wrapping = Code(rawValue: -141)
    public static let wrappingEmpty = Code(rawValue: -142)
    public static let envelope = Code(rawValue: -143)
    public static let envelopeSource = Code(rawValue: -144)
    public static let envelopeEmpty = Code(rawValue: -145)
    public static let content = Code(rawValue: -146)
    public static let proSignatureSize = Code(rawValue: -147)
    public static let proSignatureTwice = Code(rawValue: -148)
    public static let proTime = Code(rawValue: -149)
    public static let proProof = Code(rawValue: -150)
    public static let messageTime = Code(rawValue: -151)
    public static let messageLength = Code(rawValue: -152)
    /// A file cannot be opened or read.
    public static let fileUnreadable = Code(rawValue: 1)
    /// A file cannot be created in its folder.
    public static let fileUncreatable = Code(rawValue: 2)
    /// A file is there already and is not overwritten.
    public static let fileExists = Code(rawValue: 3)
    /// Writing failed, for want of space or because the device did.
    public static let fileUnwritable = Code(rawValue: 4)
    /// A message breaks one of the rules of messages.
    public static let messageRule = Code(rawValue: 100)

    public var family: Family {
      switch rawValue {
      case 100...: .message
      case 1...: .fileSystem
      case -19...0: .environment
      case -59 ... -20: .encoding
      case -79 ... -60: .key
      case -89 ... -80: .id
      case -99 ... -90: .phrase
      case -119 ... -110: .name
      case -129 ... -120: .attachment
      default: .message
      }
    }
  }
}

extension SessionError.Code {
  public static func ~= (code: Self, error: SessionError) -> Bool { error.code == code }
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? SessionError)?.code == code }
}

extension SessionError.Family {
  public static func ~= (family: Self, error: SessionError) -> Bool { error.code.family == family }
  public static func ~= (family: Self, error: any Error) -> Bool {
    (error as? SessionError)?.code.family == family
  }
}
