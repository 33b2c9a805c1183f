extension PluginTemplate {
    var modelText: String {
        """
        import MailKernelAPI

        /// Offers no model yet.
        actor \(name)Models: AIModelProvider {
            private let log: PluginLog

            init(log: PluginLog) {
                self.log = log
            }

            func models() throws(ModelError) -> [Model] {
                []
            }

            func download(
                _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
            ) throws(ModelError) {
                throw .notAvailable
            }

            func discardDownload(_ id: Id<Model>) throws(ModelError) {
                throw .notAvailable
            }

            func delete(_ id: Id<Model>) throws(ModelError) {
                throw .notAvailable
            }

            func generate(
                _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
            ) throws(ModelError) -> Generation {
                throw .notAvailable
            }

            func classify(_ request: ClassificationRequest) throws(ModelError) -> [[LabelScore]] {
                throw .notAvailable
            }

            func embed(_ texts: [String], with id: Id<Model>) throws(ModelError) -> [[Float]] {
                throw .notAvailable
            }

            func unload() {
                log.debug("there is nothing to unload")
            }
        }

        """
    }
}
