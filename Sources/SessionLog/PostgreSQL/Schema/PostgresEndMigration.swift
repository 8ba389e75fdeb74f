/// The fifth schema: ends that other nodes' entries prevent, the list of sessions in its order, a
/// key that all nodes share, the time of the last writing, and the versions of the nodes.
enum PostgresEndMigration {
  /// Ends a session, unless it has another number of entries than `count`; NULL: whatever it has.
  private static let endSession = """
    CREATE FUNCTION end_session_after(
      id_ text, count_ bigint, node bigint, types text[], ids text[], bodies bytea[])
    RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM session WHERE id = id_ AND ended_at IS NULL AND head <> count_;
      IF FOUND THEN RETURN false; END IF;
      RETURN end_session(id_, node, types, ids, bodies);
    END $$;
    """

  /// The sessions in the order of the list; an update never changes it. Not of the living ones
  /// only: in a database without statistics, searches by other columns would read all of that.
  private static let list = "CREATE INDEX session_ordinal ON session (ordinal);"

  /// 64 bytes: four random UUIDs, which have 122 random bits each.
  private static let ticketKey = """
    ALTER TABLE store ADD COLUMN ticket_key bytea NOT NULL DEFAULT decode(
      replace(gen_random_uuid()::text || gen_random_uuid() || gen_random_uuid()
        || gen_random_uuid(), '-', ''), 'hex');
    """

  /// NULL: unknown; see `PostgresClockDoubt`.
  private static let writtenAt = "ALTER TABLE store ADD COLUMN written_at bigint;"

  /// As ``FoldVersions``; NULL: an older pickerd.
  private static let versions = "ALTER TABLE node ADD COLUMN rules bigint, ADD COLUMN tzdata text;"

  static let fifth = [endSession, list, ticketKey, writtenAt, versions].joined(separator: "\n")
}
