/// Mail of five kinds, and an example of each.
enum EasyMail {
    static let labels = ["Primary", "Social", "Promotions", "Updates", "Forums"]

    static let examples = [
        "Primary": ["Hi Sam, can we move our meeting to Thursday? Let me know what suits you. Anna"],
        "Social": ["Maria Lopez wants to be your friend. See her profile and 12 more people you may know."],
        "Promotions": ["Summer sale: 40 % off all shoes until Sunday. Shop now with the code SUN40."],
        "Updates": ["Your parcel has been shipped and arrives on Tuesday. Follow it with number 12345."],
        "Forums": [
            "[gardening] Re: Which soil for tomatoes? On Monday Tom wrote to the list: I use compost."
        ],
    ]

    static let texts: [(label: String, text: String)] = [
        ("Primary", "Hello Sam, shall we have dinner with the children on Sunday? Your sister"),
        ("Primary", "Dear Sam, could you look at my draft before Friday and tell me what you think? Luis"),
        ("Social", "Jonas liked your photo and two people commented on it. Open the app to see them."),
        ("Social", "You have 5 new followers this week. Ella started following you."),
        ("Promotions", "Only today: half price on hiking boots and free delivery. Buy now and save."),
        ("Promotions", "A special offer for our best customers: a voucher of 20 euros for your next order."),
        ("Updates", "Your bank statement for October is ready. Please do not reply to this message."),
        ("Updates", "We received your payment. Your receipt with number 8812 is attached."),
        (
            "Forums",
            "[swift-users] Re: How do I link a static library? On Tue, Kim wrote: try the other flag."
        ),
        ("Forums", "[homebrew] Re: Fermentation stopped early. Has anybody on this list seen the same?"),
    ]
}
