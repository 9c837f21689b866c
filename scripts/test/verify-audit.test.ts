import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportAudit, getAuditKey, updateClient } from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, type TestApp, testApp } from '../../gateway/test/app.ts'
import { createPerson } from '../../gateway/test/support/person.ts'
import { shared } from '../../gateway/test/support/shared-app.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { report, verifyBundle } from '../src/verify-audit.ts'

const MASTER_KEY = randomBytes(32).toString('base64')

async function exported(t: TestApp, query: { from?: number; to?: number } = {}) {
  const { text, status } = await t.call(exportAudit, { query: { ...query, format: 'signed' } })
  expect(status, text).toBe(200)
  return text
}

/** A gateway, a real bundle of its trail, and what somebody noted before. */
const world = shared(async (onEnd) => {
  const t = await testApp({ onEnd, env: { MASTER_KEY } })
  // A text with separators that are no end of a line.
  const bot = await t.client('grid-bot')
  const description = 'one\u2028two\u0085three'
  await t.call(updateClient, { params: { id: bot.id }, body: { description } })
  const text = await exported(t)
  const lines = text.trimEnd().split('\n')
  return { t, bot, text, entries: lines.slice(0, -2), manifest: lines.at(-2) ?? '', ...{ lines } }
})

const keyOf = async (t: TestApp) => (await t.call(getAuditKey)).body.key
const hashOf = (line: string) => createHash('sha256').update(line).digest('hex')

async function verdictOf(text: string, key?: string, heads?: ReadonlyMap<number, string>) {
  // In pieces that end within lines and within characters.
  const bytes = Buffer.from(text)
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 1_009) yield bytes.subarray(at, at + 1_009)
  }
  return report(await verifyBundle(pieces(), { key, ...(heads && { heads }) }), key)
}

test('a bundle has every entry, its own too, and is proved whole by its key alone', async () => {
  const { t, text, bot, entries } = world()
  const key = await keyOf(t)
  const verdict = await verdictOf(text, key)
  expect(verdict).toMatchObject({ code: 0 })
  expect(verdict.text).toContain(`${entries.length} entries, 1 to ${entries.length}`)
  const own = JSON.parse(entries.at(-1) ?? '')
  expect([own[2], own[6]]).toEqual([ADMIN.email, 'audit.exported'])
  expect(verdict.text).toContain(
    `The last entry of it is ${own[0]}:${hashOf(entries.at(-1) ?? '')}`,
  )
  for (const secret of [MASTER_KEY, bot.clientSecret, ...bot.keys])
    expect(text).not.toContain(secret)
  // Who signed it is not known without a key from elsewhere.
  expect(await verdictOf(text)).toMatchObject({ code: 2, text: expect.stringContaining(key) })
})

type Lines = readonly string[]
const without = (lines: Lines, at: number, count = 1) => lines.toSpliced(at, count)
const swapped = (lines: Lines, at: number) =>
  lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? '')
const edited = (lines: Lines, at: number, from: string | RegExp, to: string) => {
  const line = lines.at(at) ?? ''
  expect(line).toMatch(from)
  return lines.with(at, line.replace(from, to))
}
/** All hashes after a change are made anew, as somebody does who knows how the chain is made. */
function chained(lines: Lines, from: number): string[] {
  const made = [...lines]
  for (let at = from; at < made.length - 2; at += 1) {
    const columns = JSON.parse(made[at] ?? '')
    columns[0] = JSON.parse(made[at - 1] ?? '')[0] + 1
    columns[12] = hashOf(made[at - 1] ?? '')
    made[at] = JSON.stringify(columns)
  }
  return made
}

