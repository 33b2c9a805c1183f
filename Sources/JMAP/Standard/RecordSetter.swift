import MailKernelAPI

/// What setting one record does, where each stands for itself.
protocol RecordSetter {
    /// - Returns: its id, and the properties that the client does not know yet.
    mutating func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record

    /// - Returns: what changed beyond the patch, or null.
    mutating func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue

    mutating func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError)
}

extension RequestContext {
    /// `Foo/set` (RFC 8620, section 5.3) without further arguments.
    mutating func set(
        _ type: RecordType, _ arguments: inout Arguments, with setter: some RecordSetter
    ) async throws(MethodError) -> [String: JSONValue] {
        let accountID = try await account(for: type, &arguments)
        let asked = try SetArguments(&arguments, self)
        try arguments.finish()
        var setter = setter
        return try await set(type, in: accountID, asked, with: &setter)
    }

    /// Creates, updates and destroys one record after the other.
    mutating func set(
        _ type: RecordType, in accountID: Id<Account>, _ asked: SetArguments,
        with setter: inout some RecordSetter
    ) async throws(MethodError) -> [String: JSONValue] {
        let oldState = try await expectedState(of: type, in: accountID, asked.ifInState)
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let record = try await setter.create(object, in: accountID, &self)
                createdIDs[creationID] = record.id
                answer.created[creationID] = .object(record.object)
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.updates(self) {
            do throws(SetError) {
                answer.updated[id] = try await setter.update(id, patch, in: accountID, &self)
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(self) {
            do throws(SetError) {
                try await setter.destroy(id, in: accountID, &self)
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        return answer.json(
            in: accountID, oldState: oldState.rawValue,
            newState: try await state(of: type, in: accountID).rawValue)
    }

    /// The state before the changes, which the client may have an opinion on.
    func expectedState(
        of type: RecordType, in accountID: Id<Account>, _ expected: State?
    ) async throws(MethodError) -> State {
        let state = try await state(of: type, in: accountID)
        if let expected, expected != state { throw .stateMismatch }
        return state
    }
}
