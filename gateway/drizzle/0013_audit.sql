CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`actor` text NOT NULL,
	`actor_kind` text NOT NULL,
	`session` text,
	`address` text,
	`action` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject` text NOT NULL,
	`before` text,
	`after` text,
	`request_id` text,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `audit_entries_changed` BEFORE UPDATE ON `audit_entries` BEGIN
	SELECT raise(ABORT, 'the audit trail is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_entries_removed` BEFORE DELETE ON `audit_entries` BEGIN
	SELECT raise(ABORT, 'the audit trail is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_entries_inserted` BEFORE INSERT ON `audit_entries`
WHEN new.`id` <= coalesce((SELECT max(`id`) FROM `audit_entries`), 0)
	OR new.`previous_hash` <> coalesce((SELECT `hash` FROM `audit_entries` ORDER BY `id` DESC LIMIT 1), '0000000000000000000000000000000000000000000000000000000000000000')
BEGIN
	SELECT raise(ABORT, 'the audit trail is append-only');
END;
