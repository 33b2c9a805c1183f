import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalFoldersEntry

@Suite("Mail on this device keeps every promise of an account") struct ConformanceTests {
    /// What does not apply: messages come as a whole, there are no secrets, everybody is written to and
    /// unknown people answered with a note, and the kernel itself searches.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "partsComeDecoded", "aWrongPasswordIsRefused", "aSessionWithoutItsSecretAsksToSignIn",
        "aLockedSecretStoreIsSaid", "aRefusedRecipientIsNamed", "nobodyToSendToIsRejected",
        "withoutSubmissionItIsUnsupported", "withoutImportsItIsUnsupported", "searchFindsBySubject",
        "searchFindsOlderMail", "foundMailCanBeRead", "quotasNameWhatTheyLimit", "quotasKeepTheirIds",
        "signingInAgainOffersTheAddress",
    ])

    @Test(arguments: ConformanceCase.all(.account))
    func keeps(_ promise: ConformanceCase) async throws {
        let answers = ["name": Secret("Ada Lovelace"), "address": Secret("ada@home.example")]
        let subject = ConformanceSubject(LocalFoldersPlugin.self, formAnswers: answers)
        let verdict = try await promise.check(subject)
        #expect((verdict == .kept) == !Self.leftOut.contains(promise.name), "\(verdict)")
    }
}
