/// What an import has taken over, and what not.
public struct CommunityImportReport: Hashable, Sendable {
  /// Rows of a table of the old server, and how many of them the new one has.
  public struct Table: Hashable, Sendable {
    public let name: String
    public var old = 0
    public var new = 0
  }

  /// A row that was left out.
  public struct LeftOut: Hashable, Sendable {
    public let table: String
    /// Its number in the old table; nil if it has none that can be read.
    public let number: Int64?
    public let reason: String
  }

  /// The public key of the server.
  public internal(set) var server: [UInt8] = []
  public internal(set) var tables: [Table] = []
  public internal(set) var leftOut: [LeftOut] = []
  /// Messages whose signature is wrong; they are taken over as they are.
  public internal(set) var wrongSignatures = 0
  /// People who had a role under one id and a ban under another; they stay banned.
  public internal(set) var bannedModerators: [String] = []
  /// Lines of the configuration for the settings of the old server.
  public internal(set) var settings: [String] = []
  /// Settings of the old server that have no counterpart, as `section.key`.
  public internal(set) var unknownSettings: [String] = []
}
