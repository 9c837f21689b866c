CREATE TABLE `approvals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`action` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject` text NOT NULL,
	`before` text,
	`after` text,
	`basis` text NOT NULL,
	`request_sealed` text,
	`key_id` text,
	`requested_by` integer NOT NULL,
	`requested_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`state` text DEFAULT 'waiting' NOT NULL,
	`decided_by` text,
	`decided_at_ms` integer,
	`reason` text,
	FOREIGN KEY (`requested_by`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `approvals_state` ON `approvals` (`state`,`expires_at_ms`);--> statement-breakpoint
CREATE INDEX `approvals_requested_by` ON `approvals` (`requested_by`);