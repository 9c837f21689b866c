import { setTimeout as sleep } from 'node:timers/promises'
import { healthReady } from 'schema'
import { GatewayEndedError } from '../gateway.ts'
import type { Round } from '../round.ts'
import { between, chance, pick } from '../world.ts'

const READY_WITHIN_MS = 30_000

/** Fills the disk of the gateway, sometimes ends the gateway meanwhile, and makes room again. */
export async function fullDisk(round: Round): Promise<void> {
  const { supervisor, random, metFullDisk, data } = round
  if (data.disk === undefined) return
  await supervisor.untilMoment()
  metFullDisk.add(supervisor.starts())
  data.disk.fill()
  await sleep(between(random, 0, 2_000))
  let isRunning = true
  if (chance(random, 0.5)) {
    await supervisor.end(pick(random, ['SIGKILL', 'SIGTERM']))
    isRunning = await startOnFullDisk(round)
    metFullDisk.add(supervisor.starts())
    await sleep(between(random, 0, 1_000))
  }
  data.disk.free()
  if (!isRunning) await supervisor.start()
  const reasons = await reasonsNotReady(await supervisor.url())
  if (reasons !== '') round.report(`not ready with room on the disk: ${reasons}`)
}

/** @returns false when it could not start, because the reserve is used up as well */
async function startOnFullDisk({ supervisor }: Round): Promise<boolean> {
  try {
    await supervisor.start()
    return true
  } catch (error) {
    if (error instanceof GatewayEndedError && /disk is full/.test(error.exit.stderr)) return false
    throw error
  }
}

/** Waits until the gateway is ready; what it says when it is not in time. */
async function reasonsNotReady(url: string): Promise<string> {
  const untilMs = performance.now() + READY_WITHIN_MS
  for (;;) {
    const response = await fetch(`${url}${healthReady.path}`)
    if (response.status === 200) return ''
    const text = await response.text()
    if (performance.now() > untilMs) return text
    await sleep(100)
  }
}
