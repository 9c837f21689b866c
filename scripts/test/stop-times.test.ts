import { readFileSync } from 'node:fs'
import { closeMs } from 'gateway/app.ts'
import { readConfig } from 'gateway/config.ts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

/*
 * How long a gateway gets to stop before it is killed. Each place that says it has the time after
 * which the gateway ends by itself, and this much more.
 */
const MORE_MS = 10_000

/** Seconds until a gateway with these settings may be killed. */
function stopSeconds(env: Record<string, string>): number {
  const config = readConfig(env)
  return (config.drainMs + closeMs(config) + MORE_MS) / 1_000
}

const IN_GROUP = { DATABASE_URL: 'postgres://db/sluice', NODE_URL: 'https://10.0.0.5:3100' }
const alone = stopSeconds({})
const { upstreamTimeoutMs, lane } = readConfig({})
/**
 * What comes to DRAIN_SECONDS and UPSTREAM_TIMEOUT_SECONDS, which counts twice in a group, and to
 * MAX_QUEUE_WAIT_SECONDS there.
 */
const more = {
  alone: alone - upstreamTimeoutMs / 1_000,
  inGroup: stopSeconds(IN_GROUP) - (2 * upstreamTimeoutMs + lane.maxQueueWaitMs) / 1_000,
}

test('a gateway of a group gets the time that what waits may wait at the next owner', () => {
  const [waits, waitsLonger] = ['180', '200'].map((MAX_QUEUE_WAIT_SECONDS) =>
    stopSeconds({ ...IN_GROUP, MAX_QUEUE_WAIT_SECONDS }),
  )
  expect(waitsLonger).toBe(Number(waits) + 20)
})

const read = (file: string) => readFileSync(file, 'utf8')
const found = (file: string, pattern: RegExp) =>
  [...read(file).matchAll(pattern)].map(([, seconds]) => Number(seconds))

interface Compose {
  readonly services: Readonly<
    Record<string, { stop_grace_period?: string; environment?: Record<string, string> }>
  >
}

test.each([
  ['compose.yaml', ['gateway'], {}],
  ['compose.demo.yaml', ['gateway'], {}],
  ['compose.ha.yaml', ['gateway-1', 'gateway-2'], IN_GROUP],
])('%s gives a gateway as much time to stop as it may take', (file, names, env) => {
  const { services }: Compose = parse(read(file), { merge: true })
  for (const name of names) {
    const { stop_grace_period, environment = {} } = services[name] ?? {}
    const { DRAIN_SECONDS = '0' } = environment
    expect(stop_grace_period).toBe(`${stopSeconds({ ...env, DRAIN_SECONDS })}s`)
  }
})

test('the chart gives it to a gateway of a group', () => {
  const formula =
    /add \.Values\.drainSeconds \.Values\.maxQueueWaitSeconds \(mul 2 \.Values\.upstreamTimeoutSeconds\) (\d+) \}\}/g
  expect(found('deploy/helm/sluice/templates/gateway.yaml', formula)).toEqual([more.inGroup])
})

test('systemd gives it to a gateway with the settings that the page on several gateways names', () => {
  const page = 'docs/operations/high-availability.md'
  const [DRAIN_SECONDS] = found(page, /^DRAIN_SECONDS=(\d+)$/gm)
  expect(DRAIN_SECONDS).toBeGreaterThan(0)
  const seconds = stopSeconds({ ...IN_GROUP, DRAIN_SECONDS: `${DRAIN_SECONDS}` })
  const unit = 'deploy/systemd/sluice.service'
  expect(found(unit, /^TimeoutStopSec=(\d+)$/gm)).toEqual([seconds])
  expect(found(unit, /DRAIN_SECONDS \((\d+)\)/g)).toEqual([DRAIN_SECONDS])
})

test('all that says how to raise it says the same', () => {
  for (const page of ['docs/operations/containers.md', 'docs/operations/systemd.md']) {
    const ofAlone = /(\d+) seconds more than `DRAIN_SECONDS` and `UPSTREAM_TIMEOUT_SECONDS`/g
    expect(found(page, ofAlone), page).toEqual([more.alone])
    const inGroup = /(\d+) seconds more than `DRAIN_SECONDS`, `MAX_QUEUE_WAIT_SECONDS` and twice/g
    expect(found(page, inGroup), page).toEqual([more.inGroup])
  }
  const sum = /MAX_QUEUE_WAIT_SECONDS \(180\) \+ 2 x UPSTREAM_TIMEOUT_SECONDS \(30\) \+ (\d+):/g
  for (const file of ['compose.ha.yaml', 'deploy/systemd/sluice.service'])
    expect(found(file, sum), file).toEqual([more.inGroup])
})
