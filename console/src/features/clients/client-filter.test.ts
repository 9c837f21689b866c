import { expect, test } from 'vitest'
import { filterClients } from './client-filter.ts'

const clients = [
  {
    clientId: 'bot-10',
    description: 'Grid',
    isActive: true,
    createdAt: '2026-03-03T00:00:00.000Z',
  },
  { clientId: 'bot-9', description: null, isActive: false, createdAt: '2026-03-02T00:00:00.000Z' },
  { clientId: 'Arb', description: 'Both', isActive: true, createdAt: '2026-03-01T00:00:00.000Z' },
].map((client, index) => ({ ...client, id: 3 - index, secretPreview: '' }))

const idsOf = (filter: Partial<Parameters<typeof filterClients>[1]>) =>
  filterClients(clients, { search: '', state: '', sort: undefined, ...filter }).map(
    ({ clientId }) => clientId,
  )

test('search looks at id and description, whatever the case', () => {
  expect(idsOf({ search: 'BOT' })).toEqual(['bot-10', 'bot-9', 'Arb'])
  expect(idsOf({ search: ' grid ' })).toEqual(['bot-10'])
  expect(idsOf({ search: 'null' })).toEqual([])
})

test('the state narrows the list', () => {
  expect(idsOf({ state: 'active' })).toEqual(['bot-10', 'Arb'])
  expect(idsOf({ state: 'inactive' })).toEqual(['bot-9'])
})

test('created, id and state sort the list', () => {
  expect(idsOf({ sort: { by: 'created', isDescending: false } })).toEqual([
    'Arb',
    'bot-9',
    'bot-10',
  ])
  expect(idsOf({ sort: { by: 'id', isDescending: false } })).toEqual(['Arb', 'bot-9', 'bot-10'])
  expect(idsOf({ sort: { by: 'state', isDescending: true } })).toEqual(['bot-9', 'bot-10', 'Arb'])
})
