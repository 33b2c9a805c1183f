import Kernel
public import MailKernelAPI

extension MailJMAPService {
    public var isLocked: Bool { kernel.appLock.isLocked }

    public func unlock(_ password: Secret) async throws(RequestProblem) {
        if let problem = RequestProblem(await kernel.appLock.unlock(password)) { throw problem }
    }

    func checkLock(for client: JMAPClient) throws(RequestProblem) {
        guard isLocked, !client.mayWhileLocked else { return }
        throw .locked
    }
}
