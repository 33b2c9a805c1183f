import FoundationEssentials
import MailKernelAPI
import PluginCalls
import PluginHost
import Store

/// What language models on this machine do for the user. Without a model all of it is absent, and nothing
/// is broken.
package struct Intelligence: Sendable {
    package let models: Models
    package let categories: Categories
    package let replies: Replies
    package let summaries: Summaries
    package let search: MeaningSearch
    private let sorting: Sorting

    package init(
        store: MailStore, plugins: [PluginRecord], machine: Machine, clock: any HostClock,
        log: LogOutput, calls: ProviderCalls
    ) {
        let providers = Dictionary(
            plugins.compactMap { record -> (String, ContainedModels)? in
                guard case .model(let provider) = record.provider else { return nil }
                return (record.id, ContainedModels(provider, PluginCaller(record, calls: calls, log: log)))
            }, uniquingKeysWith: { first, _ in first })
        models = Models(providers: providers, news: store.news, clock: clock, log: log)
        categories = Categories(store: store, models: models, clock: clock)
        replies = Replies(store: store, models: models, clock: clock)
        summaries = Summaries(store: store, models: models, clock: clock)
        search = MeaningSearch(store: store, models: models, clock: clock)
        sorting = Sorting(
            store: store, models: models, categories: categories, machine: machine, clock: clock, log: log)
    }

    package var offers: ModelRoles.Offers {
        get async { await models.offers() }
    }

    package func start() async {
        await sorting.start()
    }

    package func stop() async {
        await sorting.stop()
        await replies.stop()
        await summaries.stop()
        await models.stop()
    }
}
