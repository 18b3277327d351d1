import SessionCLI
import SessionCore

/// The configs that the specification works through, and others as swarms store them.
enum ExampleConfig {
  /// A profile as one device makes it.
  static let first = bytes(
    """
    64313a23693165313a2664313a2b693965313a6e363a4b616c6c6965313a7033343a687474703a2f2f657861
    6d706c652e6f72672f6f6d672d7069632d3132332e626d70313a7133323a7365637265743738393031323334
    35363738393031323334353637383930313265313a3c6c6c69306533323aea173b57beca8af18c3519a7bbf6
    9c3e7a05d1c049fa9558341d8ebb48b0c96564656565313a3d64313a2b303a313a6e303a313a70303a313a71
    303a6565
    """)
  /// The next revision of it, by the same device.
  static let renamed = bytes(
    """
    64313a23693265313a2664313a2b693965313a6e373a4e6962626c6572313a7033343a687474703a2f2f6578
    616d706c652e6f72672f6f6d672d7069632d3132332e626d70313a7133323a73656372657437383930313233
    3435363738393031323334353637383930313265313a3c6c6c69306533323aea173b57beca8af18c3519a7bb
    f69c3e7a05d1c049fa9558341d8ebb48b0c9656465656c69316533323a9d12fda7a98ec51c11e3b13abc361f
    82af271b8c6728228dba8cc9d4b7fe42e164313a2b303a313a6e303a313a70303a313a71303a656565313a3d
    64313a6e303a6565
    """)
  /// That of another device, at the same time.
  static let redone = bytes(
    """
    64313a23693265313a2664313a2b693965313a4d693165313a6569383634303065313a6e333a52617a313a70
    32363a687474703a2f2f6e65772e6578616d706c652e636f6d2f706963313a7133323a717765727400797569
    6f3132333435363738393031323334353637383930313265313a3c6c6c69306533323aea173b57beca8af18c
    3519a7bbf69c3e7a05d1c049fa9558341d8ebb48b0c9656465656c69316533323a9d12fda7a98ec51c11e3b1
    3abc361f82af271b8c6728228dba8cc9d4b7fe42e164313a2b303a313a6e303a313a70303a313a71303a6565
    65313a3d64313a4d303a313a65303a313a6e303a313a70303a313a71303a6565
    """)
  static let dump = Array("d1:!i0e1:$180:".utf8) + first + Array("1:(l9:fakehash1e1:)le1:*de1:+dee".utf8)

  private static func bytes(_ hex: String) -> [UInt8] {
    guard let bytes = try? [UInt8](hex: hex.utf8.filter { $0 != UInt8(ascii: "\n") }) else {
      preconditionFailure("the example is no hexadecimal text")
    }
    return bytes
  }

  /// Files for commands, as base64 text.
  static let files = [
    "first": first.base64, "renamed": renamed.base64, "redone": redone.base64, "dump": dump.base64,
  ]
  .merging(Example.phrases) { $1 }
}
