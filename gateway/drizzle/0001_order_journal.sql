CREATE TABLE `order_journal` (
	`id` text PRIMARY KEY NOT NULL,
	`client_ref` integer NOT NULL,
	`client_id` text NOT NULL,
	`exchange` text NOT NULL,
	`method` text NOT NULL,
	`endpoint` text NOT NULL,
	`fingerprint` text NOT NULL,
	`idempotency_key` text,
	`state` text NOT NULL,
	`trace` text,
	`client_order_id` text,
	`created_at_ms` integer NOT NULL,
	`sent_at_ms` integer,
	`settled_at_ms` integer,
	`lookups` integer DEFAULT 0 NOT NULL,
	`status_code` integer,
	`content_type` text,
	`body` text,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `order_journal_key` ON `order_journal` (`client_ref`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `order_journal_open` ON `order_journal` (`state`) WHERE state in ('queued', 'sent', 'unknown');--> statement-breakpoint
CREATE INDEX `order_journal_created` ON `order_journal` (`created_at_ms`);