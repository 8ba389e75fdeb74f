/// The functions of schema 1: what a batch does for one session, without a round trip per
/// statement. The caller has locked the session's row. A released function must never be changed; a
/// later schema adds one with another name.
enum PostgresFunctions {
  /// Adds events at the next positions of the feed, which stays locked until the end of the
  /// transaction: no reader sees a later position before an earlier one.
  private static let appendEvents = """
    CREATE FUNCTION append_events(types text[], ids text[], bodies bytea[])
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      start bigint;
      added bigint;
      size bigint;
    BEGIN
      SELECT newest INTO start FROM feed FOR UPDATE;
      WITH fresh AS (
        INSERT INTO event (position, at, type, id, body)
        SELECT start + row_number() OVER (ORDER BY place), now_ms(), e.type, e.id, e.body
        FROM unnest(types, ids, bodies) WITH ORDINALITY AS e(type, id, body, place)
        RETURNING length(event.id) + length(event.body) AS size
      )
      SELECT count(*), coalesce(sum(fresh.size), 0) INTO added, size FROM fresh;
      UPDATE feed SET newest = newest + added, byte_count = byte_count + size;
    END $$;
    """

  /// Adds the events of an entry, once. Returns false if the events before them are missing: they
  /// were lost.
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

  /// Creates a session and stores its idempotency key, unless a living session has its id or
  /// external id, or the key is known.
  private static let createSession = """
    CREATE FUNCTION create_session(
      id_ text, epoch_ text, origin_ bytea, ttl bigint, rules_ bigint, tzdata_ text,
      ordinal_ bigint, external_ bytea, key_ bytea, hash bytea, salt_ text, at_ bigint,
      expired bigint, forgotten bytea, node bigint)
    RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF key_ IS NOT NULL THEN
        DELETE FROM creation WHERE at <= expired OR key = forgotten;
        INSERT INTO creation (key, body, session, epoch, salt, at)
          VALUES (key_, hash, id_, epoch_, salt_, at_) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN RETURN false; END IF;
      END IF;
      INSERT INTO session
        (id, epoch, origin, byte_count, ttl_seconds, active_at, served_by, rules, tzdata, ordinal,
         external, status)
        VALUES (id_, epoch_, origin_, length(origin_), ttl, now_ms(), node, rules_, tzdata_,
          ordinal_, external_, 'open')
        ON CONFLICT DO NOTHING;
      IF FOUND THEN RETURN true; END IF;
      DELETE FROM creation WHERE key = key_ AND session = id_;
      RETURN false;
    END $$;
    """

  /// Ends a session and adds the event of its end, unless the session has another number of entries
  /// than `count_`; NULL: whatever it has.
  private static let endSession = """
    CREATE FUNCTION end_session(
      id_ text, count_ bigint, node bigint, types text[], ids text[], bodies bytea[])
    RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM session WHERE id = id_ AND ended_at IS NULL AND head <> count_;
      IF FOUND THEN RETURN false; END IF;
      UPDATE session SET ended_at = now_ms(), ended_by = node
        WHERE id = id_ AND ended_at IS NULL;
      IF FOUND THEN PERFORM append_events(types, ids, bodies); END IF;
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
      RETURN end_session(id_, NULL, node_, types, ids, bodies);
    END $$;
    """

  /// Deletes the oldest events if they are beyond the limits, at most `count_max` at once.
  private static let trimFeed = """
    CREATE FUNCTION trim_feed(
      count_max bigint, events_max bigint, milliseconds_max bigint, bytes_max bigint)
    RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
      f feed%ROWTYPE;
      e record;
      last bigint;
    BEGIN
      SELECT * INTO f FROM feed FOR UPDATE;
      FOR e IN
        SELECT position, at, length(id) + length(body) AS size FROM event
        ORDER BY position LIMIT count_max
      LOOP
        EXIT WHEN f.newest - e.position < events_max AND f.byte_count <= bytes_max
          AND e.at >= now_ms() - milliseconds_max;
        f.byte_count := f.byte_count - e.size;
        last := e.position;
      END LOOP;
      DELETE FROM event WHERE position <= last;
      UPDATE feed SET byte_count = f.byte_count;
      RETURN true;
    END $$;
    """

