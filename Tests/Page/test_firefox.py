"""The main journey in a second browser."""

import unittest
from pathlib import Path

from firefox import Firefox
from room import PageTest

#: WebDriver's name for Enter.
ENTER = "\ue007"


@unittest.skipUnless(Path(Firefox.PROGRAM).exists(), "Firefox is not installed (apt-get install firefox-esr).")
class InFirefox(PageTest):
    def test_reading_archiving_undoing_and_searching(self):
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.open(self.program.new_link())
        firefox.wait("document.querySelectorAll('.row:not(.row-empty)').length > 5")
        first, second = firefox.value("[...document.querySelectorAll('.row')].slice(0, 2).map((row) => row.ariaLabel)")

        firefox.value("document.querySelector('[role=listbox]').focus()")
        # Without a desktop Firefox tells no page that it has the focus, so the cursor is set by a key.
        firefox.press("j", ENTER)
        text = firefox.wait("document.querySelector('.mail-frame')?.contentDocument?.body?.innerText")
        self.assertTrue(text.strip())
        firefox.wait("document.querySelector('.mail-frame').offsetHeight > 20")

        firefox.press("u")
        firefox.wait("!document.querySelector('.mail-frame')")
        firefox.press("e")
        firefox.wait("document.querySelector('.toast')?.textContent.includes('archived')")
        firefox.wait(f"document.querySelector('.row')?.ariaLabel?.includes({second.split(',')[1]!r})")
        firefox.press("z")
        firefox.wait(f"document.querySelector('.row')?.ariaLabel?.includes({first.split(',')[1]!r})")

        firefox.press("/")
        firefox.press(*"parcel this year")
        firefox.wait("document.querySelector('.chip')?.textContent === 'This year'")
        firefox.wait("document.querySelector('.row mark')?.textContent")
        self.assertEqual(firefox.errors, [])
