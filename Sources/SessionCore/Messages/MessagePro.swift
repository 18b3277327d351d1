internal import CSessionCore

/// The Pro data of a message: the proof, and the features that the sender uses.
public struct MessagePro: Hashable, Sendable {
  public struct ProfileFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let badge = Self(rawValue: 1)
    public static let animatedPicture = Self(rawValue: 2)
  }

  public struct MessageFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A text of up to 10 000 characters.
    public static let longText = Self(rawValue: 1)
  }

  /// Nil in a received message without a proof: then no feature may be honoured.
  public let proof: ProProof?
  public let profileFeatures: ProfileFeatures
  public let messageFeatures: MessageFeatures

  public init(
    _ proof: ProProof, profileFeatures: ProfileFeatures = [], messageFeatures: MessageFeatures = []
  ) {
    self.proof = proof
    self.profileFeatures = profileFeatures
    self.messageFeatures = messageFeatures
  }
}

/// The result of verifying the Pro data of a message.
public enum ProStatus: UInt32, CoreEnum, Sendable, CaseIterable {
  typealias Core = sc_pro_status
  case none = 0
  /// The proof was not issued by the backend.
  case forged = 1
  /// The message was not signed with the key named in the proof.
  case stolen = 2
  case valid = 3
  /// The message was sent after the proof ended.
  case expired = 4
  /// There is no proof, or one of an unknown version.
  case noProof = 5
}

extension MessagePro {
  init(_ pro: sc_message_pro) throws(SessionError) {
    proof = pro.has_proof ? try ProProof(pro.proof) : nil
    profileFeatures = ProfileFeatures(rawValue: pro.profile_features)
    messageFeatures = MessageFeatures(rawValue: pro.message_features)
  }

  var core: sc_message_pro {
    var pro = sc_message_pro()
    put(proof?.core, &pro.has_proof, &pro.proof)
    pro.profile_features = profileFeatures.rawValue
    pro.message_features = messageFeatures.rawValue
    return pro
  }
}
