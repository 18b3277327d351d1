/// How the editing of a text in another program ended.
package enum EditedText: Hashable, Sendable {
  case text(String)
  /// The text stays as it was, for this reason.
  case failure(String)
}
