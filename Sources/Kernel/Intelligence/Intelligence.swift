import FoundationEssentials
import MailKernelAPI
import PluginHost

/// What language models on this machine do for the user. Without a model all of it is absent, and nothing
/// is broken.
public struct Intelligence: Sendable {
    /// The features available with the downloaded models.
    public struct Offers: Sendable, Hashable {
        public var categories = false
        public var replies = false
        public var summaries = false
        public var search = false

        /// Another text for other offers.
        public var mark: String {
            [categories, replies, summaries, search].map { $0 ? "1" : "0" }.joined()
        }
    }

    public let models: Models
    public let categories: Categories
    public let replies: Replies
    public let summaries: Summaries
    public let search: MeaningSearch
    private let sorting: Sorting

    init(
        store: MailStore, plugins: [PluginRecord], machine: Machine, runID: String, clock: any HostClock,
        log: LogOutput, calls: ProviderCalls
    ) {
        let providers = Dictionary(
            plugins.compactMap { record -> (String, any AIModelProvider)? in
                guard case .model(let provider) = record.provider else { return nil }
                return (record.id, ContainedModels(provider, PluginCaller(record, calls: calls, log: log)))
            }, uniquingKeysWith: { first, _ in first })
        models = Models(providers: providers, news: store.news, runID: runID, clock: clock, log: log)
        categories = Categories(store: store, models: models, clock: clock, runID: runID)
        replies = Replies(store: store, models: models, clock: clock)
        summaries = Summaries(store: store, models: models, clock: clock)
        search = MeaningSearch(store: store, models: models, clock: clock)
        sorting = Sorting(
            store: store, models: models, categories: categories, machine: machine, clock: clock, log: log)
    }

    public var offers: Offers {
        get async { await models.roles().offers }
    }

    func start() async {
        await sorting.start()
    }

    func stop() async {
        await sorting.stop()
        await replies.stop()
        await summaries.stop()
        await models.stop()
    }
}
