import FoundationEssentials
import MailKernelAPI

let downloadCases: [ConformanceCase] = [
    modelCase(
        "everyModelSaysWhatItIs", "A model states its purpose, source, size and license."
    ) {
        let models = try await $0.provider.models()
        try expectEqual(Set(models.map(\.id)).count, models.count, "the number of different model ids")
        for model in models { try check(model) }
    },
    modelCase("aDownloadedModelIsThere", "After a download the model is available, even after a restart.") {
        trial in
        let model = try await trial.missingModel()
        try await trial.download(model.id)
        try expectEqual(try await trial.status(of: model.id), .downloaded, "the status after a download")
        let restarted = try ModelTrial(trial.bench)
        try expectEqual(try await restarted.status(of: model.id), .downloaded, "the status after a restart")
        try await trial.download(model.id)
        try expectEqual(
            try await trial.status(of: model.id), .downloaded, "the status after downloading again")
    },
    modelCase("progressGoesUp", "Progress increases to the full size and never decreases.") { trial in
        let model = try await trial.missingModel()
        let steps = try await trial.download(model.id)
        try expect(!steps.isEmpty, "download: expected progress to be told, found none")
        try expectEqual(steps.last?.received, model.size, "the bytes received at the end")
        try expect(
            steps.allSatisfy { $0.total == model.size }, "download: expected the total to be the model's size"
        )
        let received = steps.map(\.received)
        try expect(
            received == received.sorted(), "download: expected the bytes received to go up, found \(received)"
        )
    },
    modelCase("aCancelledDownloadIsNoModel", "A canceled download leaves no model, and can be continued.") {
        trial in
        let model = try await trial.missingModel()
        try await cancelDownload(of: model, trial)
        let status = try await trial.status(of: model.id)
        try expect(
            status == .notDownloaded || isBegun(status),
            "a cancelled download: expected “notDownloaded”, or “downloading” with what is kept, found \(status)"
        )
        try await trial.download(model.id)
        try expectEqual(try await trial.status(of: model.id), .downloaded, "the status after going on")
    },
    modelCase("aDiscardedDownloadBeginsAnew", "After discarding, a download starts from zero.") { trial in
        let model = try await trial.missingModel()
        try await cancelDownload(of: model, trial)
        try await trial.provider.discardDownload(model.id)
        try await trial.provider.discardDownload(model.id)
        try expectEqual(try await trial.status(of: model.id), .notDownloaded, "the status after discarding")
        try await trial.download(model.id)
        try expectEqual(try await trial.status(of: model.id), .downloaded, "the status after beginning again")
    },
    modelCase("aDeletedModelIsNotThere", "A deleted model cannot be used, but can be downloaded again.") {
        trial in
        let model = try await trial.missingModel()
        try await trial.download(model.id)
        try await trial.provider.delete(model.id)
        try expectEqual(try await trial.status(of: model.id), .notDownloaded, "the status after deleting")
        try await trial.provider.delete(model.id)
        try await expectNotAvailable("using a deleted model") { try await use(model, trial.provider) }
    },
    modelCase("aMissingModelIsNotAvailable", "Using a model that is not downloaded throws “notAvailable”.") {
        trial in
        let missing = try await trial.provider.models().filter { $0.status == .notDownloaded }
        guard !missing.isEmpty else { throw NotApplicable("every model is here") }
        for model in missing {
            try await expectNotAvailable("using “\(model.id)”") { try await use(model, trial.provider) }
        }
    },
    modelCase("anUnknownModelIsNotAvailable", "An unknown model throws “notAvailable” everywhere.") {
        trial in
        let id = Id<Model>("no-such-model")
        let provider = trial.provider
        try await expectNotAvailable("download") { try await provider.download(id) { _ in } }
        try await expectNotAvailable("generate") {
            try await trial.generate(GenerationRequest(model: id, instruction: "", data: ""))
        }
        try await expectNotAvailable("classify") {
            try await provider.classify(ClassificationRequest(model: id, texts: [], labels: []))
        }
        try await expectNotAvailable("embed") { try await provider.embed([], with: id) }
    },
    modelCase(
        "aFileThatIsNoModelIsRefused",
        "Importing a file that is not a model throws “badFile” and adds nothing."
    ) {
        try await badImport($0)
    },
]

