internal import CSessionCore

/// Messages, and rights that were taken back, as one node hands them over to another.
public struct TransferBlob: Sendable {
  public struct Message: Hashable, Sendable {
    public let account: [UInt8]
    public let namespace: Int16
    public let message: StoredMessage

    public init(account: [UInt8], namespace: Int16, message: StoredMessage) {
      self.account = account
      self.namespace = namespace
      self.message = message
    }
  }

  public struct Revocation: Hashable, Sendable {
    public let account: [UInt8]
    public let token: [UInt8]

    public init(account: [UInt8], token: [UInt8]) {
      self.account = account
      self.token = token
    }
  }

  private static let version: UInt8 = 1
  /// Where nodes of long ago, which do not say it, can have kept a message.
  private static let knownNamespaces: [Int16] = [0, 2, 3, 4, 5, 11, 12, 13, 14, -11, -10]

  public var messages: [Message] = []

  public init() {}

  /// Writes the messages.
  public func written() throws(SessionError) -> [UInt8] {
    try Core.bytes { out in
      var status = sc_buffer_append_byte(out, Self.version)
      var writer = sc_bt_writer()
      sc_bt_writer_init(&writer, out)
      sc_bt_begin_list(&writer)
      for message in messages { message.write(to: &writer) }
      sc_bt_end(&writer)
      if status == SC_OK { status = sc_bt_writer_finish(&writer) }
      return status
    }
  }

  /// Reads messages; those whose hash does not fit are left out, and what is no transfer throws.
  public init(parsing bytes: [UInt8]) throws(SessionError) {
    guard bytes.first == Self.version else { throw SessionError(SC_ERR_VERSION) }
    messages = try Array(bytes.dropFirst()).lend { (bytes) throws(SessionError) in
      var reader = sc_bt_reader()
      sc_bt_reader_init(&reader, bytes)
      try Core.call { sc_bt_enter_list(&reader) }
      var messages: [Message] = []
      while sc_bt_peek(&reader) == SC_BT_LIST {
        if let message = try Message(from: &reader, otherwiseIn: Self.knownNamespaces) {
          messages.append(message)
        }
      }
      try SessionError.check(sc_bt_leave(&reader))
      try SessionError.check(sc_bt_finish(&reader))
      return messages
    }
  }

  /// Writes rights that were taken back.
  public static func write(_ revocations: [Revocation]) throws(SessionError) -> [UInt8] {
    try Core.bytes { out in
      var writer = sc_bt_writer()
      sc_bt_writer_init(&writer, out)
      sc_bt_begin_list(&writer)
      for revocation in revocations {
        writer.write(revocation.account)
        writer.write(revocation.token)
      }
      sc_bt_end(&writer)
      return sc_bt_writer_finish(&writer)
    }
  }

  /// Reads them.
  public static func readRevocations(_ bytes: [UInt8]) throws(SessionError) -> [Revocation] {
    try bytes.lend { (bytes) throws(SessionError) in
      var reader = sc_bt_reader()
      sc_bt_reader_init(&reader, bytes)
      try Core.call { sc_bt_enter_list(&reader) }
      var revocations: [Revocation] = []
      while sc_bt_peek(&reader) == SC_BT_STRING {
        let (account, token) = (try reader.readString(), try reader.readString())
        guard account.count == Int(SC_STORAGE_ACCOUNT_BYTES), token.count == Int(SC_SUBACCOUNT_TOKEN_BYTES)
        else {
          throw SessionError(SC_ERR_BT_RANGE)
        }
        revocations.append(Revocation(account: account, token: token))
      }
      try SessionError.check(sc_bt_leave(&reader))
      try SessionError.check(sc_bt_finish(&reader))
      return revocations
    }
  }
}

extension TransferBlob.Message {
  fileprivate func write(to writer: inout sc_bt_writer) {
    sc_bt_begin_list(&writer)
    writer.write(account)
    writer.write(Array(message.hash.utf8))
    sc_bt_write_u64(&writer, message.timestamp)
    sc_bt_write_u64(&writer, message.expiry)
    writer.write(message.data)
    sc_bt_write_i64(&writer, Int64(namespace))
    sc_bt_end(&writer)
  }

  /// Nil for a message that does not have its hash in any namespace it can be of.
  fileprivate init?(from reader: inout sc_bt_reader, otherwiseIn known: [Int16]) throws(SessionError) {
    try SessionError.check(sc_bt_enter_list(&reader))
    let (account, hash) = (try reader.readString(), try reader.readString())
    var (timestamp, expiry): (UInt64, UInt64) = (0, 0)
    try SessionError.check(sc_bt_read_u64(&timestamp, &reader))
    try SessionError.check(sc_bt_read_u64(&expiry, &reader))
    let data = try reader.readString()
    var number: Int64?
    if sc_bt_peek(&reader) == SC_BT_INTEGER {
      var said: Int64 = 0
      try SessionError.check(sc_bt_read_i64(&said, &reader))
      number = said
    }
    try SessionError.check(sc_bt_leave(&reader))
    guard account.count == Int(SC_STORAGE_ACCOUNT_BYTES) else { return nil }
    let possible = number.map { number in Int16(exactly: number).map { [$0] } ?? [] } ?? known
    let text = String(decoding: hash, as: UTF8.self)
    let found = possible.first { StoredMessage.hash(of: data, account: account, namespace: $0) == text }
    guard let found else { return nil }
    self.init(
      account: account, namespace: found,
      message: StoredMessage(hash: text, timestamp: timestamp, expiry: expiry, data: data))
  }
}

extension sc_bt_writer {
  fileprivate mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { sc_bt_write_string(&self, sc_bytes($0)) }
  }
}

extension sc_bt_reader {
  fileprivate mutating func readString() throws(SessionError) -> [UInt8] {
    var bytes = sc_bytes()
    try SessionError.check(sc_bt_read_string(&bytes, &self))
    return Array(bytes.content)
  }
}
