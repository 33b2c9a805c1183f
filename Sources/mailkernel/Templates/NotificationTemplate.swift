extension PluginTemplate {
    var notificationText: String {
        """
        import MailKernelAPI

        /// Counts notifications in the log, without their content.
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
