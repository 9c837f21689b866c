import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Ownership, type OwnershipTimes } from '../src/nodes/ownership.ts'
import type { LockSession, OwnerLock } from '../src/store/node-store.ts'
import { openPostgres } from '../src/store/postgres/open.ts'
import { createOwnerLock } from '../src/store/postgres/owner-lock.ts'
import { systemTime, type Time } from '../src/time.ts'
import { eventually } from './support/eventually.ts'
import { findPostgres } from './support/find-postgres.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { startAgain, startCluster, stopCluster } from './support/postgres-cluster.ts'
import { createSetTime } from './support/set-time.ts'
import { startStallingNetwork } from './support/stalling-network.ts'
import { tempFolder } from './support/temp-folder.ts'

/**
 * The design promises 10 s for a takeover without the old owner's help, and 2 s for an owner that
 * leaves. Each test prints what it took; a busy machine takes longer.
 */
const TAKEOVER_MS = 60_000
const LEAVING_MS = 60_000

describe.skipIf(!hasPostgres)('one owner', () => {
  test('of two nodes on one database one becomes the owner, and the other knows which', async () => {
    const url = await createDatabase()
    const [one, other] = [node(url, 'one'), node(url, 'other')]
    await eventually(() => {
      const owners = [one, other].filter((each) => each.ownership.owner() === 'self')
      expect(owners).toHaveLength(1)
      const [second] = [one, other].filter((each) => !owners.includes(each))
      expect(second?.ownership.owner()).toEqual({
        ...{ fence: 1, nodeId: owners[0]?.name, url: owners[0]?.url },
      })
      expect(second?.ownership.maySend()).toBe(false)
    })
  })

  test('requests come to a new owner only once it has begun; one that cannot begin ends', async () => {
    const url = await createDatabase()
    const begun = Promise.withResolvers<void>()
    const one = node(url, 'one', { onOwner: () => begun.promise })
    await eventually(() => expect(one.ownership.maySend()).toBe(true))
    expect(one.ownership.owner()).toBeUndefined()
    begun.reject(new Error('the journal cannot be read'))
    await eventually(() => expect(one.lost).toHaveLength(1))
    expect(one.ownership.maySend()).toBe(false)
  })

  test('the owner sends for as long as its connection was asked a moment ago', async () => {
    const url = await createDatabase()
    const time = createSetTime()
    const one = node(url, 'one', { time, times: { askEveryMs: 3_600_000 } })
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    await time.advance(3_999)
    expect(one.ownership.maySend()).toBe(true)
    expect(one.ownership.fence()).toBe(1)
    await time.advance(1)
    expect(one.ownership.maySend()).toBe(false)
    expect(() => one.ownership.fence()).toThrow(
      expect.objectContaining({ code: 'NOT_OWNER', sent: false }),
    )
    expect(one.ownership.owner()).toBeUndefined()
    await one.ownership.refresh()
    expect(one.ownership.maySend()).toBe(true)
  })

  test('an owner that leaves is followed at once, and then knows who the next one is', async () => {
    const url = await createDatabase()
    const one = node(url, 'one')
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    const other = node(url, 'other')
    await eventually(() => expect(other.ownership.owner()).toMatchObject({ fence: 1 }))
    const startedAtMs = performance.now()
    await one.ownership.leave()
    expect(one.ownership.maySend()).toBe(false)
    expect(one.ownership.owner()).toBeUndefined()
    await eventually(() => expect(other.ownership.owner()).toBe('self'))
    report('leaving', performance.now() - startedAtMs, LEAVING_MS)
    await eventually(() =>
      expect(one.ownership.owner()).toEqual({ fence: 2, nodeId: 'other', url: other.url }),
    )
    expect(one.lost).toEqual([])
  })

  test('an owner whose session the server ends either continues under its number or ends', async () => {
    const url = await createDatabase()
    const itsLock = createOwnerLock(url)
    let mayConnect = Promise.resolve()
    const lock: OwnerLock = {
      async connect(onEnd) {
        await mayConnect
        return itsLock.connect(onEnd)
      },
    }
    const one = node(url, 'one', { lock })
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    const before = await holders(url)
    await terminate(url)
    await eventually(async () => {
      const now = await holders(url)
      expect(now).toHaveLength(1)
      expect(now).not.toEqual(before)
    })
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    expect(one.ownership.fence()).toBe(1)
    expect(one.begun).toEqual([1])

    // Another node takes the lock before the owner has connected again.
    const { promise, resolve: connectAgain } = Promise.withResolvers<void>()
    mayConnect = promise
    const session = await createOwnerLock(url).connect(() => {})
    onTestFinished(() => session.end())
    await terminate(url)
    await eventually(async () => expect(await session.tryLock()).toBe(true))
    expect(await session.becomeOwner({ nodeId: 'quick', nodeUrl: 'https://quick' })).toBe(2)
    connectAgain()
    await eventually(() => expect(one.lost).toHaveLength(1))
    expect(one.ownership.maySend()).toBe(false)
  })

  test('a database that says nothing for three seconds changes no owner, and ends no session', async () => {
    const direct = await createDatabase()
    const { url, proxy } = await startStallingNetwork(direct)
    const time = createSetTime()
    const one = node(url, 'one', { time })
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    const other = node(url, 'other', { time })
    await eventually(() => expect(other.ownership.owner()).toMatchObject({ fence: 1 }))
    const before = await holders(direct)
    proxy.cut()
    // Both ask, and get no answer.
    await time.advance(3_000)
    expect(one.ownership.maySend()).toBe(true)
    proxy.heal(true)
    await eventually(() => expect(time.waiting()).toHaveLength(2))
    await time.advance(2_000)
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    expect(await holders(direct)).toEqual(before)
    expect([one.ownership.fence(), one.lost, one.errors]).toEqual([1, [], []])
    expect([other.ownership.owner(), other.errors]).toMatchObject([{ fence: 1 }, []])
  })

  test('an owner that was not answered for longer than its lease sends nothing until it is again', async () => {
    const time = createSetTime()
    const asked: PromiseWithResolvers<void>[] = []
    const row = { fence: 1, nodeId: 'one', nodeUrl: 'https://one' }
    const session: LockSession = {
      ...{ tryLock: async () => true, becomeOwner: async () => 1 },
      async owner() {
        const answer = Promise.withResolvers<void>()
        asked.push(answer)
        if (!isOver) await answer.promise
        return row
      },
      ...{ release: async () => {}, end: async () => {} },
    }
    const lock = { connect: async () => session }
    const one = node('', 'one', { lock, time, times: { askEveryMs: 1 } })
    let isOver = false
    onTestFinished(() => {
      isOver = true
      asked.at(-1)?.resolve()
    })
    const answer = async (number: number) => {
      await eventually(() => expect(asked).toHaveLength(number))
      asked.at(-1)?.resolve()
    }
    await answer(1)
    await answer(2)
    await eventually(() => expect(asked).toHaveLength(3))
    expect(one.ownership.maySend()).toBe(true)
    await time.advance(4_500)
    expect(one.ownership.maySend()).toBe(false)
    // Asked at 0: the server may have ended the session by now.
    await answer(3)
    await eventually(() => expect(asked).toHaveLength(4))
    expect(one.ownership.maySend()).toBe(false)
    await answer(4)
    await eventually(() => expect(one.ownership.maySend()).toBe(true))
  })

  test('a database that cannot be reached is reported once, however often the node tries', async () => {
    const time = createSetTime()
    let tries = 0
    const lock = {
      async connect(): Promise<LockSession> {
        tries += 1
        throw new Error('refused')
      },
    }
    const one = node('', 'one', { lock, time })
    await time.advance(5_000)
    expect(tries).toBeGreaterThan(5)
    expect(one.errors).toHaveLength(1)
  })

  test('a killed owner is followed within a second or so', async () => {
    const url = await createDatabase()
    const owner = await ownerProcess(url)
    const other = node(url, 'other')
    await eventually(() => expect(other.ownership.owner()).toMatchObject({ fence: 1 }))
    const startedAtMs = performance.now()
    owner.child.kill('SIGKILL')
    await eventually(() => expect(other.ownership.owner()).toBe('self'))
    report('kill -9', performance.now() - startedAtMs, TAKEOVER_MS)
  })

  test('an owner that is halted is followed within ten seconds; it sends nothing when it wakes, and ends with 75', async () => {
    const url = await createDatabase()
    const owner = await ownerProcess(url)
    const other = node(url, 'other')
    await eventually(() => expect(other.ownership.owner()).toMatchObject({ fence: 1 }))
    const startedAtMs = performance.now()
    owner.child.kill('SIGSTOP')
    await eventually(() => expect(other.ownership.owner()).toBe('self'))
    report('SIGSTOP', performance.now() - startedAtMs, TAKEOVER_MS)
    const saidBefore = owner.lines.length
    const exited = once(owner.child, 'exit')
    const wokenAtMs = performance.now()
    owner.child.kill('SIGCONT')
    expect(await exited).toEqual([75, null])
    report('woken until ended', performance.now() - wokenAtMs, LEAVING_MS)
    expect(owner.lines.slice(saidBefore).filter((line) => line === 'may-send')).toEqual([])
  })

  test('after a restart of PostgreSQL the owner continues under its number, or another node follows', async () => {
    const binaries = findPostgres()
    if (binaries === undefined) throw new Error('PostgreSQL is not installed')
    const folder = tempFolder()
    const options = { binaries, folder, isDurable: true }
    const cluster = await startCluster(options)
    onTestFinished(() => stopCluster(folder))
    const url = cluster.url('postgres')
    await (await openPostgres(url)).close()
    const one = node(url, 'one')
    await eventually(() => expect(one.ownership.owner()).toBe('self'))
    const other = node(url, 'other')
    await eventually(() => expect(other.ownership.owner()).toMatchObject({ fence: 1 }))
    await stopCluster(folder)
    await eventually(() => expect(one.ownership.maySend()).toBe(false))
    expect(one.lost).toEqual([])
    const startedAtMs = performance.now()
    await startAgain(options, cluster.port)
    await eventually(() => {
      const isOne = one.ownership.owner() === 'self' && one.ownership.fence() === 1
      const isOther = other.ownership.owner() === 'self' && one.lost.length === 1
      expect(isOne !== isOther).toBe(true)
    })
    report('restart of PostgreSQL', performance.now() - startedAtMs, TAKEOVER_MS)
  })
})

