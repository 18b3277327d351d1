internal import CSessionCore

/// A parsed content of the core, freed with its owner.
struct ContentHandle: ~Copyable {
  private let handle: OpaquePointer

  init(parsing bytes: some Collection<UInt8>) throws(SessionError) {
    var handle: OpaquePointer?
    try bytes.lend { (bytes) throws(SessionError) in
      try Core.call { () throws(SessionError) in
        try MessageRule.checkText(sc_content_parse(&handle, nil, bytes))
      }
    }
    guard let handle else { preconditionFailure("the core parsed a content and gave none") }
    self.handle = handle
  }

  deinit { sc_content_free(handle) }

  borrowing func withFields<R>(_ body: (Sc__Content) throws(SessionError) -> R) throws(SessionError) -> R {
    guard let fields = sc_content_fields(handle) else { preconditionFailure("a content without fields") }
    return try body(fields.pointee)
  }
}
