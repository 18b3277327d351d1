internal import CSessionCore

/// How a kind of message is handled: its destinations, its lifetime and its effects.
public struct MessageTraits: Hashable, Sendable {
  public struct Destinations: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let contact = Self(rawValue: Int(SC_PLACE_CONTACT.rawValue))
    public static let noteToSelf = Self(rawValue: Int(SC_PLACE_OWN_DEVICES.rawValue))
    public static let group = Self(rawValue: Int(SC_PLACE_GROUP.rawValue))
    public static let community = Self(rawValue: Int(SC_PLACE_COMMUNITY.rawValue))
    public static let inbox = Self(rawValue: Int(SC_PLACE_INBOX.rawValue))
  }

  /// The row that a message creates in its conversation.
  public enum Row: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_message_row
    case none
    /// A visible message in the list of a conversation.
    case message
    /// A line about an event.
    case control
    /// Data attached to another message.
    case attached
  }

  /// How long the swarm keeps it.
  public enum Lifetime: Hashable, Sendable {
    case seconds(UInt64)
    /// Two weeks, or less if its timer starts when it is sent and ends earlier.
    case untilItDisappears
  }

  /// When the resulting row disappears.
  public enum Disappearing: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_message_disappearing
    case never
    /// As the message says.
    case asSet
    /// After reading, whatever the message says.
    case afterRead
  }

  fileprivate let kind: MessageKind
}

extension MessageKind {
  public var traits: MessageTraits { MessageTraits(kind: self) }
}

extension MessageTraits {
  /// The row of the core's table.
  private var core: sc_message_traits {
    guard let traits = sc_message_traits_of(kind.core) else { preconditionFailure("a kind has traits") }
    return traits.pointee
  }

  public var destinations: Destinations { Destinations(rawValue: Int(core.destinations)) }
  public var lifetime: Lifetime {
    core.lifetime_s == 0 ? .untilItDisappears : .seconds(UInt64(core.lifetime_s))
  }
  /// True if our own devices get a copy.
  public var isSynced: Bool { core.is_synced }
  /// True if it is valid when sent by ourselves.
  public var isValidFromSelf: Bool { core.is_valid_from_self }
  public var isAcceptedFromBlocked: Bool { core.is_accepted_from_blocked }
  public var row: Row { Row(core.row) }
  /// True if it opens a conversation, moves it up in the list and notifies.
  public var countsAsVisible: Bool { core.counts_as_visible }
  public var disappearing: Disappearing { Disappearing(core.disappearing) }
  /// True if it is dropped when its conversation was deleted after it was sent.
  public var isOutdatedByDeletion: Bool { core.is_ended_by_deletion }

  /// The namespaces in which it is stored; communities have no swarm.
  public var namespaces: [StorageNamespace] {
    let toAccounts: [StorageNamespace] =
      destinations.isDisjoint(with: [.contact, .noteToSelf]) ? [] : [.messages]
    return toAccounts + (destinations.contains(.group) ? [.groupMessages] : [])
  }

  /// The lifetime requested from the swarm for a message with such a timer, in milliseconds.
  public func timeToLive(
    with timer: DisappearingTimer?, in place: MessagePlace, isNoteToSelf: Bool = false
  ) -> UInt64 {
    sc_message_lifetime_ms(
      kind.core, timer?.core ?? sc_message_timer(), isNoteToSelf ? SC_PLACE_OWN_DEVICES : place.core)
  }
}
