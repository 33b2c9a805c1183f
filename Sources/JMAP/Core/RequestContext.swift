import FoundationEssentials
import Kernel
import MailKernelAPI

/// What the calls of one request share.
struct RequestContext {
    let kernel: MailKernel
    let client: JMAPClient
    let limits: JMAPLimits
    let capabilities: Set<Capability>
    /// Where things are, as the session resource says it.
    let urls: SessionURLs
    /// Creation ids of this request, and the ids that the server gave.
    var createdIDs: [String: String]
    /// Answers that follow the one of the call under way (RFC 8621, section 7.5).
    var implicitAnswers: [(name: String, arguments: JSONValue)] = []
    /// What the answers may still come to.
    var budget: AnswerBudget
    private var knownAccounts: [Account]?

    init(
        kernel: MailKernel, client: JMAPClient, limits: JMAPLimits, capabilities: Set<Capability>,
        urls: SessionURLs, createdIDs: [String: String]
    ) {
        self.kernel = kernel
        self.client = client
        self.limits = limits
        self.capabilities = capabilities
        self.urls = urls
        self.createdIDs = createdIDs
        budget = AnswerBudget(limit: limits.maxSizeAnswers)
    }

    /// Adds the response of an implicit call. The explicit call succeeded, even if this one fails.
    mutating func addImplicit(_ name: String, _ answer: Result<[String: JSONValue], MethodError>) {
        switch answer {
        case .success(let arguments): implicitAnswers.append((name, .object(arguments)))
        case .failure(let error): implicitAnswers.append(("error", error.json))
        }
    }

    var store: any MailReader { kernel.store.read }

    /// The account that a method of the mail capabilities is about.
    mutating func account(_ arguments: inout Arguments) async throws(MethodError) -> Account {
        let id = try arguments.required(try arguments.name("accountId"), "accountId")
        return try await account(Id(id))
    }

    mutating func account(_ id: Id<Account>) async throws(MethodError) -> Account {
        if id == ProgramAccount.id {
            throw MethodError("accountNotSupportedByMethod", "This account contains no mail.")
        }
        guard let account = try await accounts().first(where: { $0.id == id }) else { throw .accountNotFound }
        return account
    }

    /// The account that a `/copy` takes from (RFC 8620, section 5.4).
    mutating func sourceAccount(_ arguments: inout Arguments) async throws(MethodError) -> Account {
        let id = try arguments.required(try arguments.name("fromAccountId"), "fromAccountId")
        do throws(MethodError) {
            return try await account(Id(id))
        } catch {
            switch error.type {
            case "accountNotFound": throw MethodError("fromAccountNotFound")
            case "accountNotSupportedByMethod":
                throw MethodError("fromAccountNotSupportedByMethod", error.description)
            default: throw error
            }
        }
    }

    /// The account of a method that is about sending, which not every account can.
    mutating func sendingAccount(_ arguments: inout Arguments) async throws(MethodError) -> Account {
        let account = try await account(&arguments)
        let (mail, id) = (kernel.mail, account.id)
        let features = try await reading { _ throws(StorageError) in try await mail.features(of: id) }
        guard features.contains(.submission) else {
            throw MethodError("accountNotSupportedByMethod", "This account cannot send mail.")
        }
        return account
    }

    mutating func accounts() async throws(MethodError) -> [Account] {
        if let knownAccounts { return knownAccounts }
        let accounts = try await reading { store throws(StorageError) in try await store.accounts() }
        knownAccounts = accounts
        return accounts
    }

    /// Checks the `accountId` of a method that is about the program as a whole.
    mutating func programAccount(_ arguments: inout Arguments) async throws(MethodError) {
        let id = Id<Account>(try arguments.required(try arguments.name("accountId"), "accountId"))
        guard id != ProgramAccount.id else { return }
        guard try await accounts().contains(where: { $0.id == id }) else { throw .accountNotFound }
        throw MethodError(
            "accountNotSupportedByMethod",
            "Use the account “\(ProgramAccount.id)” for this method.")
    }

    func requireWriting() throws(MethodError) {
        guard client.mayWrite else { throw .accountReadOnly }
    }

    /// Asks the store, and says its errors as a client understands them.
    func reading<Value>(
        _ read: (any MailReader) async throws(StorageError) -> Value
    ) async throws(MethodError) -> Value {
        do {
            return try await read(store)
        } catch {
            throw MethodError(error)
        }
    }

    /// Only the page may access this machine and its user.
    func requirePage(_ what: String) throws(MethodError) {
        guard client.isPage else {
            throw MethodError("forbidden", "Only the program's own page may \(what).")
        }
    }

    /// An id as a client writes it: its own, or `#` and a creation id of this request.
    func resolved(_ id: String) -> String? {
        let id = ExactName.of(id)
        return id.utf8.first == UInt8(ascii: "#") ? createdIDs[String(id.dropFirst())] : id
    }
}

/// The account for the program itself: preferences, plugins, windows, contacts.
package enum ProgramAccount {
    package static let id = Id<Account>("program")
}
