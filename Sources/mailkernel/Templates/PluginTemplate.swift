import MailKernelAPI

/// The files of a new plugin.
struct PluginTemplate {
    let name: String
    let kind: PluginKind
    /// Where the packages to build against are, as the new package writes it.
    let sdk: String

    var library: String { "lib\(name).so" }

    /// Path and text of each file.
    var files: [(path: String, text: String)] {
        [
            ("Package.swift", package),
            ("plugin.json", manifest),
            (".gitignore", ".build/\n*.so\n"),
            ("Sources/\(name)/\(name)Plugin.swift", entry),
            ("Sources/\(name)/\(name)\(typeSuffix).swift", provider),
            ("Tests/\(name)Tests/\(name)Tests.swift", tests),
        ]
    }

    private var typeSuffix: String {
        switch kind {
        case .account: "Provider"
        case .model: "Models"
        case .storage: "Storage"
        case .notification: "Sink"
        }
    }

    private var provider: String {
        switch kind {
        case .account: accountText
        case .model: modelText
        case .storage: storageText
        case .notification: notificationText
        }
    }

    private var package: String {
        """
        // swift-tools-version: 6.3
        import PackageDescription

        let package = Package(
            name: "\(name)",
            products: [.library(name: "\(name)", type: .dynamic, targets: ["\(name)"])],
            dependencies: [
                .package(path: "\(sdk)/MailKernelAPI"),
                .package(path: "\(sdk)/MailKernelConformance"),
            ],
            targets: [
                .target(
                    name: "\(name)",
                    dependencies: [.product(name: "MailKernelAPI", package: "MailKernelAPI")]
                ),
                .testTarget(
                    name: "\(name)Tests",
                    dependencies: [
                        .target(name: "\(name)"),
                        .product(name: "MailKernelAPI", package: "MailKernelAPI"),
                        .product(name: "MailKernelConformance", package: "MailKernelConformance"),
                    ]
                ),
            ]
        )

        """
    }

    private var manifest: String {
        """
        {
          "id": "org.example.\(name.lowercased())",
          "name": "\(name)",
          "version": "0.1.0",
          "api": "\(APIVersion.current)",
          "kind": "\(kind.rawValue)",
          "library": "\(library)",
          "license": "Apache-2.0",
          "author": "Your name",
          "description": "What it does, in a sentence.",
          "hosts": []
        }

        """
    }

    private var entry: String {
        """
        import MailKernelAPI

        struct \(name)Plugin: MailKernelPlugin {
            static func makeProvider(host: HostServices) throws -> Provider {
                .\(kind.rawValue)(\(name)\(typeSuffix)(log: host.log))
            }
        }

        /// The one symbol that the program looks for.
        @c(mailkernel_plugin)
        public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            \(name)Plugin.answer(question)
        }

        """
    }

    private var tests: String {
        """
        import MailKernelAPI
        import MailKernelConformance
        import Testing

        @testable import \(name)

        @Suite("\(name) keeps what its kind promises") struct \(name)Tests {
        \(keptPromises)    @Test(arguments: \(promises))
            func keepsThePromise(_ promise: ConformanceCase) async throws {
                _ = try await promise.check(ConformanceSubject(\(name)Plugin.self))
            }

            @Test func makesAProviderOfItsKind() throws {
                let provider = try \(name)Plugin.makeProvider(host: .forTesting())
                #expect(provider.kind == .\(kind.rawValue))
            }
        }

        """
    }

    /// A notification plugin is complete from the beginning; the others are something to fill in.
    private var promises: String {
        kind == .notification
            ? "ConformanceCase.all(.notification)"
            : "ConformanceCase.all(.\(kind.rawValue)).filter { kept.contains($0.name) }"
    }

    private var keptPromises: String {
        guard kind != .notification else { return "" }
        return """
                /// The promises that are kept so far. Add to them as you write; at the end, take all.
                static let kept: Set<String> = ["\(firstPromise)"]


            """
    }

    /// A promise that the files above already keep.
    private var firstPromise: String {
        switch kind {
        case .account: "setupsNameTheService"
        case .model: "everyModelSaysWhatItIs"
        case .storage: "nothingIsAnsweredBeforeOpening"
        case .notification: ""
        }
    }
}
