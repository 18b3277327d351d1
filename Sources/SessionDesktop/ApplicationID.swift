/// The name of the program on a desktop: of its bus name, its desktop file and its icon.
package enum ApplicationID {
  package static let name = "local.session.Session"
}
