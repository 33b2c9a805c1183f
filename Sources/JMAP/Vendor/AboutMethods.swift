import Kernel
import MailKernelAPI

extension RecordType {
    static let about = RecordType(
        "About", .about, of: .program, .fixed("built"),
        ["id", "version", "build", "privacyPolicyUrl", "licences", "modelLicences", "diskEncryption"])
}

extension Method {
    /// What the program is made of.
    static let about: [Method] = [
        .get(.about) { context, _, asked in
            let about = context.kernel.about
            var object: [String: JSONValue] = [
                "id": .string(singletonID), "version": .string(about.version), "build": .string(about.build),
                "privacyPolicyUrl": .string(about.privacyPolicy),
                "diskEncryption": .string(about.diskEncryption.rawValue),
            ]
            // Hundreds of kilobytes, so only on request.
            if asked.properties.contains("licences") {
                object["licences"] = .array(about.licences.map(\.json))
            }
            if asked.properties.contains("modelLicences") {
                let models = await context.kernel.intelligence.models.all()
                object["modelLicences"] = .array(models.map { $0.model.licenceJSON })
            }
            return [(singletonID, object)]
        }
    ]
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
