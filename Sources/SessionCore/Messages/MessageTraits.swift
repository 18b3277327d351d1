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
  public enum Row: UInt32, Sendable, CaseIterable {
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
  public enum Disappearing: UInt32, Sendable, CaseIterable {
    case never
    /// As the message says.
    case asSet
    /// After reading, whatever the message says.
    case afterRead
  }

  private let kind: MessageKind
  public let destinations: Destinations
  public let lifetime: Lifetime
  /// True if our own devices get a copy.
  public let isSynced: Bool
  /// True if it is valid when sent by ourselves.
  public let isValidFromSelf: Bool
  public let isAcceptedFromBlocked: Bool
  public let row: Row
  /// True if it opens a conversation, moves it up in the list and notifies.
  public let countsAsVisible: Bool
  public let disappearing: Disappearing
  /// True if it is dropped when its conversation was deleted after it was sent.
  public let isOutdatedByDeletion: Bool
}

extension MessageKind {
  /// The row of the core's table.
  public var traits: MessageTraits {
    guard let traits = sc_message_traits_of(core)?.pointee else { preconditionFailure("a kind has traits") }
    return MessageTraits(self, traits)
  }
}

extension MessageTraits {
  fileprivate init(_ kind: MessageKind, _ traits: sc_message_traits) {
    self.kind = kind
    destinations = Destinations(rawValue: Int(traits.destinations))
    lifetime = traits.lifetime_s == 0 ? .untilItDisappears : .seconds(UInt64(traits.lifetime_s))
    isSynced = traits.is_synced
    isValidFromSelf = traits.is_valid_from_self
    isAcceptedFromBlocked = traits.is_accepted_from_blocked
    countsAsVisible = traits.counts_as_visible
    isOutdatedByDeletion = traits.is_ended_by_deletion
    row = Row(traits.row)
    disappearing = Disappearing(traits.disappearing)
  }

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

extension MessageTraits.Row: CoreEnum { typealias Core = sc_message_row }
extension MessageTraits.Disappearing: CoreEnum { typealias Core = sc_message_disappearing }
