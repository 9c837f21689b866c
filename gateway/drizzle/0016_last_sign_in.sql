ALTER TABLE `admins` ADD `last_sign_in_at_ms` integer;--> statement-breakpoint
-- Sign-ins of before are in the audit trail.
UPDATE `admins` SET `last_sign_in_at_ms` = `last`.`at_ms` FROM (
	SELECT `subject`, max(`at_ms`) AS `at_ms` FROM `audit_entries` WHERE `action` = 'sign-in.succeeded' GROUP BY `subject`
) AS `last` WHERE `last`.`subject` = `admins`.`email`;
