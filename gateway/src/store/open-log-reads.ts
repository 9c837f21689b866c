// What the thread loads that reads the log: `LogStore.thread` names the database.
export { openLogReads } from './sqlite/open-log-reads.ts'
