/// The second schema: several nodes at the same time.
enum PostgresNodesMigration {
  private static let tables = """
    -- The node that has created the session or appended to it last. If it has stopped, another one
    -- loads the session, because its members may have to leave.
    ALTER TABLE session ADD COLUMN served_by bigint;
    -- From now on the status is that of the last entry with events; NULL: not known.
    UPDATE session SET status = NULL WHERE has_members;
    """

  /// Adds the events of an entry, once. Returns false if the events before them are missing.
  private static let feedEvents = """
    CREATE FUNCTION feed_events(
      id_ text, previous bigint, last bigint, status_ text, types text[], ids text[],
      bodies bytea[])
    RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE mark bigint;
    BEGIN
      SELECT event_sequence INTO mark FROM session WHERE id = id_ AND ended_at IS NULL;
      IF NOT FOUND OR mark >= last THEN RETURN true; END IF;
      IF mark < previous THEN RETURN false; END IF;
      PERFORM append_events(types, ids, bodies);
      UPDATE session SET event_sequence = last, status = coalesce(status_, status)
        WHERE id = id_;
      RETURN true;
    END $$;
    """

  /// Ends a session that has expired, unless something has happened since. `head_` is NULL for a
  /// session that cannot be read.
  private static let expireSession = """
    CREATE FUNCTION expire_session(
      id_ text, head_ bigint, node_ bigint, types text[], ids text[], bodies bytea[])
    RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM session WHERE id = id_ AND ended_at IS NULL
        AND head = coalesce(head_, head) AND active_at + ttl_seconds * 1000 <= now_ms();
      IF NOT FOUND THEN RETURN false; END IF;
      RETURN end_session(id_, node_, types, ids, bodies);
    END $$;
    """

  static let second = [tables, feedEvents, expireSession].joined(separator: "\n")
}
