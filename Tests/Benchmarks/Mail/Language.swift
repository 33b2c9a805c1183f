import FoundationEssentials
import TestSupport

/// A language to write mail in: its most frequent words, and as many more as people use, put together
/// from its syllables. Frequencies follow Zipf's law, as they do in every language.
struct Language: Sendable {
    let tag: String
    let greeting: String
    /// Most frequent first.
    let words: [String]
    let names: [String]
    /// Chinese and Japanese put none.
    let separator: String
    let fullStop: String
    private let logCount: Double

    private init(
        _ tag: String, greeting: String, frequent: String, syllables: String, names: String, count: Int,
        separator: String = " ", fullStop: String = ". "
    ) {
        self.tag = tag
        self.greeting = greeting
        self.separator = separator
        self.fullStop = fullStop
        self.names = names.split(separator: ",").map(String.init)
        var words = frequent.split(whereSeparator: \.isWhitespace).map(String.init)
        var known = Set(words)
        let syllables = syllables.split(whereSeparator: \.isWhitespace).map(String.init)
        var random = SeededRandom(UInt64(tag.utf8.reduce(7) { $0 * 31 + Int($1) }))
        while words.count < count {
            // Longer words are rarer ones.
            let length = 2 + (words.count > count / 8 ? 1 : 0) + Int.random(in: 0...1, using: &random)
            let word = (0..<length).map { _ in syllables.randomElement(using: &random) ?? "" }.joined()
            if known.insert(word).inserted { words.append(word) }
        }
        self.words = words
        logCount = Double(words.count).logarithm
    }

    func word(_ random: inout SeededRandom) -> String {
        let rank = (Double.random(in: 0..<1, using: &random) * logCount).exponential
        return words[min(words.count - 1, Int(rank) - 1)]
    }

    func name(_ random: inout SeededRandom) -> String {
        names[Int.random(in: 0..<names.count, using: &random)]
    }
}

extension Language {
    /// With how often they are written in.
    static let all: [(language: Language, share: Int)] = [
        (english, 50), (german, 14), (french, 8), (turkish, 3), (vietnamese, 3), (russian, 9), (chinese, 5),
        (japanese, 3), (arabic, 3), (greek, 2),
    ]

    private static let english = Language(
        "en", greeting: "Hello",
        frequent: """
            the to and of a in is you for it that on with be this have are we i as not your at from can will by or
            if our all please any which what was has there me would about my so been when they one do out just
            meeting budget review time new project report team invoice thanks order need know work week day today
            """,
        syllables: """
            ter ing con ver sta pro ment tion ed re ly in de al en com per ma ti ra lo ca mi no sen dis port graph
            light ward ness ship board stone field hand book land ton ford
            """,
        names:
            "Anna Schmidt,Priya Patel,Tom O'Brien,Grace Kim,Samuel Carter,Nadia Haddad,Liam Walsh,Ruth Adeyemi",
        count: 24_000)

    private static let german = Language(
        "de", greeting: "Guten Tag",
        frequent: """
            die der und in zu den das nicht von sie ist des sich mit dem dass er es ein ich auf so eine auch als an
            nach wie im für man aber aus durch wenn nur war noch werden bei hat wir was wird sein einen welche sind
            über größe können müssen Termin Rechnung Besprechung morgen danke grüße
            """,
        syllables: """
            ver ge be ung keit lich sch ein aus über für grö stra ße len ken ten den mann haus tag werk zeug fahr
            rück stück prüf lösch
            """,
        names: "Jürgen Müller,Käthe Größl,Björn Weiß,Ute Krämer,Jörg Schäfer,Anke Vogt", count: 20_000)

    private static let french = Language(
        "fr", greeting: "Bonjour",
        frequent: """
            de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont ou avec
            son ses mais comme aussi être à où déjà réunion facture semaine équipe français été même très après
            """,
        syllables: """
            ré é lé ment tion que ser par tir mai son ver çon trou ble jour née pré cé der fê te voi
            sin
            """,
        names: "Éloïse Dubois,François Lefèvre,Zoé Garçon,Renée Côté", count: 12_000)

    private static let turkish = Language(
        "tr", greeting: "Merhaba",
        frequent: """
            ve bir bu da de için ile çok daha olarak gibi kadar ne var yok toplantı fatura hafta gün
            İyi şu
            """,
        syllables: "lar ler da de çı şı ğı ok mak mek yor di miş lık lik güz öğ ren ya pı iş çe kal",
        names: "Çağlar Yılmaz,Şebnem Öztürk,İbrahim Işık", count: 6_000)

    private static let vietnamese = Language(
        "vi", greeting: "Xin chào",
        frequent: """
            và của là có được cho không các một trong người với những này để khi đã họp hóa đơn tuần
            ngày
            """,
        syllables: "nguyễn trần đường phố việt nam học sinh thể hiện thời gian quốc gia công ty mới",
        names: "Nguyễn Thị Hương,Trần Văn Đức,Lê Ánh Tuyết", count: 4_000)

    private static let russian = Language(
        "ru", greeting: "Здравствуйте",
        frequent: """
            и в не на я быть он с что а по это она этот к но они мы весь который из у так за свой от то для как
            все только ещё встреча счёт проект неделя сегодня спасибо можно нужно время команда отчёт
            """,
        syllables: "ко ра ни пре сто во го ста при тель ность ние ова ть ский ла да ме ви ро за по пере вы",
        names: "Анна Иванова,Фёдор Кузнецов,Ольга Смирнова,Дмитрий Соловьёв", count: 16_000)

    private static let greek = Language(
        "el", greeting: "Καλημέρα",
        frequent: """
            και το να του η της με που την από για είναι ο σε τα οι θα των συνάντηση τιμολόγιο
            εβδομάδα
            """,
        syllables: "κα λη μέ ρα τη λέ φω νο γρά φω πό λη χώ ρος στη μα τικ ός",
        names: "Ελένη Παπαδοπούλου,Γιώργος Νικολάου", count: 5_000)

    private static let arabic = Language(
        "ar", greeting: "مرحبا",
        frequent: """
            في من على أن إلى هذا التي الذي ما لا عن مع كان هذه اجتماع فاتورة أسبوع يوم شكرا الفريق
            المشروع
            """,
        syllables: "ال مس كت دار عم قر سف ون ين ات ية مد رس جم حل",
        names: "ليلى حسن,عمر الخطيب,سارة منصور", count: 5_000)

    private static let chinese = Language(
        "zh", greeting: "你好",
        frequent: "的 是 在 了 我们 不 有 他 这 会议 项目 请 发票 时间 今天 谢谢 报告 预算 可以 需要 公司 问题 工作",
        syllables: "天 地 人 山 水 火 木 金 土 日 月 星 风 云 电 车 路 门 书 学 生 国 家 市 场 经 济 技 术 开 发",
        names: "王小明,李娜,张伟,陈静", count: 6_000, separator: "", fullStop: "。")

    private static let japanese = Language(
        "ja", greeting: "こんにちは",
        frequent: "の に は を た が で て と し れ さ ある いる も する から な こと 会議 請求書 予算 報告 今日 ありがとう",
        syllables: "さ く ら み ず か ぜ や ま か わ そ ら 新 聞 電 話 東 京 大 学 時 間 仕 事 テ ス ト",
        names: "佐藤花子,鈴木一郎,高橋みゆき", count: 5_000, separator: "", fullStop: "。")
}
