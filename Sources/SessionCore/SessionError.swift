package import CSessionCore
public import SessionBase

/// Why a call failed: a code to branch on, and a message a person can act on.
///
/// Codes and their families match as patterns:
///
///     do { … }
///     catch SessionError.Code.phraseChecksum { … }
///     catch SessionError.Family.phrase { … }
///
/// The message never holds a secret, so it may be logged.
public struct SessionError: CodedError, Sendable, CustomStringConvertible {
  public let code: Code
  /// One sentence without a full stop.
  public let message: String
  /// The wrong word of a recovery phrase, if any.
  public let phraseMistake: RecoveryPhrase.Mistake?
  /// The rule that a message breaks, if any.
  public let messageRule: MessageRule?
  /// The error reply of a peer, if any.
  public let refusal: NetworkRefusal?

  package init(
    _ code: Code, _ message: String, phraseMistake: RecoveryPhrase.Mistake? = nil,
    messageRule: MessageRule? = nil, refusal: NetworkRefusal? = nil
  ) {
    self.code = code
    self.message = message
    self.phraseMistake = phraseMistake
    self.messageRule = messageRule
    self.refusal = refusal
  }

  package init(_ status: sc_status) {
    self.init(Code(status), String(cString: sc_status_text(status)))
  }

  package static func check(_ status: sc_status) throws(SessionError) {
    guard status == SC_OK else { throw SessionError(status) }
  }

  public var description: String { message }
}

extension SessionError {
  /// The subject of a failure.
  public struct Family: Hashable, Sendable {
    private let number: Int

    /// The process lacks a resource, or a call was invalid.
    public static let environment = Family(number: 1)
    /// Bytes or text in an invalid form.
    public static let encoding = Family(number: 2)
    /// A key, nonce, signature or hash, or the passphrase behind one.
    public static let key = Family(number: 3)
    public static let id = Family(number: 4)
    public static let phrase = Family(number: 5)
    public static let archive = Family(number: 12)
    /// A message, sealed or not.
    public static let message = Family(number: 6)
    public static let name = Family(number: 7)
    /// The content of a sealed file.
    public static let attachment = Family(number: 8)
    /// The file system refused something.
    public static let fileSystem = Family(number: 9)
    /// A connection, or a request on one.
    public static let network = Family(number: 10)
    /// A config shared by devices.
    public static let config = Family(number: 11)
  }

