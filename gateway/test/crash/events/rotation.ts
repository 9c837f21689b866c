import { readFileSync } from 'node:fs'
import type { Round } from '../round.ts'
import { chance } from '../world.ts'
import { insist } from './insist.ts'

/** Rotates the master key while bots trade, and ends what the old one signed. */
export async function rotation(round: Round): Promise<void> {
  await round.supervisor.untilMoment()
  const [older] = keysOf(round)
  await insist(round, 'rotate-key', () => [])
  if (chance(round.random, 0.5)) await round.supervisor.untilMoment()
  await insist(round, 'rotate-key', () => ['--finish', '--end-tokens'])
  const keys = keysOf(round)
  if (keys.length !== 1 || keys[0] === older)
    round.report(
      `after a rotation the key file has ${keys.length} keys, the first ${keys[0] === older ? 'old' : 'new'}`,
    )
}

/** The lines of the key file. */
export const keysOf = ({ data }: Pick<Round, 'data'>): string[] =>
  readFileSync(data.seen('master.key'), 'utf8').trim().split('\n')