private func check(_ model: Model) throws {
    func need(_ holds: Bool, _ what: String) throws {
        try expect(holds, "models: expected “\(model.id)” to have \(what)")
    }
    try need(model.id.isValid, "an id of letters, digits, - and _")
    try need(!model.name.isEmpty && !model.purpose.isEmpty, "a name and a purpose")
    try need(!model.abilities.isEmpty, "an ability")
    try need(
        model.source.scheme == "https" || model.source.isFileURL, "a source over https, found \(model.source)"
    )
    try need(model.size > 0 && model.memoryNeeded > 0, "a size, and the memory it needs")
    let isHexadecimal = model.sha256.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    try need(model.sha256.utf8.count == 64 && isHexadecimal, "a SHA-256 of 64 digits in lower case")
    try need(!model.license.isEmpty && !model.licenseText.isEmpty, "a license and its text")
}

private func use(_ model: Model, _ provider: any AIModelProvider) async throws {
    if model.abilities.contains(.embed) {
        _ = try await provider.embed(["text"], with: model.id)
    } else if model.abilities.contains(.classify) {
        let labels = [ClassificationRequest.Label(name: "one", examples: ["text"])]
        _ = try await provider.classify(
            ClassificationRequest(model: model.id, texts: ["text"], labels: labels))
    } else {
        let request = GenerationRequest(
            model: model.id, instruction: "Answer.", data: "text", maximumTokens: 1)
        _ = try await provider.generate(request) { _ in }
    }
}

private func expectNotAvailable(_ what: String, _ body: () async throws -> some Any) async throws {
    try await expectError(
        "\(what): expected “notAvailable”", ModelError.self, where: { $0 == .notAvailable }, body)
}

/// Whether it says how much of an unfinished download is here.
private func isBegun(_ status: Model.Status) -> Bool {
    guard case .downloading(let progress) = status else { return false }
    return progress.received >= 1 && progress.received <= progress.total
}

/// Begins a download and cancels it when the first bytes have come.
private func cancelDownload(of model: Model, _ trial: ModelTrial) async throws {
    do {
        let complaint = "a cancelled download: expected it to end within five minutes"
        try await cancellingItself(within: 300, complaint) { cancel in
            try await trial.download(model.id) { _ in cancel() }
        }
    } catch ModelError.cancelled {
        return
    }
    throw NotApplicable("the download was over before it could be cancelled")
}

private func badImport(_ trial: ModelTrial) async throws {
    let before = try await trial.provider.models().map(\.id)
    let contents = [
        Data(), Data("This is not a model.".utf8), Data("GGUF".utf8), Data(repeating: 255, count: 5000),
    ]
    for (number, content) in contents.enumerated() {
        let file = trial.bench.folder.appending(path: "file \(number).gguf")
        try content.write(to: file)
        try await expectBadFile("importing file \(number) that is no model", file, trial)
    }
    let nowhere = trial.bench.folder.appending(path: "no such file.gguf")
    try await expectBadFile("importing a file that is not there", nowhere, trial)
    try expectEqual(
        try await trial.provider.models().map(\.id), before, "the models after imports that failed")
}

private func expectBadFile(_ what: String, _ file: URL, _ trial: ModelTrial) async throws {
    do {
        _ = try await trial.provider.importModel(from: file, name: "Imported")
    } catch ModelError.badFile {
        return
    } catch ModelError.unsupported {
        throw NotApplicable("models cannot be imported")
    } catch {
        throw ConformanceFailure("\(what): expected “badFile”, found \(error)")
    }
    throw ConformanceFailure("\(what): expected “badFile”, and it was taken")
}
