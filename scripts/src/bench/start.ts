import { rmSync } from 'node:fs'
import { setTimeout as passing } from 'node:timers/promises'
import { processFacts, startStub } from './child.ts'
import { type Bench, type Figure, plainFigure, Rounds } from './figure.ts'
import { startLoadMaker } from './load.ts'
import { KINDS, sluiceRequests } from './requests.ts'
import { dataFolder, type Sluice, startSluice } from './sluice.ts'

interface Size {
  readonly rounds: number
  readonly restMs: number
  readonly loadMs: number
}
const WHOLE: Size = { rounds: 5, restMs: 2000, loadMs: 2000 }
const SHORT: Size = { rounds: 1, restMs: 0, loadMs: 100 }

const BARS = { startS: 1, restMb: 120, loadMb: 200 }

/** How long a start takes and how much memory the gateway needs. Half a minute. */
export const start: Bench = async ({ print, isShort }) => {
  const size = isShort ? SHORT : WHOLE
  const folder = dataFolder()
  const stub = await startStub()
  const options = { upstream: stub.url, folder }
  const rounds = new Rounds()
  try {
    print(`${size.rounds} starts with a database that is there, and a load after each.`)
    // The first start creates the database, the keys and the administrator.
    await (await startSluice(options)).stop()
    for (let round = 0; round < size.rounds; round += 1) {
      const sluice = await startSluice(options)
      try {
        await measure(sluice, size, rounds)
      } finally {
        await sluice.stop()
      }
    }
  } finally {
    await stub.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return startFigures(rounds)
}

async function measure(sluice: Sluice, size: Size, rounds: Rounds): Promise<void> {
  rounds.add('start', sluice.startMs / 1000)
  const started = processFacts(sluice.pid)
  if (started === undefined) return
  rounds.add('cpu', started.cpuMs / 1000)
  await passing(size.restMs)
  rounds.add('rest', processFacts(sluice.pid)?.memoryMb ?? Number.NaN)
  const requests = sluiceRequests(await sluice.createClients())
  const load = startLoadMaker()
  try {
    for (const kind of KINDS) {
      const { origin } = sluice
      const ms = size.loadMs
      await load.run({ origin, requests: requests[kind], connections: 64, ms, status: 200 })
    }
  } finally {
    await load.stop()
  }
  rounds.add('load', processFacts(sluice.pid)?.peakMb ?? Number.NaN)
}

function startFigures(rounds: Rounds): Figure[] {
  const figure = (series: string, name: string, unit: string, limit: number): Figure => ({
    ...plainFigure(rounds, series, { name, unit, better: 'lower' }),
    bar: { limit, reached: rounds.median(series) },
  })
  const figures = [figure('start', 'Start to ready', 's', BARS.startS)]
  if (!rounds.has('rest')) return figures
  return [
    ...figures,
    plainFigure(rounds, 'cpu', { name: 'Start to ready: CPU time', unit: 's', better: 'lower' }),
    figure('rest', 'Memory at rest', 'MB', BARS.restMb),
    figure('load', 'Memory under load', 'MB', BARS.loadMb),
  ]
}
