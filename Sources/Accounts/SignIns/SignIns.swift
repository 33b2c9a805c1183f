import FoundationEssentials
import MailKernelAPI
import Store

/// The current sign-ins. They are kept in memory only: an account is added as a whole or not at all, and a
/// sign-in interrupted by the end of the program starts over.
package actor SignIns {
    package static let dataType = DataType(rawValue: "SignIn")
    private static let most = 16
    /// A sign-in untouched for this long was forgotten.
    private static let patience = 3600.0

    let accounts: Accounts
    private let store: MailStore
    let ids: IDMaker
    private let clock: any HostClock
    /// The searches that sign-ins begin with.
    package nonisolated let discoveries: Discoveries
    private var flows: [String: SignInFlow] = [:]
    private var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var revision = 0

    package init(
        accounts: Accounts, store: MailStore, ids: IDMaker, clock: any HostClock, network: DiscoveryNetwork
    ) {
        discoveries = Discoveries(accounts: accounts, store: store, ids: ids, network: network)
        self.accounts = accounts
        self.store = store
        self.ids = ids
        self.clock = clock
    }

    package var all: [SignIn] { flows.values.map(\.shown).sorted { $0.id < $1.id } }
    package var state: State { store.news.state(revision) }

    package func signIn(_ id: String) -> SignIn? { flows[id]?.shown }

    // MARK: What the user does

    /// Begins to add an account.
    ///
    /// - Parameters:
    ///   - redirect: where the browser comes back to, at this program.
    ///   - discovered: the service that was found for the user's address.
    package func begin(
        setup: String, redirect: URL, with discovered: DiscoveredService? = nil
    ) async throws(SignInRefusal) -> SignIn {
        guard let known = await accounts.setups.first(where: { Self.id($0.setup, of: $0.pluginID) == setup }),
            let provider = accounts.provider(known.pluginID)
        else { throw .notFound }
        return try begin(
            SignIn(id: ids.text("S"), setupID: setup, accountID: nil), of: known.pluginID, provider,
            known.setup.serviceName,
            AuthorizationRequest(setupID: known.setup.id, redirect: redirect, discovered: discovered))
    }

    /// Begins to add the account that was searched for.
    ///
    /// - Parameters:
    ///   - setup: which of its setups; nil for the first.
    ///   - changing: whether the user wants to change the servers that were found.
    package func begin(
        discovery id: String, setup: String?, changing: Bool, redirect: URL
    ) async throws(SignInRefusal) -> SignIn {
        guard let discovery = await discoveries.discovery(id), var service = discovery.service,
            let setup = setup ?? discovery.setupIDs.first, discovery.setupIDs.contains(setup)
        else { throw .notFound }
        if changing { service.isToBeChanged = true }
        return try await begin(setup: setup, redirect: redirect, with: service)
    }

    /// Names a setup among those of all plugins.
    package static func id(_ setup: AccountSetup, of pluginID: String) -> String {
        PluginSetup(pluginID: pluginID, setup: setup).id
    }

    /// Answers the form of a sign-in.
    package func answer(_ id: String, with answers: [String: Secret]) throws(SignInRefusal) {
        guard let flow = flows[id] else { throw .notFound }
        guard case .form(let fields, let memory) = flow.expected else { throw .notNow }
        if let name = answers.keys.sorted().first(where: { name in !fields.contains { $0.name == name } }) {
            throw .unknownField(name)
        }
        for field in fields {
            guard let problem = field.problem(with: answers[field.name]?.revealed ?? "") else { continue }
            change(id) { $0.shown.problem = SignIn.Problem(problem, field: field.name) }
            return
        }
        change(id) { flow in
            flow.note(answers, to: SignInFlow.Form(fields: fields, memory: memory))
            accounts.hosts.allow(flow.entered, for: flow.pluginID, during: id)
        }
        run(.authorize(.form(answers, memory: memory)), id)
    }

    /// Continues a failed sign-in, going back as far as necessary.
    package func retry(_ id: String) throws(SignInRefusal) {
        guard let flow = flows[id] else { throw .notFound }
        guard flow.shown.phase == .failed else { throw .notNow }
        run(flow.retry, id)
    }

    /// Cancels a sign-in; its account is not added. Returns whether it existed.
    package func cancel(_ id: String) -> Bool {
        guard let flow = flows.removeValue(forKey: id) else { return false }
        flow.task?.cancel()
        accounts.hosts.forget(signIn: id)
        changed(id)
        return true
    }

    /// The browser has returned. Waits briefly for the result, which is shown there.
    package func returned(_ items: [String: String]) async -> SignInLanding {
        guard let state = items["state"], !state.isEmpty,
            let found = flows.first(where: {
                if case .redirect(state, _) = $0.value.expected { true } else { false }
            }),
            case .redirect(_, let memory) = found.value.expected
        else { return .unknown }
        run(.authorize(.redirected(items, memory: memory)), found.key)
        guard let shown = await settled(found.key, within: 30) else { return .declined }
        return switch shown.phase {
        case .working: .working
        case .done: .done
        case .form, .browser, .code: .goesOn
        case .failed: shown.problem.map(SignInLanding.failed) ?? .declined
        }
    }

    /// The sign-in once it has stopped working, or its state after some seconds; nil if it was canceled.
    package func settled(_ id: String, within seconds: Double) async -> SignIn? {
        guard flows[id]?.shown.phase == .working else { return flows[id]?.shown }
        let timer = Task {
            guard (try? await clock.sleep(for: seconds)) != nil else { return }
            wake(id)
        }
        await withCheckedContinuation { waiters[id, default: []].append($0) }
        timer.cancel()
        return flows[id]?.shown
    }

    /// Ends all of them, and waits until they have ended.
    package func stop() async {
        await discoveries.stop()
        let tasks = flows.values.compactMap(\.task)
        for id in Array(flows.keys) { _ = cancel(id) }
        for task in tasks { await task.value }
    }

    // MARK: One step after the other

    func begin(
        _ shown: SignIn, of pluginID: String, _ provider: ContainedProvider, _ serviceName: String,
        _ request: AuthorizationRequest
    ) throws(SignInRefusal) -> SignIn {
        forgetOldOnes()
        guard flows.count < Self.most else { throw .tooMany }
        flows[shown.id] = SignInFlow(
            shown: shown, pluginID: pluginID, provider: provider, serviceName: serviceName, request: request,
            retry: .authorize(.begin(request)), touched: clock.now)
        if let entered = flows[shown.id]?.entered {
            accounts.hosts.allow(entered, for: pluginID, during: shown.id)
        }
        run(.authorize(.begin(request)), shown.id)
        changed(shown.id)
        return shown
    }

    private func forgetOldOnes() {
        for (id, flow) in flows where clock.now.timeIntervalSince(flow.touched) > Self.patience {
            _ = cancel(id)
        }
    }

    private func run(_ step: SignInFlow.Step, _ id: String) {
        change(id) { flow in
            flow.expected = .nothing
            flow.shown.phase = .working
            flow.shown.fields = nil
            flow.shown.url = nil
            flow.shown.problem = nil
            flow.touched = clock.now
            flow.task = Task { await carryOut(step, id) }
        }
    }

    private func carryOut(_ step: SignInFlow.Step, _ id: String) async {
        guard let flow = flows[id] else { return }
        switch step {
        case .showForm(let fields, let memory): show(fields, memory, id)
        case .add(let candidates): await add(candidates, id)
        case .authorize(let answer):
            do throws(AccountError) {
                let next = try await flow.provider.authorize(answer)
                guard flows[id] != nil else { return }
                change(id) { $0.forgetCode() }
                switch next {
                case .form(let fields, let memory): show(fields, memory, id)
                case .browser(let url, let memory): show(url, memory, id)
                case .code(let code, let memory): await show(code, memory, id)
                case .finished(let candidates): await add(candidates, id)
                }
            } catch {
                refused(error, answer, id)
            }
        }
    }

    private func show(_ fields: [FormField], _ memory: Secret, _ id: String) {
        guard !fields.isEmpty, Set(fields.map(\.name)).count == fields.count else {
            return fail(.authorizing(.badAnswer("a form without fields, or with a duplicate field")), id)
        }
        change(id) { flow in
            flow.expected = .form(fields, memory: memory)
            flow.shown.phase = .form
            flow.shown.fields = fields.map { flow.request.filled($0).filled(with: flow.answers) }
        }
    }

    private func show(_ url: URL, _ memory: Secret, _ id: String) {
        let state = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
            .first { $0.name == "state" }?.value
        guard let state, !state.isEmpty, url.isLink(["https", "http"]) else {
            return fail(.authorizing(.badAnswer("a browser page without a way back")), id)
        }
        change(id) { flow in
            flow.expected = .redirect(state, memory: memory)
            flow.shown.phase = .browser
            flow.shown.url = url
        }
    }

    /// Shows a code for as long as the provider waits for the user to enter it.
    private func show(_ code: SignInCode, _ memory: Secret, _ id: String) async {
        change(id) { flow in
            flow.shown.phase = .code
            flow.shown.code = code
            flow.shown.url = code.filledPage ?? code.page
        }
        await carryOut(.authorize(.shown(memory: memory)), id)
    }

    /// The provider reported an error.
    private func refused(_ error: AccountError, _ answer: AuthorizationAnswer, _ id: String) {
        guard let flow = flows[id] else { return }
        if case .form = answer, let form = flow.forms.last {
            if case .invalid(let field, let reason) = error {
                // The user must enter something else; the previous input stays.
                show(form.fields, form.memory, id)
                let known = form.fields.contains { $0.name == field } ? field : nil
                return change(id) { $0.shown.problem = SignIn.Problem(reason, field: known) }
            }
            if flow.mayWorkUnchanged(after: error) {
                return fail(.authorizing(error), id, retry: .authorize(answer))
            }
        }
        fail(.authorizing(error), id, after: error)
    }

    private func fail(
        _ problem: SignIn.Problem?, _ id: String, after error: (any Error)? = nil,
        retry: SignInFlow.Step? = nil
    ) {
        change(id) { flow in
            flow.expected = .nothing
            flow.forgetCode()
            flow.shown.phase = .failed
            flow.shown.problem = problem
            flow.retry =
                retry ?? flow.form(toCorrect: error).map { .showForm($0.fields, memory: $0.memory) }
                ?? .authorize(.begin(flow.request))
        }
    }

    private func add(_ candidates: [AccountCandidate], _ id: String) async {
        guard let flow = flows[id] else { return }
        guard !candidates.isEmpty else {
            return fail(.authorizing(.badAnswer("a sign-in without an account")), id)
        }
        if let accountID = flow.shown.accountID { return await takeUp(accountID, candidates, flow) }
        var failure: (any Error)?
        for candidate in candidates {
            guard flows[id] != nil, !Task.isCancelled else { return }
            do {
                let account = try await accounts.add(
                    candidate, of: flow.pluginID, entered: flow.entered, waitsForOnboarding: true)
                change(id) { $0.shown.addedAccountIDs.append(account.id) }
            } catch {
                failure = failure ?? error
            }
        }
        guard let failure else { return change(id) { $0.shown.phase = .done } }
        let problem = SignIn.Problem.adding(failure, serviceName: flow.serviceName)
        guard flows[id]?.shown.addedAccountIDs.isEmpty == true else {
            return change(id) { flow in
                flow.shown.phase = .done
                flow.shown.problem = problem
            }
        }
        fail(
            problem, id, after: failure, retry: flow.mayWorkUnchanged(after: failure) ? .add(candidates) : nil
        )
    }

    /// An account has signed in again.
    private func takeUp(_ accountID: Id<Account>, _ candidates: [AccountCandidate], _ flow: SignInFlow) async
    {
        let id = flow.shown.id
        do {
            try await accounts.reauthenticate(
                accountID, with: candidates, of: flow.pluginID, entered: flow.entered)
            change(id) { $0.shown.phase = .done }
        } catch {
            fail(
                .adding(error, serviceName: flow.serviceName, isThere: true), id, after: error,
                retry: flow.mayWorkUnchanged(after: error) ? .add(candidates) : nil)
        }
    }

    // MARK: News

    private func change(_ id: String, _ body: (inout SignInFlow) -> Void) {
        guard var flow = flows[id] else { return }
        let before = flow.shown
        body(&flow)
        flows[id] = flow
        if flow.shown != before { changed(id) }
    }

    private func changed(_ id: String) {
        revision += 1
        store.news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
        if flows[id]?.shown.phase != .working { wake(id) }
    }

    private func wake(_ id: String) {
        for waiter in waiters.removeValue(forKey: id) ?? [] { waiter.resume() }
    }
}
