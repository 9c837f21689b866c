ALTER TABLE `api_keys` ADD `expires_at_ms` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expiry_read_at_ms` integer;