interface NodeOptions {
  readonly lock?: OwnerLock
  readonly onOwner?: () => Promise<void>
  readonly time?: Time
  readonly times?: Partial<OwnershipTimes>
}

/** A node that tries to become the owner, until the test has finished. */
function node(database: string, name: string, options: NodeOptions = {}) {
  const { onOwner = async () => {}, time = systemTime, times } = options
  const url = `https://${name}`
  // The server ends a session that is idle for 5 s of real time, and set time may not pass.
  const idleMs = options.time === undefined ? undefined : 60_000
  const { lock = createOwnerLock(database, undefined, idleMs) } = options
  const errors: unknown[] = []
  const ownership = new Ownership({
    ...{ lock, time, times, onError: (error) => errors.push(error) },
    node: { nodeId: name, nodeUrl: url },
  })
  const begun: number[] = []
  const lost: Error[] = []
  ownership.start({
    onOwner(fence) {
      begun.push(fence)
      return onOwner()
    },
    onLost: (reason) => lost.push(reason),
  })
  onTestFinished(() => ownership.close())
  return { name, url, ownership, begun, lost, errors }
}

interface OwnerProcess {
  readonly child: ChildProcess
  readonly lines: string[]
}

/** A process that is the owner. */
async function ownerProcess(url: string): Promise<OwnerProcess> {
  const script = join(import.meta.dirname, 'support/owner-child.ts')
  const child = spawn(process.execPath, [script, url, 'https://child'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  child.stdout.on('data', (data: Buffer) => lines.push(...`${data}`.trim().split('\n')))
  await eventually(() => expect(lines).toContain('owner 1'))
  return { child, lines }
}

/** Ends the sessions that hold the owner's lock in a database. */
async function terminate(url: string): Promise<void> {
  await ofHolders(url, 'pg_terminate_backend(pid)')
}

/** The server's processes that hold the owner's lock in a database. */
async function holders(url: string): Promise<unknown[]> {
  return ofHolders(url, 'pid')
}

async function ofHolders(url: string, what: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    `select ${what} as value from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
  )
  await client.end()
  return rows.map(({ value }) => value)
}

/** Fails when it took too long, and says how long it took. */
function report(what: string, tookMs: number, mostMs: number): void {
  console.info(`${what}: ${Math.round(tookMs)} ms`)
  expect(tookMs).toBeLessThan(mostMs)
}
