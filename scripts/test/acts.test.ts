import { globSync, readFileSync } from 'node:fs'
import { AUDIT_ACTIONS, catalogue, type Endpoint, passkeyOptions } from 'schema'
import { type ESTree, parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'

/** What a passkey has to sign is kept in memory, and changes nothing. */
const CHANGES_NOTHING: readonly string[] = [passkeyOptions.id]

const isChange = ({ id, access, method, path }: Endpoint) =>
  access === 'admin' &&
  method !== 'GET' &&
  path.startsWith('/api/admin/') &&
  !CHANGES_NOTHING.includes(id)
const changes = catalogue.filter(isChange).map(({ id }) => id)

/** The actions in the table of the page about the audit trail. */
const documented = new Set(
  readFileSync('docs/operations/audit.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => line.split('|')[1]?.match(/[a-z-]+\.[a-z-]+|sign-out/g) ?? []),
)

/** The acts of a source, each by its endpoint, and the entries that each declares. */
function actsIn(text: string): [endpoint: string, entries: readonly string[]][] {
  const acts: [string, readonly string[]][] = []
  new Visitor({
    CallExpression({ callee, arguments: [endpoint, options] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'act') return
      acts.push([endpoint?.type === 'Identifier' ? endpoint.name : '?', entriesIn(options)])
    },
  }).visit(parseSync('source.ts', text).program)
  return acts
}

function entriesIn(options: ESTree.Argument | undefined): readonly string[] {
  if (options?.type !== 'ObjectExpression') return []
  return options.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') return []
    if (property.key.name !== 'entries' || property.value.type !== 'ArrayExpression') return []
    return property.value.elements.map((each) =>
      each?.type === 'Literal' && typeof each.value === 'string' ? each.value : '?',
    )
  })
}

/** Why what these sources register is not one act, with who and with entry, for each change. */
function problemsOf(sources: readonly string[], ids: readonly string[] = changes): string[] {
  const acts = sources.flatMap(actsIn)
  return [
    ...ids
      .filter((id) => acts.filter(([endpoint]) => endpoint === id).length !== 1)
      .map((id) => `${id} is not one act`),
    ...acts
      .filter(([endpoint]) => !changes.includes(endpoint))
      .map(([endpoint]) => `${endpoint} does not say which administrators may change something`),
    ...acts
      .filter(([, entries]) => entries.length === 0)
      .map(([endpoint]) => `${endpoint} leaves no entry`),
    ...acts.flatMap(([endpoint, entries]) =>
      entries
        .filter((action) => !documented.has(action))
        .map((action) => `${endpoint}: docs/operations/audit.md does not have ${action}`),
    ),
  ]
}

test('what an administrator changes is an act, which says who may and what the audit trail has', () => {
  const files = globSync('gateway/src/plugins/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  expect(problemsOf(files.map((file) => readFileSync(file, 'utf8')))).toEqual([])
  expect(changes.length).toBeGreaterThan(30)
})

test('the page about the audit trail has each action that an entry can have, and no other', () => {
  expect([...documented].toSorted()).toEqual([...AUDIT_ACTIONS].toSorted())
})

const ACT = `act(deleteClient, { entries: ['client.deleted'], async run() {} })`

test.each([
  ['deleteClient is not one act', `app.route({ ...routeOf(deleteClient), handler })`],
  ['deleteClient is not one act', `const acts = [${ACT}, ${ACT}]`],
  ['deleteClient leaves no entry', `act(deleteClient, { async run() {} })`],
  ['deleteClient leaves no entry', `act(deleteClient, { entries: [], async run() {} })`],
  [
    'deleteClient: docs/operations/audit.md does not have client.erased',
    ACT.replace('client.deleted', 'client.erased'),
  ],
  [
    'getToken does not say which administrators may change something',
    `${ACT}\n${ACT.replace('deleteClient', 'getToken')}`,
  ],
])('%s: %s', (problem, source) => {
  expect(problemsOf([source], ['deleteClient'])).toEqual([problem])
  expect(problemsOf([ACT], ['deleteClient'])).toEqual([])
})
