import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TESTS = [
  '{gateway,gateway/paper-exchange,schema,scripts,console}/src/**/*.test.ts',
  '{gateway,scripts}/test/**/*.{ts,js}',
  'console/e2e/**/*.ts',
]
/** A shorter pause lies between two looks at something, or lets the event loop turn. */
const SHORT_MS = 100

/** How long a file waits at most where the length is drawn or computed. */
const COMPUTED = 'computed'
type Length = number | typeof COMPUTED

const BOTS = 'bots of the crash runs trade in real time with real processes'
const DRAWN = 'how long a fault lasts is drawn from the seed; the processes are real'
const NETWORK = 'the delay of a network is what its tests are about'

/**
 * The files that wait for real time, the longest wait in milliseconds, and why no event and no set
 * time (`gateway/test/support/set-time.ts`) can take its place.
 */
const WAITS: Readonly<Record<string, readonly [longestMs: Length, why: string]>> = {
  'console/e2e/checklist/session.spec.ts': [
    500,
    'a slow response: what the page shows in the meantime is looked at',
  ],
  'gateway/src/lane/pace.test.ts': [
    COMPUTED,
    'some tests pass fake timers, others wait some milliseconds',
  ],
  'gateway/src/limits/prices.test.ts': [
    COMPUTED,
    'a response that takes 0 to 20 ms, and fake timers',
  ],
  'gateway/src/orders/learn-fills.test.ts': [COMPUTED, 'a timer of its own that nothing waits for'],
  'gateway/src/orders/retrying-writer.test.ts': [100, 'a slow disk; fake timers set it'],
  'gateway/test/campaign/clients.ts': [
    1_000,
    'a gateway process that lacks its database: it is asked to sign somebody in again',
  ],
  'gateway/test/campaign/bot.ts': [COMPUTED, BOTS],
  'gateway/test/campaign/gateway.ts': [COMPUTED, 'a crash comes at a moment that the seed draws'],
  'gateway/test/campaign/trading.ts': [COMPUTED, BOTS],
  'gateway/test/cluster-crash/events.ts': [COMPUTED, DRAWN],
  'gateway/test/cluster-crash/group.ts': [150, 'between two looks at the health of real processes'],
  'gateway/test/cluster-crash/node.ts': [300, 'a process that ended starts again, as systemd does'],
  'gateway/test/cluster-crash/run.ts': [500, 'between two looks at the journal of real processes'],
  'gateway/test/crash/events.ts': [COMPUTED, DRAWN],
  'gateway/test/fuzz/targets/routes.ts': [
    60_000,
    'the longest that a response may take; nothing waits for it to pass',
  ],
  'gateway/test/key-expiry.test.ts': [
    COMPUTED,
    'after each step of a set clock the app gets some milliseconds',
  ],
  'gateway/test/postgres-failover.test.ts': [
    600,
    'a bot trades at the pace of the exchange, through real processes',
  ],
  'gateway/test/postgres-gateway.test.ts': [
    700,
    'a gateway that must send nothing: no event says so',
  ],
  'gateway/test/rotate-key.test.ts': [
    100,
    'between two requests of a bot while the keys are rotated',
  ],
  'gateway/test/store/journal-fence.test.ts': [
    COMPUTED,
    'writers begin up to 3 ms after each other',
  ],
  'gateway/test/support/database-proxy.ts': [
    300,
    'the database commits 300 ms after its connection was lost',
  ],
  'gateway/test/support/delaying-proxy.ts': [COMPUTED, NETWORK],
  'gateway/test/support/holding-proxy.ts': [COMPUTED, NETWORK],
  'gateway/test/support/set-time.ts': [
    COMPUTED,
    'pauses of 100 ms or less pass by themselves; the rest is patience',
  ],
  'gateway/test/version-skew.test.ts': [
    600,
    'a bot trades at a pace with processes of two releases',
  ],
  'scripts/test/ha-proxy.test.ts': [700, 'a bot trades at a pace through a real proxy'],
}

/** A call that waits, without those of a set time, of fake timers and of sockets. */
const WAIT = /(?<![\w#.])(?:page\.)?(sleep|realSleep|setTimeout|waitForTimeout)\(/g

test('only the files of the table wait for real time, and none longer than it says', () => {
  const found = TESTS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((path) => !path.includes('node_modules') && !path.endsWith('real-time.test.ts'))
    .flatMap((path) => {
      const longest = longestWait(readFileSync(`${ROOT}/${path}`, 'utf8'))
      return longest === undefined ? [] : [[path, longest] as const]
    })
  const table = Object.entries(WAITS).map(([path, [longest]]) => [path, longest] as const)
  const byPath = (list: readonly (readonly [string, unknown])[]) =>
    Object.fromEntries(list.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  expect(byPath(found)).toEqual(byPath(table))
})

test.each([
  ['await sleep(50)', undefined],
  ['await sleep(1_000)', 1_000],
  ['const PAUSE_MS = 400\nawait sleep(2 * PAUSE_MS)', 800],
  ['setTimeout(resolve, 100)', 100],
  ['setTimeout(() => { again(1, 2) }, 2_100)', 2_100],
  ['await page.waitForTimeout(300); await sleep(200)', 300],
  ['await sleep(between(random, 20, 80))', COMPUTED],
  ['await time.sleep(5_000); vi.setTimeout(done, 900)', undefined],
])('the longest wait of %j is %j', (source, longest) => {
  expect(longestWait(source)).toBe(longest)
})

/** Undefined: no wait of `SHORT_MS` or longer. */
function longestWait(text: string): Length | undefined {
  // A method of that name waits for nothing yet.
  const source = text.replaceAll(/^ *(async )?sleep\(.*\) \{$/gm, '')
  const waits = [...source.matchAll(WAIT)].map(({ index, 0: call }) =>
    lengthOf(argumentsAt(source, index + call.length), source),
  )
  if (waits.includes(COMPUTED)) return COMPUTED
  const long = waits.filter((ms) => ms !== COMPUTED && ms >= SHORT_MS) as number[]
  return long.length === 0 ? undefined : Math.max(...long)
}

/** The arguments of a call whose opening bracket ends at `start`. */
function argumentsAt(source: string, start: number): string[] {
  const found = ['']
  let depth = 0
  for (const char of source.slice(start)) {
    if (char === ')' && depth === 0) break
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
    if (char === ',' && depth === 0) found.push('')
    else found[found.length - 1] += char
  }
  return found.map((text) => text.trim())
}

/** Node's own timers have the length second, those of `node:timers/promises` first. */
function lengthOf([first = '', second]: string[], source: string): Length {
  const isCallback = /=>|^(resolve|done|next|tick|tooLate|index)$/.test(first)
  const text = isCallback ? (second ?? '0') : first
  const constant = (name: string) =>
    new RegExp(`\\bconst ${name} = ([\\d_]+)\\b`).exec(source)?.[1] ?? name
  const factors = text
    .split('*')
    .map((factor) => Number(constant(factor.trim()).replaceAll('_', '')))
  const ms = factors.reduce((product, factor) => product * factor, 1)
  return Number.isNaN(ms) ? COMPUTED : ms
}
