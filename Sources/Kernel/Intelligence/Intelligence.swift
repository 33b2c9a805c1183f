import FoundationEssentials
import MailKernelAPI
import PluginHost

/// What language models on this machine do for the user. Without a model all of it is absent, and nothing
/// is broken.
public struct Intelligence: Sendable {
    public let models: Models

    init(
        store: MailStore, plugins: [PluginRecord], runID: String, clock: any HostClock, log: LogOutput
    ) {
        let providers = Dictionary(
            plugins.compactMap { record -> (String, any AIModelProvider)? in
                guard case .model(let provider) = record.provider else { return nil }
                return (record.id, provider)
            }, uniquingKeysWith: { first, _ in first })
        models = Models(providers: providers, news: store.news, runID: runID, clock: clock, log: log)
    }

    func stop() async {
        await models.stop()
    }
}
