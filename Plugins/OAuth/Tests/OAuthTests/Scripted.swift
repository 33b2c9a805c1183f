import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Synchronization

@testable import OAuth

/// A token endpoint that answers as it is told, in order; the last answer again and again.
final class ScriptedNetwork: OfflineNetwork {
    enum Answer: Sendable {
        case status(Int, String)
        case failure(NetworkError)
        /// Waits for `release` first.
        case held(String)
    }

    private struct State {
        var answers: [Answer]
        /// Those of a server with several places, by address.
        var pages: [String: [Answer]] = [:]
        var places: [String] = []
        var bodies: [String] = []
        var held: [CheckedContinuation<Void, Never>] = []
        var isReleased = false
    }

    private let state: Watched<State>

    init(_ answers: Answer...) { state = Watched(State(answers: answers)) }

    /// Places that are not named answer with 404.
    init(pages: [String: [Answer]]) { state = Watched(State(answers: [.status(404, "")], pages: pages)) }

    var requests: [String] { state.value.bodies }
    var places: [String] { state.value.places }

    func waitForRequests(_ count: Int) async { await state.wait { $0.bodies.count == count } }

    func release() {
        let held = state.withLock { state in
            state.isReleased = true
            defer { state.held = [] }
            return state.held
        }
        for one in held { one.resume() }
    }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let body = (try? await request.body?.read(at: 0, count: request.body?.size ?? 0)) ?? Data()
        let answer = state.withLock { state in
            state.bodies.append(String(decoding: body, as: UTF8.self))
            let place = request.url.absoluteString
            state.places.append(place)
            if let page = state.pages[place] {
                if page.count > 1 { state.pages[place] = Array(page.dropFirst()) }
                return page[0]
            }
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        switch answer {
        case .status(let status, let body): return response(status, body)
        case .failure(let error): throw error
        case .held(let body):
            await withCheckedContinuation { waiter in
                let goesOn = state.withLock { state in
                    if !state.isReleased { state.held.append(waiter) }
                    return state.isReleased
                }
                if goesOn { waiter.resume() }
            }
            return response(200, body)
        }
    }

    private func response(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [:], body: Data(body.utf8))
    }
}

/// A sign-in that is kept in memory.
final class KeptSignIn: SignInStore {
    private let token: Mutex<Secret?>

    init(_ token: String? = "refresh-one") { self.token = Mutex(token.map { Secret($0) }) }

    var refreshToken: String? { token.withLock { $0?.revealed } }

    func signIn() async throws(AccountError) -> (refreshToken: Secret, client: OAuthClient) {
        guard let token = token.withLock({ $0 }) else { throw .authenticationRequired(reason: "none") }
        return (token, OAuthClient(id: "the-client", secret: Secret("the-client-secret")))
    }

    func keep(_ refreshToken: Secret) { token.withLock { $0 = refreshToken } }
}

extension OAuthService {
    static let test = OAuthService(
        name: "Testle", authorization: URL(filePath: "/"), token: url("https://auth.test/token"),
        revocation: url("https://auth.test/revoke"), scopes: ["mail"])

    static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

func grant(_ token: String, seconds: Int = 3_600, more: String = "") -> ScriptedNetwork.Answer {
    .status(200, grantText(token, seconds: seconds, more: more))
}

func grantText(_ token: String, seconds: Int = 3_600, more: String = "") -> String {
    #"{"access_token": "\#(token)", "expires_in": \#(seconds), "token_type": "Bearer"\#(more)}"#
}
