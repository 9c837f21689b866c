import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayEndedError } from '../gateway.ts'
import type { Round } from '../round.ts'
import { between, chance } from '../world.ts'

const START_MS_MAX = 600

/** Ends the gateway without warning, sometimes the next one while it starts. */
export async function kill({ supervisor, random }: Round): Promise<void> {
  await supervisor.untilMoment()
  await supervisor.end('SIGKILL')
  if (chance(random, 0.15)) {
    const starting = supervisor.start().catch(ignoreEnded)
    await sleep(between(random, 0, START_MS_MAX))
    await supervisor.end('SIGKILL')
    await starting
  }
  await supervisor.start()
}

/** @throws any other error */
export function ignoreEnded(error: unknown): void {
  if (!(error instanceof GatewayEndedError)) throw error
}
