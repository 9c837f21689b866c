import { readConfig } from 'gateway/config.ts'
import { finish, type Rotated, type RotationStep, rotate } from 'gateway/operations/rotate.ts'
import { command, counted, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run rotate-key                            switch to a new master key, or continue an interrupted rotation
  npm run rotate-key -- --finish                remove the old key once nothing needs it, and overwrite what it sealed
  npm run rotate-key -- --finish --end-tokens   remove it at once, if the old key has leaked
  --gone NODE                                   with either: do not wait for a gateway that is not seen and no longer runs

Works while the gateway is running. docs/operations/keys.md describes the steps.`

export const run = command({
  usage: USAGE,
  options: {
    finish: { type: 'boolean' },
    'end-tokens': { type: 'boolean' },
    gone: { type: 'string', multiple: true },
  },
  async run(values, _positionals, { env, console }) {
    const endTokens = values['end-tokens'] === true
    if (endTokens && values.finish !== true) throw new UsageError()
    const { gone = [] } = values
    const common = { config: readConfig(env), nowMs: Date.now, gone }
    const lines =
      values.finish === true
        ? endText(await finish({ ...common, endTokens }))
        : rotatedText(await rotate({ ...common, onStep: (step) => console.log(stepText(step)) }))
    console.log(lines.join('\n'))
    return 0
  },
})

type Finished = Awaited<ReturnType<typeof finish>>

function stepText(step: RotationStep): string {
  if (step.name === 'added')
    return `The new master key ${step.keyId} is in ${step.file}, after the old one. Copy the file to where you keep the old key, apart from the database.`
  if (step.name === 'taken') return `Loaded: the gateway can open what ${step.keyId} seals.`
  if (step.name === 'current') return `From now on ${step.keyId} seals and signs.`
  return `Sealed again: ${step.done} of ${step.of}`
}

function rotatedText({ isChanged, keyId, good, lost, olderKeyIds }: Rotated): string[] {
  const older = olderKeyIds.join(', ')
  return [
    isChanged
      ? `Verified: ${keyId} alone opens ${counted(good, 'stored secret')} and the key of the client secrets.`
      : `The last rotation is complete: ${keyId} alone opens everything. The old key ${older} is still there.`,
    ...(lost === 0
      ? []
      : [
          `No available key opens ${counted(lost, 'stored secret')}. If you have the older master key, put it into the key file, before the others; otherwise save these exchange keys again in the console, where they are marked, and let administrators whose app does not work add it again.`,
        ]),
    ...(olderKeyIds.length === 0
      ? []
      : [
          `${older} is kept for the tokens that it signed. Remove it with: npm run rotate-key -- --finish
Only the old key opens older backups: keep it as long as you keep them.`,
        ]),
  ]
}

function endText({ keyId, removedKeyIds, file, isErased }: Finished): string[] {
  const removed = removedKeyIds.join(', ')
  return [
    removedText(),
    isErased
      ? 'What older keys sealed is overwritten in the database and in its write-ahead log.'
      : 'PostgreSQL still has what older keys sealed: in its files until the next VACUUM of the tables, and in its write-ahead log, archives and backups (docs/operations/postgresql.md).',
  ]

  function removedText(): string {
    if (removedKeyIds.length === 0) return `There is no old key: ${keyId} is the only one.`
    if (file === undefined)
      return `Nothing needs ${removed} any longer: remove it from MASTER_KEY and restart the gateway.`
    return `${removed} was removed from ${file}; ${keyId} is its only key.`
  }
}

await runAsProcess(import.meta, run)
