// What the thread loads that reads the log: `LogStore.thread` names the database. A server that has
// the database needs no thread: its statements do not take the event loop's time.
export { openLogReads } from './sqlite/open-log-reads.ts'
