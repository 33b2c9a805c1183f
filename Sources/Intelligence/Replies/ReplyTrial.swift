import MailKernelAPI

/// Lets a model of any size write replies without a store, to measure how long that takes.
package struct ReplyTrial: Sendable {
    private let writer: ModelHandle

    package init(_ provider: any AIModelProvider, _ model: Model) {
        writer = ModelHandle(id: model.id, model: model, provider: provider)
    }

    /// Nil if what the model wrote cannot stand.
    package func replies(subject: String, text: String) async -> [String]? {
        guard let language = MailLanguage.of(text) else { return nil }
        return await Replies.write(writer, subject, text, language)
    }
}
