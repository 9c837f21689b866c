import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandName } from '../commands.ts'
import type { Round } from '../round.ts'
import { between, chance, pick } from '../world.ts'

const TRIES = 4
const MOMENT_MS_MAX = 2_500

/**
 * Runs a command until it succeeds, as an operator does. The first tries may be interrupted: the
 * command is killed, or the gateway is killed under it and started again.
 * @param argsOf of each try
 * @throws when it fails without an interruption
 */
export async function insist(
  round: Round,
  name: CommandName,
  argsOf: (at: number) => readonly string[],
): Promise<void> {
  for (let at = 1; at <= TRIES; at += 1) {
    const command = round.command(name, ...argsOf(at))
    const isInterrupted = at < TRIES && chance(round.random, 0.25)
    if (isInterrupted) await interrupt(round, command.kill)
    const { code, output } = await command.ended
    if (code === 0) return
    if (!isInterrupted) throw new Error(`${name} ended with ${code}: ${output}`)
  }
}

async function interrupt({ supervisor, random }: Round, killCommand: () => void): Promise<void> {
  await sleep(between(random, 0, MOMENT_MS_MAX))
  if (pick(random, ['command', 'gateway'] as const) === 'command') return killCommand()
  await supervisor.end('SIGKILL')
  await supervisor.start()
}
