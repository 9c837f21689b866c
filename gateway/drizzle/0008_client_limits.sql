CREATE TABLE `heartbeats` (
	`client_ref` integer PRIMARY KEY NOT NULL,
	`ttl_ms` integer NOT NULL,
	`last_at_ms` integer NOT NULL,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `old_secrets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`client_ref` integer NOT NULL,
	`hash` text NOT NULL,
	`preview` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `old_secrets_client` ON `old_secrets` (`client_ref`);--> statement-breakpoint
CREATE TABLE `secret_uses` (
	`client_ref` integer NOT NULL,
	`preview` text NOT NULL,
	`used_at_ms` integer NOT NULL,
	`address` text NOT NULL,
	PRIMARY KEY(`client_ref`, `preview`),
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `stops` (
	`scope` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`cancel_orders` integer NOT NULL,
	`started_at_ms` integer NOT NULL,
	`completed_at_ms` integer,
	`resumed_at_ms` integer,
	`dropped` integer DEFAULT 0 NOT NULL,
	`in_flight` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	`failed` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `working_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`client_ref` integer NOT NULL,
	`exchange` text NOT NULL,
	`client_order_id` text,
	`order_id` text,
	`order_key` text NOT NULL,
	`keys_ref` integer,
	`placed_at_ms` integer NOT NULL,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `working_orders_client` ON `working_orders` (`client_ref`,`exchange`);--> statement-breakpoint
ALTER TABLE `clients` ADD `limits` text;--> statement-breakpoint
ALTER TABLE `clients` ADD `stopped_at_ms` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `stop_reason` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `value_micros` integer;