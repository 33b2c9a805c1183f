/// The table of objects in S3.
///
/// A row is there before anything is sent to S3, and as long as something may be there. While an upload goes on, its
/// row is renewed; once it is finished, a row of `blob` with the same `upload` says that it is used. So rows that are
/// neither used nor renewed are what a crash, a replaced blob or a removed account left. See `ObjectSweep`.
enum ObjectTable {
    static let name = "blob_object"

    static let creation = """
        CREATE TABLE blob_object (
            account bigint NOT NULL, upload bytea NOT NULL, key bytea NOT NULL,
            renewed timestamptz NOT NULL DEFAULT clock_timestamp(),
            finished boolean NOT NULL DEFAULT false, doomed boolean NOT NULL DEFAULT false,
            PRIMARY KEY (account, upload));
        CREATE UNIQUE INDEX blob_upload ON blob (account, upload);

        """

    /// An upload that was not renewed for so long has no kernel any more.
    static let abandonment = "interval '1 hour'"
}
