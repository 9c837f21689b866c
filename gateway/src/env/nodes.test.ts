import { expect, test } from 'vitest'
import { NODES, nodeOf, nodeProblems } from './nodes.ts'
import { readVariables } from './variable.ts'

const POSTGRES = 'postgres://sluice@10.0.0.2/sluice'
const read = (env: Record<string, string>) => readVariables(NODES, env)

test('a node listens at the port of its address, on every interface or on the one of NODE_LISTEN', () => {
  expect(nodeOf(read({}).values)).toEqual({})
  const { values, problems } = read({ NODE_URL: 'https://10.0.0.5:3100/' })
  expect(problems).toEqual([])
  expect(nodeProblems(values, POSTGRES)).toEqual([])
  expect(nodeOf(values)).toEqual({
    node: { url: 'https://10.0.0.5:3100', listen: { host: '0.0.0.0', port: 3100 } },
  })
  const own = read({ NODE_URL: 'https://sluice-1.internal', NODE_LISTEN: '[fd00::5]:3100' })
  expect(nodeOf(own.values)).toEqual({
    node: { url: 'https://sluice-1.internal', listen: { host: 'fd00::5', port: 3100 } },
  })
})

test.each([
  ['NODE_URL', 'http://10.0.0.5:3100', 'an https address such as https://10.0.0.5:3100'],
  ['NODE_URL', '10.0.0.5:3100', 'an https address'],
  ['NODE_URL', 'https://10.0.0.5:3100/nodes', 'an https address'],
  ['NODE_URL', 'https://0.0.0.0:3100', 'an https address'],
  ['NODE_URL', 'https://10.0.0.5:0', 'an https address'],
  ['NODE_LISTEN', '3100', 'an address of this machine and a port'],
  ['NODE_LISTEN', 'sluice-1.internal:3100', 'an address of this machine and a port'],
  ['NODE_LISTEN', '10.0.0.5:99999', 'an address of this machine and a port'],
  ['NODE_LISTEN', '[10.0.0.5]:3100', 'an address of this machine and a port'],
])('%s="%s" is reported with the expected value', (name, found, expected) => {
  expect(read({ [name]: found }).problems).toEqual([
    expect.stringContaining(`${name} is "${found}"; it should be ${expected}`),
  ])
})

test('several gateways need PostgreSQL', () => {
  const { values } = read({ NODE_URL: 'https://10.0.0.5:3100' })
  expect(nodeProblems(values, 'file:./data/sluice.db')).toEqual([
    expect.stringContaining('NODE_URL is set, and DATABASE_URL is a file'),
  ])
  expect(nodeProblems(read({ NODE_LISTEN: '10.0.0.5:3100' }).values, POSTGRES)).toEqual([
    'NODE_URL is missing; NODE_LISTEN needs it',
  ])
})
