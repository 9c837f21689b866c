import { readConfig } from 'gateway/config.ts'
import {
  finish,
  type Rotated,
  type RotationStep,
  rotate,
} from 'gateway/operations/rotation/rotate.ts'
import { counted, runCommand, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run rotate-key                            a new master key, or the rest of a rotation that was interrupted
  npm run rotate-key -- --finish                takes the old key away, once nothing needs it
  npm run rotate-key -- --finish --end-tokens   the same at once, when the old key has leaked

Works while the gateway runs. docs/operations/keys.md tells what happens.`

await runCommand({
  usage: USAGE,
  options: { finish: { type: 'boolean' }, 'end-tokens': { type: 'boolean' } },
  async run(values) {
    const endTokens = values['end-tokens'] === true
    if (endTokens && values.finish !== true) throw new UsageError()
    const common = { config: readConfig(process.env), nowMs: Date.now }
    if (values.finish === true) return end(await finish({ ...common, endTokens }))
    return tell(await rotate({ ...common, onStep: (step) => console.log(stepText(step)) }))
  },
})

function stepText(step: RotationStep): string {
  if (step.name === 'added')
    return `The new master key ${step.keyId} is in ${step.file}, behind the old one. Copy the file to where you keep the old one, apart from the database.`
  if (step.name === 'taken') return `At hand: the gateway can open what ${step.keyId} seals.`
  if (step.name === 'current') return `From now on ${step.keyId} seals and signs.`
  return `Sealed anew: ${step.done} of ${step.of}`
}

function tell({ isChanged, keyId, good, lost, olderKeyIds }: Rotated): number {
  const older = olderKeyIds.join(', ')
  console.log(
    isChanged
      ? `Verified: ${counted(good, 'exchange key')} and the key of the client secrets open with ${keyId} alone.`
      : `The last rotation is complete: everything opens with ${keyId} alone. The old key ${older} is still there.`,
  )
  if (lost > 0)
    console.log(
      `No key at hand opens ${counted(lost, 'exchange key')}. If you have the older master key, put it into the key file, before the others; otherwise save them again in the console, where they are marked.`,
    )
  if (olderKeyIds.length > 0)
    console.log(
      `${older} stays for the tokens that it signed. Take it away with: npm run rotate-key -- --finish
Backups made before open with the old key alone: keep it as long as you keep them.`,
    )
  return 0
}

function end({ keyId, removedKeyIds, file }: Awaited<ReturnType<typeof finish>>): number {
  const removed = removedKeyIds.join(', ')
  if (removedKeyIds.length === 0) console.log(`There is no old key: ${keyId} is the only one.`)
  else if (file === undefined)
    console.log(
      `Nothing needs ${removed} any more: take it out of MASTER_KEY and restart the gateway.`,
    )
  else console.log(`${removed} is gone from ${file}; ${keyId} is the only key there.`)
  return 0
}
