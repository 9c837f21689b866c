CREATE TABLE `log_keys` (
	`kind` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`id` integer NOT NULL,
	PRIMARY KEY(`kind`, `at_ms`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `log_kinds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`endpoint` text NOT NULL,
	`client_id` text NOT NULL,
	`status_code` integer NOT NULL,
	`method` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `log_kinds_unique` ON `log_kinds` (`endpoint`,`client_id`,`status_code`,`method`);
--> statement-breakpoint
CREATE TRIGGER `log_keys_removed` AFTER DELETE ON `request_logs` BEGIN
	DELETE FROM `log_keys` WHERE `at_ms` = old.`at_ms` AND `id` = old.`id` AND `kind` = (
		SELECT `id` FROM `log_kinds` WHERE `endpoint` = old.`endpoint` AND `client_id` = coalesce(old.`client_id`, '')
			AND `status_code` = old.`status_code` AND `method` = old.`method`
	);
END;
