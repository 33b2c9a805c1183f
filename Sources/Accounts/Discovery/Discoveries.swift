import FoundationEssentials
import MailKernelAPI
import Store

/// The current searches for mail services. No server is asked before the user has allowed it.
package actor Discoveries {
    package static let dataType = DataType(rawValue: "AccountDiscovery")
    private static let most = 16

    private let accounts: Accounts
    private let store: MailStore
    private let ids: IDMaker
    private let network: DiscoveryNetwork
    private var all: [Discovery] = []
    private var tasks: [String: Task<Void, Never>] = [:]
    private var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var revision = 0
    private var hasStopped = false

    init(accounts: Accounts, store: MailStore, ids: IDMaker, network: DiscoveryNetwork) {
        self.accounts = accounts
        self.store = store
        self.ids = ids
        self.network = network
    }

    package var list: [Discovery] { all }
    package var state: State { store.news.state(revision) }

    package func discovery(_ id: String) -> Discovery? { all.first { $0.id == id } }

    /// Begins with the built-in list, and asks servers only if the user has allowed it before.
    ///
    /// - Returns: nil if the text is no mail address.
    package func begin(_ address: String) async throws(StorageError) -> Discovery? {
        guard let domain = MailDomain(address: address) else { return nil }
        let catalog = ServiceCatalog(await accounts.setups)
        let consent = try await Preferences(store).value(.serviceSearch).stringValue
        var discovery = Discovery(id: ids.text("F"), address: domain.address, phase: .asking)
        discovery.servers = servers(for: domain)
        if let match = catalog.service(ofDomain: domain.name) {
            Self.end(&discovery, .of(match, for: domain, isOwn: true), domain, catalog)
            discovery.isKnown = discovery.phase == .found
        } else if !network.isThere || !domain.mayBeAskedAbout {
            Self.end(&discovery, .nothing(.notAllowedHere), domain, catalog)
        } else if consent == "refuse" {
            Self.end(&discovery, .nothing(.refused), domain, catalog)
        }
        guard !hasStopped else { return discovery }
        // Forgotten ones make room.
        while all.count >= Self.most { cancel(all[0].id) }
        all.append(discovery)
        if discovery.phase == .asking, consent == "allow" { search(discovery.id, domain, catalog) }
        changed()
        return self.discovery(discovery.id)
    }

    /// Remembers the user's answer, and searches or not. Also after a refusal that the user takes back, and again after
    /// a search without a network.
    ///
    /// - Returns: whether this was awaited.
    package func answer(_ id: String, allows: Bool) async throws -> Bool {
        guard let discovery = awaited(id), let domain = MailDomain(address: discovery.address) else {
            return false
        }
        try await Preferences(store).set([Preference.serviceSearch.key: allows ? "allow" : "refuse"])
        let catalog = ServiceCatalog(await accounts.setups)
        // Meanwhile it may have been canceled, or answered again.
        guard awaited(id) != nil else { return false }
        if allows {
            search(id, domain, catalog)
        } else {
            change(id) { Self.end(&$0, .nothing(.refused), domain, catalog) }
        }
        return true
    }

    /// The search with this id if an answer of the user begins it.
    private func awaited(_ id: String) -> Discovery? {
        guard tasks[id] == nil, let discovery = discovery(id) else { return nil }
        return discovery.phase == .asking || discovery.isRefused || discovery.isOffline ? discovery : nil
    }

    /// Ends and forgets a search. Returns whether it existed.
    @discardableResult
    package func cancel(_ id: String) -> Bool {
        tasks.removeValue(forKey: id)?.cancel()
        wake(id)
        guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
        all.remove(at: index)
        changed()
        return true
    }

    package func stop() async {
        hasStopped = true
        let running = Array(tasks.values)
        for discovery in all { cancel(discovery.id) }
        for task in running { await task.value }
    }

    /// Waits until a search has ended, at most some seconds.
    package func settled(_ id: String, within seconds: Double) async -> Discovery? {
        guard tasks[id] != nil else { return discovery(id) }
        let timer = Task {
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            wake(id)
        }
        await withCheckedContinuation { waiters[id, default: []].append($0) }
        timer.cancel()
        return discovery(id)
    }

    private func wake(_ id: String) {
        for waiter in waiters.removeValue(forKey: id) ?? [] { waiter.resume() }
    }

    // MARK: Searching

    private func servers(for domain: MailDomain) -> [String] {
        (network.names == nil ? [] : ["your DNS server"])
            + [
                domain.name, "the mail host behind \(domain.name)", ServiceSearch.database,
                "the usual server names, such as imap.\(domain.name)",
            ]
    }

    private func search(_ id: String, _ domain: MailDomain, _ catalog: ServiceCatalog) {
        change(id) { discovery in
            discovery.phase = .working
            (discovery.obstacle, discovery.setupIDs, discovery.service) = (nil, [], nil)
            discovery.steps = []
        }
        let search = ServiceSearch(domain: domain, network: network, catalog: catalog)
        tasks[id] = Task {
            let result = await search.run { step in
                await self.change(id) { $0.steps.append(step) }
            }
            ended(id, result, domain, catalog)
        }
    }

    private func ended(
        _ id: String, _ result: Discovery.Result, _ domain: MailDomain, _ catalog: ServiceCatalog
    ) {
        tasks[id] = nil
        change(id) { Self.end(&$0, result, domain, catalog) }
        wake(id)
    }

    private static func end(
        _ discovery: inout Discovery, _ result: Discovery.Result, _ domain: MailDomain,
        _ catalog: ServiceCatalog
    ) {
        switch result {
        case .found(let finding):
            discovery.phase = .found
            discovery.line = finding.line(for: domain)
            discovery.warning = finding.warning(for: domain)
            discovery.setupIDs =
                finding.match.map { catalog.setups(for: $0.service) }
                ?? [finding.offer?.id].compactMap(\.self)
            discovery.serviceName = finding.match?.service.name ?? domain.name
            discovery.service = finding.service(for: domain)
        case .nothing(let obstacle):
            discovery.phase = .failed
            discovery.obstacle = obstacle
            // The form for entering servers begins with the address.
            let offer = catalog.service(ofDomain: domain.name) == nil ? catalog.setup(for: .imap) : nil
            discovery.setupIDs = [offer?.id].compactMap(\.self)
            discovery.serviceName = domain.name
            discovery.service = DiscoveredService(address: domain.address, isToBeChanged: true)
        }
    }

    private func change(_ id: String, _ body: (inout Discovery) -> Void) {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        let before = all[index]
        body(&all[index])
        if all[index] != before { changed() }
    }

    private func changed() {
        revision += 1
        store.news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }
}
