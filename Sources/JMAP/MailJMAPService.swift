public import FoundationEssentials
import Kernel
import MailKernelAPI

/// JMAP over the kernel.
public struct MailJMAPService: JMAPService {
    public let limits: JMAPLimits
    let kernel: MailKernel
    let lastSession = LastSession()

    package init(_ kernel: MailKernel, limits: JMAPLimits = JMAPLimits()) {
        self.kernel = kernel
        self.limits = limits
    }

    public func respond(
        to data: Data, for client: JMAPClient, at urls: SessionURLs
    ) async throws(RequestProblem) -> Data {
        try checkLock(for: client)
        let request = try Request(data, limits: limits)
        var context = RequestContext(
            kernel: kernel, client: client, limits: limits, capabilities: request.capabilities,
            urls: urls, createdIDs: request.createdIDs ?? [:])
        var answers: [Answer] = []
        for call in request.calls {
            let answer = await Self.answer(call, in: &context, after: answers)
            answers.append(answer)
            for implicit in context.implicitAnswers {
                answers.append(
                    Answer(
                        name: implicit.name, arguments: implicit.arguments.objectValue ?? [:], callID: call.id
                    ))
            }
            context.implicitAnswers = []
        }
        var response: [String: JSONValue] = [
            "methodResponses": .array(
                answers.map { .array([.string($0.name), .object($0.arguments), .string($0.callID)]) }),
            "sessionState": .string(try await sessionStateIfKnown()),
        ]
        if request.createdIDs != nil {
            response["createdIds"] = .object(context.createdIDs.mapValues { .string($0) })
        }
        return JSONWriter.write(.object(response))
    }

    private static func answer(
        _ call: Request.Call, in context: inout RequestContext, after answers: [Answer]
    ) async -> Answer {
        do throws(MethodError) {
            guard let method = Method.all[ExactName.of(call.name)],
                context.capabilities.contains(method.capability)
            else {
                throw .unknownMethod
            }
            guard !context.budget.isSpent else { throw context.budget.error }
            var arguments = Arguments(
                try ResultReference.resolve(call.arguments, in: answers, &context.budget))
            let result = try await method.run(&context, &arguments)
            do throws(MethodError) {
                try context.budget.take(result)
            } catch {
                // A method that changed something returns its result, even if the budget is exceeded.
                if method.onlyReads { throw error }
            }
            return Answer(name: call.name, arguments: result, callID: call.id)
        } catch {
            context.implicitAnswers = []
            return Answer(name: "error", arguments: error.json.objectValue ?? [:], callID: call.id)
        }
    }
}
