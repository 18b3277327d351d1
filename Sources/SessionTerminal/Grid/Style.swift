/// How a cell looks: what it is, and attributes that every terminal has. Themes give colours to roles.
package struct Style: Hashable, Sendable {
  package enum Role: UInt8, CaseIterable, Sendable {
    case text, dim, own, other, accent, failed, mention, link, border, hint, match, note, chosen, progress,
      code
  }

  package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = Self(rawValue: 1)
    package static let underlined = Self(rawValue: 2)
    package static let reversed = Self(rawValue: 4)
  }

  package var role: Role
  package var attributes: Attributes

  package init(_ role: Role = .text, _ attributes: Attributes = []) {
    (self.role, self.attributes) = (role, attributes)
  }
}

/// One column of a row.
package struct Cell: Hashable, Sendable {
  package var cluster: Cluster
  package var style: Style

  package init(_ cluster: Cluster, _ style: Style = Style()) { (self.cluster, self.style) = (cluster, style) }

  package static let blank = Cell(.space)
}
