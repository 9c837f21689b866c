import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { login } from 'schema'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { bakeSchema } from './bake-schema.ts'

// Whether a module was baked depended on its file name: the functions of most modules were missing
// from the browser, and values that JSON does not have were lost without a word.

const schema = fileURLToPath(import.meta.resolve('schema'))

/** Builds a page of `files` like the console's and returns what its `entry.ts` exports. */
async function built(files: Readonly<Record<string, string>>, contracts?: string) {
  const folder = tempFolder()
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const entry = join(folder, 'entry.ts')
  await build({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    plugins: [bakeSchema(contracts === undefined ? undefined : join(folder, contracts))],
    resolve: { alias: { schema } },
    build: { lib: { entry, formats: ['es'], fileName: () => 'entry.mjs' } },
  })
  return import(join(folder, 'dist', 'entry.mjs'))
}

test('a function of schema works in the browser', async () => {
  const { message } = await built({
    'entry.ts': `import { fieldMessage, NewClient } from 'schema'
export const message = fieldMessage(NewClient, 'clientId')`,
  })
  expect(message).toBe('Client ID is required')
})

test('a contract reaches the browser as the JSON that it declares, its response as an outline', async () => {
  const { contract, clients, perhaps } = await built({
    'entry.ts': `import { getClientStop, listClients, login } from 'schema'
export const contract = login, clients = listClients, perhaps = getClientStop.response`,
  })
  expect(contract).toEqual({ ...JSON.parse(JSON.stringify(login)), response: { type: 'object' } })
  expect(clients.response).toEqual({ type: 'array', items: { type: 'object' } })
  expect(clients.path).toBe('/api/admin/client-credentials')
  expect(clients).not.toHaveProperty('sample')
  expect(perhaps.anyOf).toContainEqual({ type: 'null' })
})

const uses = (exported: string) => ({
  'entry.ts': "import { value } from './contracts/one.ts'\nexport const used = value",
  'contracts/one.ts': `export const value = 1\n${exported}`,
})

test.each([
  ['export const twice = (n: number) => 2 * n', 'twice'],
  ['export const parts = { check: () => true }', 'parts.check'],
  ['export const since = new Date()', 'since'],
  ['export const most = [1, Infinity]', 'most.1'],
  ['export const none = [undefined]', 'none.0'],
])('a contract that cannot be baked stops the build: %s', async (exported, path) => {
  await expect(built(uses(exported), 'contracts')).rejects.toThrow(
    `schema/src/contracts/one.ts exports ${path}, which is not JSON`,
  )
})

test('a contract may leave a property undefined', async () => {
  const { used } = await built(uses('export const part = { absent: undefined }'), 'contracts')
  expect(used).toBe(1)
})

test('the schema library outside of the contracts stops the build', async () => {
  const page = { 'entry.ts': "import Type from 'typebox'\nexport const text = Type.String()" }
  await expect(built(page)).rejects.toThrow(/entry[.]ts imports typebox.*schema\/src\/contracts/)
})
