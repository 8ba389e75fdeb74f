/// The function that stores a snapshot; see ``PostgresFunctions``.
enum PostgresSnapshotFunction {
  /// Returns false if events of entries that the snapshot covers are lost.
  static let all = """
    CREATE FUNCTION store_snapshot(
      id_ text, sequence_ bigint, revision_ bigint, idle boolean, body_ bytea, checksum_ bigint,
      definition_ bytea, shown_ bytea, rules_ bigint, tzdata_ text, dropped bigint[],
      ticks bigint[], events bigint, next_tick_ bigint, idle_ms bigint, status_ text,
      history bigint, rows_max bigint, rows_min bigint)
    RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
      s session%ROWTYPE;
      removed record;
      rows_ bigint;
    BEGIN
      SELECT * INTO s FROM session WHERE id = id_ AND ended_at IS NULL;
      IF NOT FOUND THEN RETURN true; END IF;
      IF s.event_sequence < events THEN RETURN false; END IF;
      -- Entries after it may be compacted already.
      IF EXISTS (SELECT FROM snapshot WHERE session = s.number AND sequence > sequence_) THEN
        RETURN true;
      END IF;
      SELECT * INTO removed FROM compact(s.number, dropped, ticks);
      s.row_count := s.row_count - removed.rows_;
      s.byte_count := s.byte_count - removed.bytes_;
      WITH gone AS (
        DELETE FROM snapshot
        WHERE session = s.number AND sequence = sequence_ AND replaces IS NULL
        RETURNING length(body) AS size
      )
      SELECT s.byte_count - coalesce(sum(gone.size), 0) INTO s.byte_count FROM gone;
      -- Entries after the snapshot are not compacted yet, so each one has a row.
      rows_ := s.row_count - (s.head - sequence_);
      INSERT INTO snapshot
        (session, sequence, revision, is_idle, row_count, body, definition, shown, checksum, rules,
         tzdata)
        VALUES (s.number, sequence_, revision_, idle, rows_, body_, definition_, shown_, checksum_,
          rules_, tzdata_)
        ON CONFLICT DO NOTHING;
      IF FOUND THEN s.byte_count := s.byte_count + length(body_); END IF;
      s.byte_count := s.byte_count
        - prune(s.number, sequence_, rows_, revision_ - history, rows_ - rows_max, rows_min);
      IF definition_ IS NOT NULL THEN
        WITH gone AS (
          DELETE FROM definition d WHERE d.session = s.number AND NOT d.is_logged
            AND NOT EXISTS (SELECT FROM snapshot p WHERE p.session = s.number
              AND (p.definition = d.digest OR p.shown = d.digest))
          RETURNING length(body) AS size
        )
        SELECT s.byte_count - coalesce(sum(gone.size), 0) INTO s.byte_count FROM gone;
      END IF;
      UPDATE session SET row_count = s.row_count, byte_count = s.byte_count,
        event_sequence = greatest(event_sequence, sequence_) WHERE number = s.number;
      IF idle AND s.head = sequence_ THEN
        UPDATE session SET has_members = false, next_tick = next_tick_,
          active_at = now_ms() - idle_ms, status = status_ WHERE number = s.number;
      END IF;
      RETURN true;
    END $$;
    """
}
