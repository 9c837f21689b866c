-- New keys count as a change too: lists of keys are kept in memory.
CREATE CONSTRAINT TRIGGER "api_keys_inserted" AFTER INSERT ON "api_keys" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_row_change"();
