import SessionCore
import SessionDaemon

/// The secrets that came with a call: the server asks for no others, and no file or variable of the server has them.
struct GivenSecrets: Sendable {
  var passphrase: SecretBytes?
  /// The passphrase or key that is to be set.
  var new: SecretBytes?
  /// The words of the recovery phrase.
  var phrase: SecretBytes?

  /// Takes the parameters of a call.
  init(_ call: RPCCall, of command: Command) throws {
    let names = Self.parameters(of: command).map(\.name)
    if names.contains("passphrase") { passphrase = try call.secret("passphrase") }
    if names.contains("new") { new = try call.secret("new") }
    if names.contains("phrase") { phrase = try call.secret("phrase") }
  }

  /// The secrets that a method takes instead of the files that its command reads, and of what a person types.
  static func parameters(of command: Command) -> [MethodParameter] {
    guard case .secret = command.rpc else { return [] }
    let options = Set(command.options.map(\.name))
    var parameters: [MethodParameter] = []
    if options.contains("new") {
      parameters.append(.optional("new", .secret, "the new passphrase, or the key of the credential"))
    }
    if options.contains("phrase") || command.name == Command.keyTest.name {
      parameters.append(.optional("phrase", .secret, "the words of the recovery phrase"))
    }
    parameters.append(
      .optional("passphrase", .secret, "the passphrase that the account has, where it is needed"))
    return parameters
  }

  func requiredPassphrase() throws(RPCError) -> SecretBytes {
    guard let passphrase else { throw .wrongParameter("passphrase", "given") }
    return passphrase
  }

  func requiredNew() throws(RPCError) -> SecretBytes {
    guard let new else { throw .wrongParameter("new", "given") }
    return new
  }

  /// The account of the recovery phrase; nil if there is none.
  func account() throws -> Account? {
    guard let phrase else { return nil }
    var words = phrase.reveal()
    defer { words.wipe() }
    return try Account(RecoveryPhrase(parsing: words))
  }
}