  /// A number for each failure that a caller may want to distinguish; negative ones are those of the C core.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package init(_ status: sc_status) {
      self.init(rawValue: status.rawValue)
    }

    /// An archive opens with other kinds of secrets.
    public static let archiveNoSlot = Code(SC_ERR_ARCHIVE_NO_SLOT)
    public static let archiveWrongKey = Code(SC_ERR_ARCHIVE_WRONG_KEY)
    public static let archiveDamaged = Code(SC_ERR_ARCHIVE_DAMAGED)
    public static let archiveTruncated = Code(SC_ERR_ARCHIVE_TRUNCATED)
    public static let archiveDowngrade = Code(SC_ERR_ARCHIVE_DOWNGRADE)
    public static let noMemory = Code(SC_ERR_NO_MEMORY)
    public static let noRandomness = Code(SC_ERR_NO_RANDOM)
    public static let argument = Code(SC_ERR_ARGUMENT)
    public static let state = Code(SC_ERR_STATE)
    public static let tooLarge = Code(SC_ERR_TOO_LARGE)
    public static let truncated = Code(SC_ERR_TRUNCATED)
    public static let notFound = Code(SC_ERR_NOT_FOUND)
    public static let sink = Code(SC_ERR_SINK)
    public static let hex = Code(SC_ERR_HEX)
    public static let base64 = Code(SC_ERR_BASE64)
    public static let utf8 = Code(SC_ERR_UTF8)
    public static let jsonSyntax = Code(SC_ERR_JSON_SYNTAX)
    public static let compression = Code(SC_ERR_COMPRESSION)
    public static let keySize = Code(SC_ERR_KEY_SIZE)
    public static let keyInvalid = Code(SC_ERR_KEY_INVALID)
    public static let keyMismatch = Code(SC_ERR_KEY_MISMATCH)
    public static let signatureSize = Code(SC_ERR_SIGNATURE_SIZE)
    public static let signature = Code(SC_ERR_SIGNATURE)
    public static let decrypt = Code(SC_ERR_DECRYPT)
    public static let passphraseCost = Code(SC_ERR_PASSPHRASE_COST)
    public static let seed = Code(SC_ERR_SEED)
    public static let idLength = Code(SC_ERR_ID_LENGTH)
    public static let idHex = Code(SC_ERR_ID_HEX)
    public static let idPrefix = Code(SC_ERR_ID_PREFIX)
    public static let idKind = Code(SC_ERR_ID_KIND)
    public static let idBlind = Code(SC_ERR_ID_BLIND)
    public static let phraseTooShort = Code(SC_ERR_PHRASE_TOO_SHORT)
    public static let phraseTooLong = Code(SC_ERR_PHRASE_TOO_LONG)
    public static let phraseUnknownWord = Code(SC_ERR_PHRASE_UNKNOWN_WORD)
    public static let phraseBadGroup = Code(SC_ERR_PHRASE_BAD_GROUP)
    public static let phraseChecksum = Code(SC_ERR_PHRASE_CHECKSUM)
    public static let phraseLength = Code(SC_ERR_PHRASE_LENGTH)
    public static let recipient = Code(SC_ERR_RECIPIENT)
    public static let sender = Code(SC_ERR_SENDER)
    public static let format = Code(SC_ERR_FORMAT)
    public static let version = Code(SC_ERR_VERSION)
    public static let noKey = Code(SC_ERR_NO_KEY)
    public static let nameLength = Code(SC_ERR_NAME_LENGTH)
    public static let nameCharacters = Code(SC_ERR_NAME_CHARACTERS)
    public static let nameRecord = Code(SC_ERR_NAME_RECORD)
    public static let cipher = Code(SC_ERR_CIPHER)
    public static let fileFormat = Code(SC_ERR_FILE_FORMAT)
    public static let fileDamaged = Code(SC_ERR_FILE_DAMAGED)
    public static let fileTooLarge = Code(SC_ERR_FILE_TOO_LARGE)
    public static let wrapping = Code(SC_ERR_WRAPPING)
    public static let envelope = Code(SC_ERR_ENVELOPE)
    public static let content = Code(SC_ERR_CONTENT)
    public static let proProof = Code(SC_ERR_PRO_PROOF)
    public static let messageTime = Code(SC_ERR_MESSAGE_TIME)
    public static let messageLength = Code(SC_ERR_MESSAGE_LENGTH)
    public static let messageRule = Code(SC_ERR_MESSAGE_RULE)
    public static let fileURL = Code(SC_ERR_FILE_URL)
    public static let configAuthor = Code(SC_ERR_CONFIG_AUTHOR)
    public static let configKind = Code(SC_ERR_CONFIG_KIND)
    public static let configSet = Code(SC_ERR_CONFIG_SET)
    public static let configReadOnly = Code(SC_ERR_CONFIG_READ_ONLY)
    public static let configKeyless = Code(SC_ERR_CONFIG_KEYLESS)
    public static let configDump = Code(SC_ERR_CONFIG_DUMP)
    public static let configName = Code(SC_ERR_CONFIG_NAME)
    public static let configPicture = Code(SC_ERR_CONFIG_PICTURE)
    public static let configDescription = Code(SC_ERR_CONFIG_DESCRIPTION)
    public static let configLagged = Code(SC_ERR_CONFIG_LAGGED)
    public static let configNone = Code(SC_ERR_CONFIG_NONE)
    public static let configUnread = Code(SC_ERR_CONFIG_UNREAD)
    public static let groupKeys = Code(SC_ERR_GROUP_KEYS)
    public static let subaccount = Code(SC_ERR_SUBACCOUNT)
    public static let subaccountRights = Code(SC_ERR_SUBACCOUNT_RIGHTS)
    public static let address = Code(SC_ERR_ADDRESS)
    public static let quicKey = Code(SC_ERR_QUIC_KEY)
    public static let quicProtocol = Code(SC_ERR_QUIC_PROTOCOL)
    public static let quicUnreachable = Code(SC_ERR_QUIC_UNREACHABLE)
    public static let quicClosed = Code(SC_ERR_QUIC_CLOSED)
    public static let quicStopped = Code(SC_ERR_QUIC_STOPPED)
    public static let requestTooLarge = Code(SC_ERR_REQUEST_TOO_LARGE)
    public static let requestTimeout = Code(SC_ERR_REQUEST_TIMEOUT)
    public static let requestCancelled = Code(SC_ERR_REQUEST_CANCELLED)
    public static let requestName = Code(SC_ERR_REQUEST_NAME)
    public static let requestFailed = Code(SC_ERR_REQUEST_FAILED)
    public static let runtimeStopped = Code(SC_ERR_RUNTIME_STOPPED)
    public static let runtimeBusy = Code(SC_ERR_RUNTIME_BUSY)
    public static let socketInUse = Code(SC_ERR_SOCKET_IN_USE)
    public static let socketAddress = Code(SC_ERR_SOCKET_ADDRESS)
    public static let socketPermission = Code(SC_ERR_SOCKET_PERMISSION)
    public static let systemLimit = Code(SC_ERR_SYSTEM_LIMIT)
    public static let system = Code(SC_ERR_SYSTEM)
    public static let onionURL = Code(SC_ERR_ONION_URL)
    public static let onionRequest = Code(SC_ERR_ONION_REQUEST)
    public static let storageMethod = Code(SC_ERR_STORAGE_METHOD)
    public static let storageParameter = Code(SC_ERR_STORAGE_PARAMETER)
    public static let storageBatch = Code(SC_ERR_STORAGE_BATCH)
    public static let storageUnauthorized = Code(SC_ERR_STORAGE_UNAUTHORIZED)
    public static let storageReply = Code(SC_ERR_STORAGE_REPLY)
    public static let storageNodeSignature = Code(SC_ERR_STORAGE_NODE_SIGNATURE)
    public static let nodeList = Code(SC_ERR_NODE_LIST)
    public static let noSeeds = Code(SC_ERR_NO_SEEDS)
    public static let noSwarm = Code(SC_ERR_NO_SWARM)
    public static let networkSuspended = Code(SC_ERR_NETWORK_SUSPENDED)
    public static let networkClosed = Code(SC_ERR_NETWORK_CLOSED)
    public static let networkFull = Code(SC_ERR_NETWORK_FULL)
    public static let networkNoNodes = Code(SC_ERR_NETWORK_NO_NODES)
    public static let networkUnknownNode = Code(SC_ERR_NETWORK_UNKNOWN_NODE)
    public static let networkNoPath = Code(SC_ERR_NETWORK_NO_PATH)
    public static let networkUnreachable = Code(SC_ERR_NETWORK_UNREACHABLE)
    public static let networkDestination = Code(SC_ERR_NETWORK_DESTINATION)
    public static let networkClock = Code(SC_ERR_NETWORK_CLOCK)
    public static let configOwnID = Code(SC_ERR_CONFIG_OWN_ID)
    public static let communityURL = Code(SC_ERR_COMMUNITY_URL)
    public static let communityWithoutKey = Code(SC_ERR_COMMUNITY_NO_KEY)
    public static let ratchetFormat = Code(SC_ERR_RATCHET_FORMAT)
    public static let ratchetBundle = Code(SC_ERR_RATCHET_BUNDLE)
    public static let ratchetBundleTime = Code(SC_ERR_RATCHET_BUNDLE_TIME)
    public static let ratchetCertificate = Code(SC_ERR_RATCHET_CERTIFICATE)
    public static let ratchetState = Code(SC_ERR_RATCHET_STATE)
    public static let ratchetClosed = Code(SC_ERR_RATCHET_CLOSED)
    public static let ratchetOther = Code(SC_ERR_RATCHET_OTHER)
    public static let ratchetDamaged = Code(SC_ERR_RATCHET_DAMAGED)
    public static let ratchetLostStart = Code(SC_ERR_RATCHET_LOST_START)
    public static let ratchetBroken = Code(SC_ERR_RATCHET_BROKEN)
    public static let ratchetDuplicate = Code(SC_ERR_RATCHET_DUPLICATE)
    public static let ratchetBody = Code(SC_ERR_RATCHET_BODY)
    public static let safetyDigits = Code(SC_ERR_SAFETY_DIGITS)
    public static let safetyNumber = Code(SC_ERR_SAFETY_NUMBER)
    public static let safetyQR = Code(SC_ERR_SAFETY_CODE)
    public static let link = Code(SC_ERR_LINK)
    public static let linkLength = Code(SC_ERR_LINK_LENGTH)
    public static let linkEncoding = Code(SC_ERR_LINK_ENCODING)
    public static let linkRepeated = Code(SC_ERR_LINK_REPEATED)
    public static let linkTarget = Code(SC_ERR_LINK_TARGET)
    public static let fileUnreadable = Code(rawValue: 1)
    /// A file cannot be created in its folder.
    public static let fileUncreatable = Code(rawValue: 2)
    /// The file exists and is not overwritten.
    public static let fileExists = Code(rawValue: 3)
    public static let fileUnwritable = Code(rawValue: 4)
    /// The reader of the pipe has closed it.
    public static let readerGone = Code(rawValue: 5)
    /// The permissions of a file or of its folder do not allow it, or the file system is read-only.
    public static let fileForbidden = Code(rawValue: 6)
    /// The disk, or the user's quota of it, is full.
    public static let diskFull = Code(rawValue: 7)

    public var family: Family {
      switch rawValue {
      case 1...: .fileSystem
      case -19...0: .environment
      case -59 ... -20: .encoding
      case -79 ... -60: .key
      case -89 ... -80: .id
      case -99 ... -90: .phrase
      case -119 ... -110: .name
      case -129 ... -120: .attachment
      case -189 ... -160: .config
      case -319 ... -200: .network
      case -329 ... -320: .config
      case -333 ... -330: .encoding
      case -379 ... -360: .archive
      default: .message
      }
    }
  }
}

extension SessionError.Code: CustomStringConvertible {
  /// The core's text for the code; the number for a code that is not the core's.
  public var description: String {
    rawValue <= 0 ? String(cString: sc_status_text(sc_status(rawValue))) : "failure \(rawValue)"
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
