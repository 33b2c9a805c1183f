import Kernel
import MailKernelAPI

extension Method {
    static let about = [Method("About/get", .about, AboutMethods.get)]
}

/// What the program is made of.
enum AboutMethods {
    static let properties = [
        "id", "version", "build", "privacyPolicyUrl", "licences", "modelLicences", "diskEncryption",
    ]
    private static let id = "singleton"

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        guard asked.ids?.contains(id) ?? true else {
            return try asked.answer(in: ProgramAccount.id, state: "built", [])
        }
        let about = context.kernel.about
        var object: [String: JSONValue] = [
            "id": .string(id), "version": .string(about.version), "build": .string(about.build),
            "privacyPolicyUrl": .string(about.privacyPolicy),
            "diskEncryption": .string(about.diskEncryption.rawValue),
        ]
        // Hundreds of kilobytes, so only on request.
        if asked.properties.contains("licences") { object["licences"] = .array(about.licences.map(\.json)) }
        if asked.properties.contains("modelLicences") {
            let models = await context.kernel.intelligence.models.all()
            object["modelLicences"] = .array(models.map { $0.model.licenceJSON })
        }
        return try asked.answer(in: ProgramAccount.id, state: "built", [(id, object)])
    }
}

extension About.Licence {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "version": .string(version), "licence": .string(licence),
            "text": .string(text),
        ]
    }
}

extension Model {
    fileprivate var licenceJSON: JSONValue {
        [
            "name": .string(name), "licence": .string(licence), "text": .string(licenceText),
            "sourceUrl": .string(source.absoluteString),
        ]
    }
}
