import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sharedApp } from './support/shared-app.ts'
import { tempFolder } from './support/temp-folder.ts'

const run = promisify(execFile)
const installed = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const OPENAPI_TYPESCRIPT = installed('node_modules/openapi-typescript/bin/cli.js')
const HEY_API = installed('node_modules/@hey-api/openapi-ts/bin/run.js')
const COMPILER = installed('../node_modules/typescript/bin/tsc')

const shared = sharedApp()

/** What the author of a bot writes with the types and the client; a wrong code is an error. */
const PROGRAM = `
import type { components, paths } from './types.ts'
import { mxSubmitOrder, type Limits, type MxSubmitOrder } from './client/index'

type Schemas = components['schemas']
export const order: MxSubmitOrder & Schemas['MxSubmitOrder'] =
  { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '60000' }
type Placed = paths['/api/mx/v1/submitOrder']['post']['responses']
export const expired: Placed[401]['content']['application/json']['code'] = 'TOKEN_EXPIRED'
// @ts-expect-error: no error has this code
export const unknown: Schemas['ErrorCode'] = 'NO_SUCH_CODE'
export const stateOf = (limits: Limits): Schemas['Limits']['state'] => limits.state

export async function place(): Promise<string> {
  const headers = { 'Idempotency-Key': 'order-1' }
  const { data, error } = await mxSubmitOrder({ body: order, headers })
  if (data !== undefined) return 'orderId' in data ? data.orderId : data.location
  return error.code
}
`

test('openapi-typescript and hey-api make types and clients of both descriptions, which compile', async () => {
  const folder = tempFolder()
  const made = (...parts: string[]) => join(folder, ...parts)
  for (const [url, name] of [
    ['/docs/json', 'bots'],
    ['/docs/admin/json', 'administrators'],
  ] as const)
    writeFileSync(made(`${name}.json`), (await shared().app.inject({ url })).body)
  const generate = (...args: string[]) => run(process.execPath, args, { cwd: folder })
  await Promise.all([
    generate(OPENAPI_TYPESCRIPT, 'bots.json', '-o', 'types.ts'),
    generate(OPENAPI_TYPESCRIPT, 'administrators.json', '-o', 'administrators.ts'),
    generate(HEY_API, '-i', 'bots.json', '-o', 'client'),
    generate(HEY_API, '-i', 'administrators.json', '-o', 'administrators'),
  ])
  writeFileSync(made('program.ts'), PROGRAM)
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'] },
    ...{ module: 'preserve', moduleResolution: 'bundler', allowImportingTsExtensions: true },
    types: [],
  }
  writeFileSync(made('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
  const compiled = await run(process.execPath, [COMPILER, '-p', folder]).catch(
    ({ stdout, message }: { stdout: string; message: string }) => ({ stdout: stdout || message }),
  )
  expect(compiled.stdout).toBe('')
})
