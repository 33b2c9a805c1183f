#include <malloc.h>
#include <sqlite3.h>

/* SQLite copies what it is given: its own macro is a cast that Swift cannot import. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
