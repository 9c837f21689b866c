DROP TRIGGER `log_keys_removed`;
--> statement-breakpoint
DELETE FROM `log_keys`;
--> statement-breakpoint
DROP TABLE `log_kinds`;
--> statement-breakpoint
CREATE TABLE `log_kinds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`endpoint` text NOT NULL,
	`client_id` text NOT NULL,
	`status_code` integer NOT NULL,
	`method` text NOT NULL,
	`code` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `log_kinds_unique` ON `log_kinds` (`endpoint`,`client_id`,`status_code`,`method`,`code`);
--> statement-breakpoint
CREATE TRIGGER `log_keys_removed` AFTER DELETE ON `request_logs` BEGIN
	DELETE FROM `log_keys` WHERE `at_ms` = old.`at_ms` AND `id` = old.`id` AND `kind` = (
		SELECT `id` FROM `log_kinds` WHERE `endpoint` = old.`endpoint` AND `client_id` = coalesce(old.`client_id`, '')
			AND `status_code` = old.`status_code` AND `method` = old.`method` AND `code` = coalesce(old.`code`, '')
	);
END;
--> statement-breakpoint
DELETE FROM `settings` WHERE `name` = 'log_index';
--> statement-breakpoint
ALTER TABLE `log_minutes` ADD `timed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `log_minutes` ADD `queue_ms_sum` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `log_minutes` ADD `sent` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `log_minutes` ADD `upstream_ms_sum` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `request_logs_note` ON `request_logs` (`at_ms`,`note`) WHERE "request_logs"."note" is not null;