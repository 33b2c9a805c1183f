/// The tables of a store with several servers, on each of them.
///
/// `account_place` is the map, and used at the home server only. Administrators write to `wanted`. While an account is
/// copied, `arriving` names the server that it is copied to; once it is there, `leaving` the one where it is deleted.
///
/// `arrival` has the accounts that are copied to this server: how far the copy is, and in the end the row of `account`.
/// `deed` is what a commit to an account has yet to change at the home server: see `Deed`.
enum PlaceTables {
    static let all = ["server_name", "account_place", "account_removal", "arrival", "deed"]

    static let creation = """
        CREATE TABLE server_name (one boolean PRIMARY KEY DEFAULT true CHECK (one), name text NOT NULL);
        CREATE TABLE account_place (
            account bigint PRIMARY KEY, id bytea NOT NULL UNIQUE, address text NOT NULL,
            server text NOT NULL, wanted text NOT NULL,
            arriving text NOT NULL DEFAULT '', leaving text NOT NULL DEFAULT '', problem text NOT NULL DEFAULT '',
            added double precision NOT NULL, record bytea NOT NULL, carried bigint NOT NULL DEFAULT 0,
            mover bytea, mover_until timestamptz NOT NULL DEFAULT '-infinity');
        CREATE TABLE account_removal (
            account bigint NOT NULL, server text NOT NULL, PRIMARY KEY (account, server));
        CREATE TABLE arrival (
            account bigint PRIMARY KEY, mover bytea NOT NULL, source text NOT NULL, origin text NOT NULL,
            since text NOT NULL, step bigint NOT NULL, last text, image text);
        CREATE TABLE deed (
            account bigint NOT NULL, number bigint NOT NULL, changes bytea NOT NULL, PRIMARY KEY (account, number));

        """
}
