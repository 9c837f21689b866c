CREATE TABLE `listen_keys` (
	`hash` text PRIMARY KEY NOT NULL,
	`client_ref` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `listen_keys_client` ON `listen_keys` (`client_ref`);--> statement-breakpoint
CREATE INDEX `listen_keys_expires` ON `listen_keys` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `stream_events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`account_ref` integer NOT NULL,
	`owner_ref` integer,
	`type` text NOT NULL,
	`exchange` text NOT NULL,
	`market` text NOT NULL,
	`symbol` text,
	`time_ms` integer,
	`received_at_ms` integer NOT NULL,
	`source` text NOT NULL,
	`data` text NOT NULL,
	`key` text,
	`latest_of` text
);
--> statement-breakpoint
CREATE INDEX `stream_events_account` ON `stream_events` (`account_ref`,`seq`);--> statement-breakpoint
CREATE INDEX `stream_events_received` ON `stream_events` (`received_at_ms`);--> statement-breakpoint
CREATE INDEX `stream_events_latest` ON `stream_events` (`latest_of`) WHERE latest_of is not null;