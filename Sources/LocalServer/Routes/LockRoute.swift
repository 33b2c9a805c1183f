import FoundationEssentials
import JMAP
import MailKernelAPI

extension Router {
    private struct State: Encodable {
        var isLocked: Bool
    }

    private struct Proof: Decodable {
        var password: String
    }

    /// Whether the page must ask for the password. Nothing else is revealed while it is locked.
    func lockState(_ request: HTTPRequest) throws(Gatekeeper.Refusal) -> Admission {
        try requirePage(request)
        return .serve(bodyLimit: 0, isKnown: true) { _ in lockState() }
    }

    func unlock(_ request: HTTPRequest) throws(Gatekeeper.Refusal) -> Admission {
        try requirePage(request)
        return .serve(bodyLimit: 64 * 1024, isKnown: true) { body in
            await answer(request) { () async throws(RequestProblem) in
                let data = try await Self.collect(body, 64 * 1024)
                guard let proof = try? JSONDecoder().decode(Proof.self, from: data) else {
                    throw RequestProblem(
                        status: 400, detail: "The body must be a JSON object with “password”.")
                }
                try await service.unlock(Secret(proof.password))
                return lockState()
            }
        }
    }

    private func lockState() -> HTTPResponse {
        .json((try? JSONEncoder().encode(State(isLocked: service.isLocked))) ?? Data())
    }

    private func requirePage(_ request: HTTPRequest) throws(Gatekeeper.Refusal) {
        guard try gatekeeper.visitor(request).isPage else {
            throw Gatekeeper.Refusal(403, "Only the program's own page may do this.")
        }
    }
}