  /// Stores a definition, unless it is stored already.
  private static let storeDefinition = """
    CREATE FUNCTION store_definition(id_ text, digest_ bytea, body_ bytea, logged boolean)
    RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO definition (session, digest, body, is_logged)
        SELECT number, digest_, body_, logged FROM session WHERE id = id_ AND ended_at IS NULL
        ON CONFLICT DO NOTHING;
      IF FOUND THEN
        UPDATE session SET byte_count = byte_count + length(body_) WHERE id = id_;
      ELSIF logged THEN
        UPDATE definition SET is_logged = true FROM session
          WHERE session.id = id_ AND definition.session = number AND digest = digest_;
      END IF;
      RETURN true;
    END $$;
    """

  /// Deletes entries that changed nothing, and replaces those whose only effect was the time by
  /// ticks. Returns the numbers of rows and bytes that were removed.
  private static let compact = """
    CREATE FUNCTION compact(
      number_ bigint, dropped bigint[], ticks bigint[], OUT rows_ bigint, OUT bytes_ bigint)
    LANGUAGE plpgsql AS $$
    DECLARE size bigint;
    BEGIN
      WITH gone AS (
        DELETE FROM entry WHERE session = number_ AND sequence = ANY (dropped)
        RETURNING length(body) AS size
      )
      SELECT count(*), coalesce(sum(gone.size), 0) INTO rows_, bytes_ FROM gone;
      SELECT coalesce(sum(length(body)), 0) INTO size FROM entry
        WHERE session = number_ AND sequence = ANY (ticks);
      bytes_ := bytes_ + size;
      WITH changed AS (
        UPDATE entry SET body = decode(
          substring(encode(substring(body FOR 32), 'escape') FROM '^\\{"at":-?[0-9]+')
            || ',"tick":true}', 'escape')
        WHERE session = number_ AND sequence = ANY (ticks)
        RETURNING length(body) AS size
      )
      SELECT bytes_ - coalesce(sum(changed.size), 0) INTO bytes_ FROM changed;
    END $$;
    """

  /// Deletes snapshots before the one from which the history is read, and the one before the newest
  /// if few entries are between its neighbours; see `SnapshotSpacing`. Returns the bytes that were
  /// removed.
  private static let prune = """
    CREATE FUNCTION prune(
      number_ bigint, newest bigint, rows_ bigint, revision_min bigint, rows_min bigint,
      spacing bigint)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
      base bigint;
      places bigint[];
      counts bigint[];
      total bigint := 0;
    BEGIN
      SELECT max(sequence) INTO base FROM snapshot WHERE session = number_
        AND (revision <= revision_min OR row_count <= rows_min OR replaces IS NOT NULL);
      WITH gone AS (
        DELETE FROM snapshot WHERE session = number_ AND sequence < base AND replaces IS NULL
        RETURNING length(body) AS size
      )
      SELECT coalesce(sum(gone.size), 0) INTO total FROM gone;
      SELECT array_agg(sequence), array_agg(row_count) INTO places, counts FROM (
        SELECT sequence, row_count FROM snapshot
        WHERE session = number_ AND sequence < newest AND sequence >= coalesce(base, 0)
        ORDER BY sequence DESC LIMIT 2) AS s;
      IF places[1] <> coalesce(base, 0) AND rows_ - coalesce(counts[2], 0) < spacing THEN
        WITH gone AS (
          DELETE FROM snapshot
          WHERE session = number_ AND sequence = places[1] AND replaces IS NULL
          RETURNING length(body) AS size
        )
        SELECT total + coalesce(sum(gone.size), 0) INTO total FROM gone;
      END IF;
      RETURN total;
    END $$;
    """

  static let all = [
    appendEvents, feedEvents, createSession, endSession, expireSession, trimFeed, storeDefinition,
    compact, prune, PostgresSnapshotFunction.all,
  ].joined(separator: "\n")
}
