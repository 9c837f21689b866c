CREATE TABLE `admin_addresses` (
	`admin_id` integer NOT NULL,
	`address` text NOT NULL,
	`last_at_ms` integer NOT NULL,
	PRIMARY KEY(`admin_id`, `address`),
	FOREIGN KEY (`admin_id`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`admin_id` integer NOT NULL,
	`hash` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`used_at_ms` integer,
	FOREIGN KEY (`admin_id`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `recovery_codes_admin` ON `recovery_codes` (`admin_id`);--> statement-breakpoint
CREATE TABLE `second_factors` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`admin_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`confirmed_at_ms` integer,
	`last_used_at_ms` integer,
	`secret_sealed` text,
	`key_id` text,
	`last_step` integer,
	`credential_id` text,
	`public_key` text,
	`counter` integer,
	`transports` text,
	`rp_id` text,
	FOREIGN KEY (`admin_id`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `second_factors_admin` ON `second_factors` (`admin_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `second_factors_credential` ON `second_factors` (`credential_id`);--> statement-breakpoint
ALTER TABLE `admin_sessions` ADD `last_used_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `admin_sessions` ADD `device` text;--> statement-breakpoint
ALTER TABLE `admin_sessions` ADD `address` text;--> statement-breakpoint
ALTER TABLE `admin_sessions` ADD `confirmed_at_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `admin_sessions` ADD `factor` text DEFAULT 'password' NOT NULL;--> statement-breakpoint
ALTER TABLE `admins` ADD `role` text DEFAULT 'admin' NOT NULL;--> statement-breakpoint
-- When an older session was last used is not known: it counts as used now, not as left for hours.
UPDATE `admin_sessions` SET `last_used_at_ms` = unixepoch() * 1000;
