-- Until now `trade` covered the settings of the account: who had it keeps them.
UPDATE `clients` SET `permissions` = replace(`permissions`, '"trade"', '"trade","settings"') WHERE `permissions` LIKE '%"trade"%';
