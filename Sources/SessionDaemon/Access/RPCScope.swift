/// What a client needs to call a method.
package enum RPCScope: String, CaseIterable, Sendable {
  /// Lists, messages, events, the content of attachments, and the state of the program.
  case read
  /// Messages, reactions, and files.
  case send
  /// People, groups, conversations, the profile, settings, and jobs.
  case manage
  /// Accounts, the daemon, paths of any file, and the methods between programs of this project.
  case admin
  /// The recovery phrase, keys, and passphrases.
  case secrets
}
