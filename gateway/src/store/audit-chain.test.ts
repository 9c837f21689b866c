import { expect, test } from 'vitest'
import { FIRST_PREVIOUS_HASH, hashOf } from './audit-chain.ts'

const ROW = {
  ...{ id: 7, atMs: 1_772_721_022_000, actor: 'ada@example.com', actorKind: 'admin' as const },
  ...{ session: 'jti-1', address: '203.0.113.7', action: 'client.created' },
  ...{ subjectKind: 'client', subject: 'grid-bot', before: null, after: '{"active":true}' },
  ...{ requestId: '0197f7a2-6f3a-7b1e-8c55-2f1f0c7e9a10', previousHash: FIRST_PREVIOUS_HASH },
} as const

// The SHA-256 of the row by the recipe of docs/operations/audit.md, made with another program.
test('the hash of an entry is that of the documented recipe', () => {
  expect(hashOf(ROW)).toBe('c7a7884967769a34af91d7cdc5e4cb7af1fa13c483bf611f03a436aac407f484')
})

test.each(Object.keys(ROW))('the hash covers %s', (column) => {
  expect(hashOf({ ...ROW, [column]: 'another' })).not.toBe(hashOf(ROW))
})
