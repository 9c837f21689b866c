import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { findPostgres } from '../../../gateway/test/support/find-postgres.ts'
import { startCluster, stopCluster } from '../../../gateway/test/support/postgres-cluster.ts'
import { startStub } from './child.ts'
import { type Bench, type Figure, plainFigure, Rounds } from './figure.ts'
import { type LoadMaker, startLoadMaker } from './load.ts'
import { sluiceRequests } from './requests.ts'
import { type Sluice, startSluice } from './sluice.ts'

interface Size {
  readonly rounds: number
  readonly warmMs: number
  readonly ms: number
}
const WHOLE: Size = { rounds: 9, warmMs: 3000, ms: 3000 }
const SHORT: Size = { rounds: 1, warmMs: 200, ms: 200 }

/** So few that each order finds the gateway idle. */
const PER_SECOND = 20
const CONNECTIONS = 4

/** What an order may take longer than on SQLite. */
const ADDED_MS_MAX = 5

const NOT_INSTALLED =
  'PostgreSQL 15 or newer is not installed, so this part is left out: run "apt-get install postgresql" as root.'

/** What an order costs on PostgreSQL, beside SQLite on the same disk. One minute. */
export const postgres: Bench = async ({ print, isShort }) => {
  const binaries = findPostgres()
  if (binaries === undefined) {
    print(NOT_INSTALLED)
    return []
  }
  const [folder, folderOfServer] = [newFolder(), newFolder()]
  const stub = await startStub()
  const load = startLoadMaker()
  const gateways: Sluice[] = []
  try {
    const cluster = await startCluster({ binaries, folder: folderOfServer, isDurable: true })
    const options = { upstream: stub.url, folder }
    const start = async (env: Record<string, string>) => {
      const gateway = await startSluice({ ...options, env })
      gateways.push(gateway)
      return gateway
    }
    const sqlite = await start({})
    const server = await start({
      DATABASE_URL: cluster.url('postgres'),
      MASTER_KEY: randomBytes(32).toString('base64'),
    })
    return await measure({ sqlite, postgres: server }, load, isShort ? SHORT : WHOLE)
  } finally {
    await load.stop()
    for (const gateway of gateways) await gateway.stop()
    await stub.stop()
    await stopCluster(folderOfServer)
    for (const each of [folder, folderOfServer]) rmSync(each, { recursive: true, force: true })
  }
}

/** On the disk, and open to the user that the server runs as, which a home folder may not be. */
const newFolder = () => mkdtempSync('/var/tmp/sluice-bench-')

type On = 'sqlite' | 'postgres'

/** Both in each round, and each of them first in every second one. */
async function measure(
  gateways: Readonly<Record<On, Sluice>>,
  load: LoadMaker,
  size: Size,
): Promise<Figure[]> {
  const rounds = new Rounds()
  const requests = {
    sqlite: sluiceRequests(await gateways.sqlite.createClients()).order,
    postgres: sluiceRequests(await gateways.postgres.createClients()).order,
  }
  const run = (on: On, ms: number) =>
    load.run({
      ...{ origin: gateways[on].origin, requests: requests[on], connections: CONNECTIONS },
      ...{ ms, perSecond: PER_SECOND, status: 200 },
    })
  for (const on of ['sqlite', 'postgres'] as const) await run(on, size.warmMs)
  for (let round = 0; round < size.rounds; round += 1) {
    const turns: readonly On[] = round % 2 === 0 ? ['sqlite', 'postgres'] : ['postgres', 'sqlite']
    const found = new Map<On, Awaited<ReturnType<typeof run>>>()
    for (const on of turns) found.set(on, await run(on, size.ms))
    for (const part of ['p50', 'p99'] as const) {
      const [less, more] = [found.get('sqlite')?.[part], found.get('postgres')?.[part]]
      if (less === undefined || more === undefined) continue
      rounds.add(`sqlite ${part}`, less)
      rounds.add(`postgres ${part}`, more)
      rounds.add(`added ${part}`, more - less)
    }
  }
  return toFigures(rounds)
}

function toFigures(rounds: Rounds): Figure[] {
  const figure = (series: string, name: string) =>
    plainFigure(rounds, series, { name, unit: 'ms', better: 'lower' })
  return [
    figure('sqlite p50', 'Order on SQLite, p50'),
    figure('postgres p50', 'Order on PostgreSQL, p50'),
    {
      ...figure('added p50', 'PostgreSQL: added latency, p50'),
      bar: { limit: ADDED_MS_MAX, reached: rounds.median('added p50') },
    },
    figure('added p99', 'PostgreSQL: added latency, p99'),
  ]
}
