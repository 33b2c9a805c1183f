extension PluginTemplate {
    var notificationText: String {
        """
        import MailKernelAPI

        /// Writes notifications to the log, without what they say.
        actor \(name)Sink: NotificationSink {
            private let log: PluginLog
            private var shown: Set<Id<MailNotification>> = []

            init(log: PluginLog) {
                self.log = log
            }

            var features: NotificationFeatures { .body }

            func permission() -> NotificationPermission { .granted }

            func post(_ notification: MailNotification) throws(NotificationError) {
                shown.insert(notification.id)
                log.info("shows \\(shown.count) notifications")
            }

            func withdraw(_ ids: [Id<MailNotification>]) throws(NotificationError) {
                shown.subtract(ids)
            }
        }

        """
    }
}
