import Kernel
import MailKernelAPI

/// A type of record: what its methods, its state and the event source have to know of it.
struct RecordType: Sendable {
    /// The accounts that its methods accept.
    enum Owner: Sendable {
        /// Any mail account.
        case mail
        /// A mail account that can send.
        case sender
        /// The program itself.
        case program
    }

    /// Where its state is.
    enum StateSource: Sendable {
        case stored(DataType)
        /// It is kept in several places, and changes with each.
        case storedIn([DataType])
        /// It changes with the records of another type, of which clients are told.
        case follows(DataType)
        /// It lives with the running program.
        case running(DataType, @Sendable (MailKernel, Id<Account>) async throws -> State)
        /// It never changes, or changes all the time.
        case fixed(String)
        /// The event source tells that it changed, and there is nothing to get.
        case announced(DataType)
    }

    let name: String
    let capability: Capability
    let owner: Owner
    let states: StateSource
    let properties: [String]

    init(
        _ name: String, _ capability: Capability, of owner: Owner = .mail, _ states: StateSource,
        _ properties: [String] = []
    ) {
        (self.name, self.capability, self.owner, self.states) = (name, capability, owner, states)
        self.properties = properties
    }

    /// What clients are told the changes of; empty if they never are.
    var dataTypes: [DataType] {
        switch states {
        case .stored(let type), .running(let type, _), .announced(let type): [type]
        case .storedIn(let types): types
        case .fixed, .follows: []
        }
    }

    /// - Returns: nil if it has none to ask for.
    func state(in kernel: MailKernel, _ accountID: Id<Account>) async throws -> State? {
        switch states {
        case .stored(let type), .follows(let type):
            try await kernel.store.read.state(of: type, in: owner == .program ? nil : accountID)
        case .storedIn(let types): try await Self.state(of: types, in: kernel, accountID)
        case .running(_, let state): try await state(kernel, accountID)
        case .fixed(let state): State(rawValue: state)
        case .announced: nil
        }
    }

    private static func state(
        of types: [DataType], in kernel: MailKernel, _ accountID: Id<Account>
    ) async throws -> State {
        var states: [String] = []
        for type in types {
            states.append(try await kernel.store.read.state(of: type, in: accountID).rawValue)
        }
        return State(rawValue: states.joined(separator: "-"))
    }
}

extension RequestContext {
    /// The account that a call names, if it may have records of this type.
    mutating func account(
        for type: RecordType, _ arguments: inout Arguments
    ) async throws(MethodError) -> Id<Account> {
        switch type.owner {
        case .mail: return try await account(&arguments).id
        case .sender: return try await sendingAccount(&arguments).id
        case .program:
            try await programAccount(&arguments)
            return ProgramAccount.id
        }
    }

    func state(of type: RecordType, in accountID: Id<Account>) async throws(MethodError) -> State {
        do {
            return try await type.state(in: kernel, accountID) ?? State(rawValue: "")
        } catch let error as StorageError {
            throw MethodError(error)
        } catch {
            throw MethodError("serverFail", "\(error)")
        }
    }
}
