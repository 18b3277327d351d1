internal import CLinux

/// The numbers by which the system knows users and groups. The files that list them are read, and maybe a server asked.
package enum UserNames {
  /// Nil if there is no user of that name.
  package static func number(ofUser name: String) -> UInt32? { UInt32(exactly: linux_user_number(name)) }

  /// Nil if there is no group of that name.
  package static func number(ofGroup name: String) -> UInt32? { UInt32(exactly: linux_group_number(name)) }
}
