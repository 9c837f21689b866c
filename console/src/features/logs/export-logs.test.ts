import { type LogEntry, listLogs } from 'schema'
import { expect, test } from 'vitest'
import { exportFileName, writeLogsCsv, writeLogsJsonLines } from './export-logs.ts'
import { toLogLines } from './log-lines.ts'

const csvOf = (changes: Partial<LogEntry>[]) => {
  const [sample] = listLogs.sample.response
  return writeLogsCsv(toLogLines(changes.map((change) => ({ ...sample, ...change }))), 'utc')
}
const cellsOf = async (change: Partial<LogEntry>) =>
  (await csvOf([change])).split('\r\n').slice(1).join('\r\n')

test('the file begins with the header and has a line per entry', async () => {
  expect(await csvOf([{}])).toBe(
    '\ufeffTimestamp,Method,Endpoint,Status,Response Time,Client ID\r\n' +
      '2026-03-05 14:30:22,POST,/api/mx/v1/submitOrder,200,143,client_1772721022000_k3v9x2m4q\r\n',
  )
})

test('without entries there is the header only', async () => {
  expect(await csvOf([])).toBe('\ufeffTimestamp,Method,Endpoint,Status,Response Time,Client ID\r\n')
})

test('commas, quotes and line breaks are quoted', async () => {
  const cells = await cellsOf({ endpoint: '/a,b', clientId: 'say "hi"\r\nbye' })
  expect(cells).toBe('2026-03-05 14:30:22,POST,"/a,b",200,143,"say ""hi""\r\nbye"\r\n')
})

test.each(['=1+1', '+1', '-1', '@x', '\tx'])('%j does not run as a formula', async (clientId) => {
  expect(await cellsOf({ clientId })).toContain(`,'${clientId}\r\n`)
})

test('an unknown client and a broken time do not break the line', async () => {
  const cells = await cellsOf({ clientId: null, timestamp: 'never' })
  expect(cells).toBe('never,POST,/api/mx/v1/submitOrder,200,143,\r\n')
})

test('many lines are all there, in their order', async () => {
  const text = await csvOf(Array.from({ length: 12_001 }, (_, id) => ({ id, responseTime: id })))
  const times = text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[4])
  expect(times).toEqual(Array.from({ length: 12_001 }, (_, id) => `${id}`))
})

test('the file is named by prefix and date', () => {
  expect(exportFileName(Date.UTC(2026, 2, 5, 23, 59), 'utc', 'csv')).toBe(
    'gateway-logs-2026-03-05.csv',
  )
})

test('as JSON lines each entry is an object as the gateway sent it', async () => {
  const [sample] = listLogs.sample.response
  const entries = [1, 2, 3].map((id) => ({ ...sample, id, clientId: `line\nbreak ${id}` }))
  const text = await writeLogsJsonLines(toLogLines(entries))
  expect(text.endsWith('\n')).toBe(true)
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(entries)
  expect(await writeLogsJsonLines([])).toBe('')
})