const FORGERIES: readonly [what: string, forge: (lines: Lines) => Lines, says: RegExp][] = [
  ['an entry changed', (l) => edited(l, 2, 'grid-bot', 'grib-bot'), /entry 3 was changed/],
  ['white space in an entry', (l) => edited(l, 2, ',', ', '), /entry 3 was changed/],
  ['the first entry changed', (l) => edited(l, 0, 'admin', 'nobody'), /entry 1 was changed/],
  ['the last entry changed', (l) => edited(l, -3, 'admin@', 'adam@'), /entry \d+ was changed/],
  ['an entry removed', (l) => without(l, 2), /entries 3 to 3 are missing/],
  ['the first entry removed', (l) => without(l, 0), /begins with entry 1, and the file with 2/],
  ['the last entry removed', (l) => without(l, l.length - 3), /ends with entry/],
  ['all entries removed', (l) => l.slice(-2), /begins with entry 1/],
  ['an entry repeated', (l) => l.toSpliced(2, 0, l[2] ?? ''), /entry 3 comes after the entry 3/],
  ['an entry added', (l) => l.toSpliced(2, 0, l[3] ?? ''), /entries 3 to 3 are missing/],
  ['two entries swapped', (l) => swapped(l, 2), /entries 3 to 3 are missing/],
  ['a line that is no entry', (l) => l.toSpliced(2, 0, '[]'), /Line 3 cannot be read/],
  [
    'an entry changed, and the chain made anew',
    (l) => chained(edited(l, 2, 'grid-bot', 'grib-bot'), 3),
    /entry \d+ was changed/,
  ],
  [
    'an entry removed, and the chain made anew',
    (l) => chained(without(l, 2), 2),
    /The bundle ends with/,
  ],
  [
    'another chain, and the number of it in the signed line',
    (l) => edited(chained(without(l, 2), 2), -2, /"last":\{"id":\d+/, '"last":{"id":1'),
    /line before the signature was changed/,
  ],
  ['the time of the bundle', (l) => edited(l, -2, /"madeAt":"2/, '"madeAt":"1'), /was changed/],
  ['the signature', (l) => edited(l, -1, /:"./, ':"'), /has no signature/],
  ['no signature', (l) => l.slice(0, -1), /has no signature/],
  ['a cut end', (l) => l.slice(0, -2), /has no signature/],
  ['half a line', (l) => [...l.slice(0, 4), l[4]?.slice(0, 40) ?? ''], /Line 5 cannot be read/],
  ['lines after the signature', (l) => [...l, l[0] ?? ''], /lines after the signature/],
  ['an empty file', () => [], /has no signature/],
  ['another file', () => ['{"a":1}', 'b'], /does not say what this bundle is/],
]

test.each(FORGERIES)('the check finds %s', async (_, forge, says) => {
  const { t, lines } = world()
  const key = await keyOf(t)
  const forged = forge(lines)
  const text = forged.map((line) => `${line}\n`).join('')
  expect(await verdictOf(text, key)).toEqual({ code: 1, text: expect.stringMatching(says) })
})

test('no byte of a bundle can be another one, and no end can be missing', async () => {
  const { t, text } = world()
  const key = await keyOf(t)
  const bytes = Buffer.from(text)
  const changed = async (forged: Buffer) => {
    const pieces = async function* () {
      yield forged
    }
    return report(await verifyBundle(pieces(), { key }), key).code
  }
  for (let at = 0; at < bytes.length - 1; at += 23) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    expect([at, await changed(flipped), await changed(bytes.subarray(0, at))]).toEqual([at, 1, 1])
  }
})

test('the check finds the bundle of another gateway, and entries that were seen and are gone', async () => {
  const { t, text, entries } = world()
  // With the same master key.
  const other = await testApp({ env: { MASTER_KEY } })
  const key = await keyOf(t)
  expect(await verdictOf(await exported(other), key)).toMatchObject({
    ...{ code: 1, text: expect.stringContaining('signed with another key') },
  })
  const seen = (id: number, hash: string) => verdictOf(text, key, new Map([[id, hash]]))
  expect(await seen(2, hashOf(entries[1] ?? ''))).toMatchObject({ code: 0 })
  expect(await seen(2, hashOf('another entry'))).toMatchObject({
    ...{ code: 1, text: expect.stringContaining('entry 2 is not the one that was seen') },
  })
  expect(await seen(999, hashOf('later'))).toMatchObject({
    ...{ code: 2, text: expect.stringContaining('entries 999 are not of the time') },
  })
})

test('a time is exported whole by anybody who reads the trail, and nothing else narrows it', async () => {
  const { t, entries } = world()
  const key = await keyOf(t)
  const viewer = await createPerson(t, 'viewer', 'viewer@sluice.test')
  const [from, to] = [JSON.parse(entries[1] ?? '')[1], JSON.parse(entries.at(-1) ?? '')[1] + 1]
  const part = await t.call(exportAudit, { query: { format: 'signed', from, to } }, viewer)
  expect(await verdictOf(part.text, key)).toMatchObject({ code: 0 })
  expect(part.headers['content-disposition']).toMatch(/audit-[\d-]{10}\.signed\.jsonl"$/)
  const none = await exported(t, { from: to + 3_600_000, to: to + 3_600_001 })
  expect(await verdictOf(none, key)).toEqual({
    ...{ code: 0, text: expect.stringContaining('no entry is of this time') },
  })
  const refused = await t.call(exportAudit, { query: { format: 'signed', actor: 'ada' } })
  expect(refused).toMatchObject({ status: 400, body: { code: 'AUDIT_BUNDLE_FILTERED' } })
  // One millisecond more is no time, and could not be written into the bundle.
  for (const [to, status] of [
    [8.64e15, 200],
    [8.64e15 + 1, 400],
  ] as const)
    expect(await t.call(exportAudit, { query: { format: 'signed', to } })).toMatchObject({ status })
})

test('a line that no gateway writes is not read to its end, and does not turn or control the terminal', async () => {
  let pieces = 0
  async function* endless() {
    for (; pieces < 100; pieces += 1) yield Buffer.alloc(1024 * 1024, '["a')
  }
  expect(report(await verifyBundle(endless(), {}), undefined).text).toMatch(/^NOT PROVED\nLine 1 /)
  expect(pieces).toBeLessThan(20)

  const manifest = { bundle: 'sluice-audit-trail', version: 1, key: '\u202ea\u001b[2J\u2066' }
  const { text } = await verdictOf(`${JSON.stringify(manifest)}\n{}\n`, 'another')
  expect(text).toContain('another key, ?a?[2J?:')
})

test('a copy of the one file checks a bundle, and its exit code says the same', async () => {
  const { t, text, lines } = world()
  const folder = tempFolder()
  const script = join(folder, 'verify-audit.ts')
  copyFileSync('scripts/src/verify-audit.ts', script)
  writeFileSync(join(folder, 'whole.jsonl'), text)
  writeFileSync(join(folder, 'cut.jsonl'), lines.slice(1).join('\n'))
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      ...{ cwd: folder, encoding: 'utf8' },
    })
    return [status, `${stdout}${stderr}`] as const
  }
  // Not in two words: one of 64 keys begins with a dash.
  const key = [`--key=${await keyOf(t)}`]
  expect(run('whole.jsonl', ...key)).toEqual([
    0,
    expect.stringMatching(/^Whole: .*\n[\s\S]*that you gave\.\n$/),
  ])
  expect(run('cut.jsonl', ...key)).toEqual([1, expect.stringMatching(/^NOT PROVED\n/)])
  expect(run('missing.jsonl', ...key)).toEqual([2, expect.stringContaining('ENOENT')])
})
