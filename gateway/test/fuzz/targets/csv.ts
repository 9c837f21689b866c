import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { LogEntry } from 'schema'
import { toAuditCsvLine } from '../../../src/plugins/audit/index.ts'
import { createCsvTimes, toCsvLine } from '../../../src/plugins/logs/log-output.ts'
import type { AuditRow } from '../../../src/store/audit-chain.ts'
import { hostileText } from '../hostile.ts'
import type { Target } from '../target.ts'

const FORMULAS = ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', ' =1', '"=1', '＝1', '|x', '%x']
const cell = fc.oneof(
  hostileText,
  fc.tuple(fc.constantFrom(...FORMULAS), hostileText).map((parts) => parts.join('')),
)

const input = fc.record({
  cells: fc.array(cell, { minLength: 7, maxLength: 7 }),
  atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'),
})

/** A file has one record for each row of the log or the audit trail, and no cell that runs. */
export const csv: Target = {
  name: 'csv',
  about: 'CSV files of the log and the audit trail: formulas, quotes, line ends',
  weight: 120,
  open: async () => ({
    property: fc.property(input, ({ cells, atMs, zone }) => {
      const [a = '', b = '', c = '', d = '', e = '', f = '', g = ''] = cells
      const timestamp = new Date(atMs).toISOString()
      const entry = { timestamp, method: a, endpoint: b, statusCode: 200, responseTime: 1 }
      // Only these fields are in the file.
      const line = toCsvLine({ ...entry, clientId: c } as LogEntry, timesIn(zone))
      check(line, [undefined, a, b, '200', '1', c])
      const row = {
        ...{ id: 1, atMs, actor: a, actorKind: 'admin', address: b, action: c, subjectKind: 'x' },
        ...{ subject: d, before: e, after: f, session: g, requestId: 'r', hash: 'h' },
      }
      const audit = toAuditCsvLine(row as unknown as AuditRow)
      check(audit, ['1', timestamp, a, 'admin', b, c, 'x', d, e, f, g, 'r', 'h'])
    }),
  }),
}

const zones = new Map<string, ReturnType<typeof createCsvTimes>>()

function timesIn(zone: string) {
  const times = zones.get(zone) ?? createCsvTimes(zone)
  zones.set(zone, times)
  return times
}

function check(line: string, wanted: readonly (string | undefined)[]): void {
  const records = parse(line)
  assert.equal(records.length, 1, `one row is several records: ${JSON.stringify(line)}`)
  const [cells = []] = records
  assert.equal(cells.length, wanted.length, `a cell is several: ${JSON.stringify(line)}`)
  for (const [at, cell] of cells.entries()) {
    assert.doesNotMatch(cell, /^[=+\-@\t\r]/, `a program runs the cell ${JSON.stringify(cell)}`)
    const text = wanted[at]
    if (text !== undefined) assert.ok(cell === text || cell === `'${text}`, `it says ${cell}`)
  }
}

/** RFC 4180, read strictly: a record ends only with CR LF outside of quotes. */
function parse(text: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      at += 1
      for (; at < text.length; at += 1) {
        if (text[at] !== '"') cell += text[at]
        else if (text[at + 1] === '"') {
          cell += '"'
          at += 1
        } else break
      }
      at += 1
    } else {
      const rest = /^[^",\r\n]*/.exec(text.slice(at))?.[0] ?? ''
      cell = rest
      at += rest.length
    }
    cells.push(cell)
    if (text[at] === ',') at += 1
    else {
      assert.equal(text.slice(at, at + 2), '\r\n', 'what follows a cell is neither comma nor end')
      at += 2
      records.push(cells)
      cells = []
    }
  }
  return records
}
