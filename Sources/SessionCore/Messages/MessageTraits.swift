/// How a kind of message is treated on its way: where it goes, how long it lives, what it leaves behind.
public struct MessageTraits: Hashable, Sendable {
  public struct Destinations: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let contact = Self(rawValue: 1)
    public static let noteToSelf = Self(rawValue: 2)
    public static let group = Self(rawValue: 4)
    public static let community = Self(rawValue: 8)
    public static let inbox = Self(rawValue: 16)
  }

  /// What a message leaves in its conversation.
  public enum Row: String, Sendable {
    case none
    /// A message to read, in the list of a conversation.
    case message
    /// A line about what happened.
    case control
    /// Something attached to another message.
    case attached
  }

  /// How long storage keeps it.
  public enum Lifetime: Hashable, Sendable {
    case seconds(UInt64)
    /// Two weeks; a message that disappears after it was sent is kept no longer than that.
    case untilItDisappears
  }

  /// When the message that it leaves behind disappears.
  public enum Disappearing: String, Sendable {
    case never
    /// As the message itself says.
    case asSet
    /// Counted from the reading, whatever the message says.
    case afterRead
  }

  public let destinations: Destinations
  public let lifetime: Lifetime
  /// True if the own devices get a copy.
  public let isSynced: Bool
  /// True if it means something when it comes from oneself.
  public let isValidFromSelf: Bool
  public let isAcceptedFromBlocked: Bool
  public let row: Row
  /// True if it opens a conversation, raises it in the list and notifies.
  public let countsAsVisible: Bool
  public let disappearing: Disappearing
  /// True if it is dropped when its conversation was deleted after it was sent.
  public let isOutdatedByDeletion: Bool
}

extension MessageTraits {
  /// The longest that public namespaces keep anything.
  private static let twoWeeks: UInt64 = 14 * 24 * 60 * 60

  fileprivate init(
    _ destinations: Destinations, keep lifetime: Lifetime = .seconds(twoWeeks), synced isSynced: Bool = false,
    fromSelf isValidFromSelf: Bool = false, fromBlocked isAcceptedFromBlocked: Bool = false, row: Row = .none,
    visible countsAsVisible: Bool = false, disappears disappearing: Disappearing = .never,
    outdated isOutdatedByDeletion: Bool = true
  ) {
    self.destinations = destinations
    self.lifetime = lifetime
    self.isSynced = isSynced
    self.isValidFromSelf = isValidFromSelf
    self.isAcceptedFromBlocked = isAcceptedFromBlocked
    self.row = row
    self.countsAsVisible = countsAsVisible
    self.disappearing = disappearing
    self.isOutdatedByDeletion = isOutdatedByDeletion
  }

  /// Where in the swarms it goes to it is stored; communities have no swarm.
  public var namespaces: [StorageNamespace] {
    let toAccounts: [StorageNamespace] =
      destinations.isDisjoint(with: [.contact, .noteToSelf]) ? [] : [.messages]
    return toAccounts + (destinations.contains(.group) ? [.groupMessages] : [])
  }

  /// The lifetime requested from the swarm for a message with such a timer, in milliseconds.
  public func timeToLive(
    with timer: DisappearingTimer?, in place: MessagePlace, isNoteToSelf: Bool = false
  ) -> UInt64 {
    switch lifetime {
    case .seconds(let seconds): return seconds * 1000
    case .untilItDisappears:
      guard let timer, timer.mode(in: place, isNoteToSelf: isNoteToSelf) == .afterSend else {
        return Self.twoWeeks * 1000
      }
      return min(timer.milliseconds, Self.twoWeeks * 1000)
    }
  }
}

extension MessageKind {
  /// The one table of them all.
  public var traits: MessageTraits {
    switch self {
    case .visible:
      .init(
        [.contact, .noteToSelf, .group, .community, .inbox], keep: .untilItDisappears, synced: true,
        fromSelf: true, row: .message, visible: true, disappears: .asSet)
    case .reaction:
      .init(
        [.contact, .noteToSelf, .group], keep: .untilItDisappears, synced: true, fromSelf: true,
        row: .attached, disappears: .asSet)
    case .timerUpdate:
      .init(
        [.contact, .noteToSelf], keep: .untilItDisappears, synced: true, fromSelf: true, row: .control,
        disappears: .asSet)
    case .readReceipt: .init(.contact, outdated: false)
    case .typing: .init(.contact, keep: .seconds(20))
    case .unsend: .init([.contact, .noteToSelf], synced: true, fromSelf: true, outdated: false)
    case .dataExtraction:
      .init(.contact, keep: .untilItDisappears, row: .control, disappears: .afterRead)
    case .messageRequestResponse: .init(.contact, row: .control)
    case .callPreOffer: .init(.contact, keep: .seconds(300), row: .control, disappears: .afterRead)
    case .callOffer, .callProvisionalAnswer, .callCandidates: .init(.contact, keep: .seconds(300))
    case .callAnswer, .callEnd: .init(.contact, keep: .seconds(300), synced: true, fromSelf: true)
    case .groupInvite: .init(.contact, row: .message, visible: true)
    case .groupPromotion: .init(.contact, fromBlocked: true)
    case .groupInfoChange, .groupMemberChange, .groupMemberLeftNotification:
      .init(
        .group, keep: .untilItDisappears, fromSelf: true, fromBlocked: true, row: .control,
        disappears: .asSet)
    case .groupMemberLeft: .init(.group, fromSelf: true, fromBlocked: true, outdated: false)
    case .groupInviteResponse: .init(.group, fromBlocked: true, outdated: false)
    case .groupContentDeletion: .init(.group, fromSelf: true, fromBlocked: true, outdated: false)
    case .legacyConfig: .init([], fromSelf: true)
    }
  }
}
