CREATE TABLE `admin_sessions` (
	`jti` text PRIMARY KEY NOT NULL,
	`admin_id` integer NOT NULL,
	`issued_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`revoked_at_ms` integer,
	FOREIGN KEY (`admin_id`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `admin_sessions_admin` ON `admin_sessions` (`admin_id`);--> statement-breakpoint
CREATE INDEX `admin_sessions_expires` ON `admin_sessions` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `admins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`disabled_at_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admins_email_unique` ON `admins` (lower("email"));--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`client_ref` integer NOT NULL,
	`exchange` text NOT NULL,
	`api_key_sealed` text NOT NULL,
	`api_secret_sealed` text NOT NULL,
	`passphrase_sealed` text,
	`key_id` text NOT NULL,
	`note` text,
	`test_status` text DEFAULT 'untested' NOT NULL,
	`test_message` text,
	`tested_at_ms` integer,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_client_exchange` ON `api_keys` (`client_ref`,`exchange`);--> statement-breakpoint
CREATE TABLE `client_tokens` (
	`jti` text PRIMARY KEY NOT NULL,
	`client_ref` integer NOT NULL,
	`issued_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`revoked_at_ms` integer,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `client_tokens_client` ON `client_tokens` (`client_ref`);--> statement-breakpoint
CREATE INDEX `client_tokens_expires` ON `client_tokens` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `clients` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`client_id` text NOT NULL,
	`description` text,
	`secret_hash` text NOT NULL,
	`secret_preview` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `clients_client_id_unique` ON `clients` (`client_id`);--> statement-breakpoint
CREATE TABLE `log_minutes` (
	`minute` integer NOT NULL,
	`client_key` integer NOT NULL,
	`client_ref` integer,
	`total` integer NOT NULL,
	`success` integer NOT NULL,
	`failed` integer NOT NULL,
	`response_ms_sum` integer NOT NULL,
	PRIMARY KEY(`minute`, `client_key`),
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `log_minutes_client` ON `log_minutes` (`client_ref`);--> statement-breakpoint
CREATE TABLE `request_logs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`method` text NOT NULL,
	`endpoint` text NOT NULL,
	`status_code` integer NOT NULL,
	`response_ms` integer NOT NULL,
	`queue_ms` integer NOT NULL,
	`upstream_ms` integer,
	`client_ref` integer,
	`client_id` text,
	`request_id` text NOT NULL,
	`exchange` text,
	`code` text,
	`shared` integer DEFAULT false NOT NULL,
	`note` text,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `request_logs_at` ON `request_logs` (`at_ms`);--> statement-breakpoint
CREATE INDEX `request_logs_client` ON `request_logs` (`client_ref`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
