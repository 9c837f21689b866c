/** SQL: the time of the database in Unix ms. The nodes' own clocks are not compared. */
export const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
