import Kernel
import MailKernelAPI

extension RecordType {
    static let about = RecordType(
        "About", .about, of: .program, .fixed("built"),
        ["id", "version", "build", "privacyPolicyUrl", "licenses", "modelLicenses", "diskEncryption"])
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
            if asked.properties.contains("licenses") {
                object["licenses"] = .array(about.licenses.map(\.json))
            }
            if asked.properties.contains("modelLicenses") {
                let models = await context.kernel.intelligence.models.all()
                object["modelLicenses"] = .array(models.map { $0.model.licenseJSON })
            }
            return [(singletonID, object)]
        }
    ]
}

extension About.License {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "version": .string(version), "license": .string(license),
            "text": .string(text),
        ]
    }
}

extension Model {
    fileprivate var licenseJSON: JSONValue {
        [
            "name": .string(name), "license": .string(license), "text": .string(licenseText),
            "sourceUrl": .string(source.absoluteString),
        ]
    }
}
