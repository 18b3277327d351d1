extension ObservationKey {
  /// Every conversation: their order, names and marks.
  public static let threads = ObservationKey(Topic(rawValue: "thread"))
  public static func thread(_ id: ThreadRecord.ID) -> Self { Self(threads.topic, .row(id.rawValue)) }

  /// The messages of a conversation, all together.
  public static func messages(of thread: ThreadRecord.ID) -> Self {
    Self(allMessages.topic, .row(thread.rawValue))
  }
  /// The messages of all conversations.
  public static let allMessages = ObservationKey(Topic(rawValue: "messages"))

  /// Each message for itself.
  public static let interactions = ObservationKey(Topic(rawValue: "message"))
  public static func interaction(_ id: InteractionRecord.ID) -> Self {
    Self(interactions.topic, .row(id.rawValue))
  }

  /// The number of unread messages.
  public static let unread = ObservationKey(Topic(rawValue: "unread"))
  public static func unread(in thread: ThreadRecord.ID) -> Self { Self(unread.topic, .row(thread.rawValue)) }

  public static let attachments = ObservationKey(Topic(rawValue: "attachment"))
  public static func attachment(_ id: AttachmentRecord.ID) -> Self {
    Self(attachments.topic, .row(id.rawValue))
  }

  /// People: their profiles, and our contacts.
  public static let people = ObservationKey(Topic(rawValue: "person"))
  public static func person(_ id: String) -> Self { Self(people.topic, .name(id)) }

  public static let groups = ObservationKey(Topic(rawValue: "group"))
  public static func group(_ thread: ThreadRecord.ID) -> Self { Self(groups.topic, .row(thread.rawValue)) }

  public static let communities = ObservationKey(Topic(rawValue: "community"))
  public static func community(_ thread: ThreadRecord.ID) -> Self {
    Self(communities.topic, .row(thread.rawValue))
  }

  public static func draft(of thread: ThreadRecord.ID) -> Self {
    Self(Topic(rawValue: "draft"), .row(thread.rawValue))
  }

  /// Messages that are sent later.
  public static let scheduled = ObservationKey(Topic(rawValue: "scheduled"))
  public static func scheduled(_ id: ScheduledRecord.ID) -> Self { Self(scheduled.topic, .row(id.rawValue)) }

  /// The tags, and the conversations that have them.
  public static let tags = ObservationKey(Topic(rawValue: "tag"))

  public static let configs = ObservationKey(Topic(rawValue: "config"))
  public static func configs(of owner: String) -> Self { Self(configs.topic, .name(owner)) }

  /// There are new events.
  public static let events = ObservationKey(Topic(rawValue: "event"))

  public static let jobs = ObservationKey(Topic(rawValue: "job"))
  public static func job(_ id: JobRecord.ID) -> Self { Self(jobs.topic, .row(id.rawValue)) }

  /// Changes of jobs by others, for the runner.
  public static let jobRequests = ObservationKey(Topic(rawValue: "jobRequest"))
  public static func jobRequest(_ id: JobRecord.ID) -> Self { Self(jobRequests.topic, .row(id.rawValue)) }

  public static let notifications = ObservationKey(Topic(rawValue: "notification"))

  public static let settings = ObservationKey(Topic(rawValue: "setting"))
  public static func setting(_ name: String) -> Self { Self(settings.topic, .name(name)) }

  public static let pro = ObservationKey(Topic(rawValue: "pro"))
}
