extension SQLSchema {
  /// The tables of the inventories of shared definitions.
  static let inventory: Migration = { dialect in
    """
    CREATE TABLE inventory (
      -- Of the shared definition.
      name \(dialect.orderedText) PRIMARY KEY
        REFERENCES shared_definition (name) ON DELETE CASCADE,
      -- That of its last change.
      number bigint NOT NULL,
      -- When the last transaction was that counted in it.
      changed_at bigint NOT NULL,
      -- How many have joined the line.
      ordinal bigint NOT NULL,
      -- The last change after which some have another place in the line.
      line_number bigint NOT NULL,
      -- Changes up to this one are not known one by one.
      whole_number bigint NOT NULL,
      -- Claims that are not booked.
      open_count bigint NOT NULL,
      booked_count bigint NOT NULL
    )\(dialect == .postgres ? " WITH (fillfactor = 50)" : "");
    -- What sessions and the host have.
    CREATE TABLE inventory_claim (
      definition \(dialect.orderedText) NOT NULL REFERENCES inventory (name) ON DELETE CASCADE,
      -- Of the session, or the host's.
      id \(dialect.orderedText) NOT NULL,
      is_session boolean NOT NULL,
      -- NULL: it had something.
      state text,
      keys text,
      units bigint,
      -- Units times keys.
      weight bigint,
      holder text,
      begun_at bigint,
      ends_at bigint,
      -- The position in the line.
      ordinal bigint,
      is_over boolean NOT NULL,
      -- The change that has made it so.
      number bigint NOT NULL,
      PRIMARY KEY (definition, id, is_session)
    );
    CREATE INDEX inventory_claim_number ON inventory_claim (definition, number);
    CREATE INDEX inventory_claim_end ON inventory_claim (definition, ends_at)
      WHERE ends_at IS NOT NULL;
    CREATE INDEX inventory_claim_holder ON inventory_claim (definition, holder, weight)
      WHERE holder IS NOT NULL AND state <> 'booked';
    CREATE INDEX inventory_claim_line ON inventory_claim (definition, ordinal)
      WHERE ordinal IS NOT NULL;
    CREATE INDEX inventory_claim_booked ON inventory_claim (definition, id)
      WHERE state = 'booked';
    -- The keys of a claim.
    CREATE TABLE inventory_unit (
      definition \(dialect.orderedText) NOT NULL REFERENCES inventory (name) ON DELETE CASCADE,
      key \(dialect.orderedText) NOT NULL,
      id \(dialect.orderedText) NOT NULL,
      is_session boolean NOT NULL,
      is_booked boolean NOT NULL,
      units bigint NOT NULL,
      ends_at bigint,
      ordinal bigint,
      -- The same for all who wait for the same units of the same keys.
      wish \(dialect.orderedText),
      PRIMARY KEY (definition, key, id, is_session)
    );
    CREATE INDEX inventory_unit_end ON inventory_unit (definition, key, ends_at)
      WHERE ends_at IS NOT NULL;
    CREATE INDEX inventory_unit_line ON inventory_unit (definition, key, ordinal)
      WHERE ordinal IS NOT NULL;
    CREATE INDEX inventory_unit_wish ON inventory_unit (definition, key, wish, ordinal)
      WHERE ordinal IS NOT NULL;
    CREATE INDEX inventory_unit_booked ON inventory_unit (definition, key, id)
      WHERE is_booked;
    -- What is taken of the keys.
    CREATE TABLE inventory_key (
      definition \(dialect.orderedText) NOT NULL REFERENCES inventory (name) ON DELETE CASCADE,
      key \(dialect.orderedText) NOT NULL,
      booked bigint NOT NULL,
      held bigint NOT NULL,
      offered bigint NOT NULL,
      waiting bigint NOT NULL,
      -- The position of the first in the line who wants more than is free.
      kept_since bigint,
      number bigint NOT NULL,
      PRIMARY KEY (definition, key)
    );
    CREATE INDEX inventory_key_number ON inventory_key (definition, number);
    """
  }
}
