import { afterEach, expect, test, vi } from 'vitest'
import type { ApiKeyRow } from '../store/api-key-store.ts'
import { systemTime } from '../time.ts'
import { ClientKeys } from './client-keys.ts'

afterEach(() => vi.useRealTimers())

const row: ApiKeyRow = {
  ...{ id: 5, clientRef: 7, exchange: 'mx', keyId: 'k', note: null, testStatus: 'success' },
  ...{ apiKeySealed: 'sealed key', apiSecretSealed: 'sealed secret', passphraseSealed: null },
  ...{
    ...{ testMessage: null, testedAtMs: null, accountKind: null, canWithdraw: null },
    expiresAtMs: null,
  },
  ...{ expiryReadAtMs: null, createdAtMs: 1, accountUid: null, accountRef: null },
}

function keysOf(current: () => ApiKeyRow) {
  const open = vi.fn((sealed: string) => `opened ${sealed}`)
  const apiKeys = {
    find: async () => current(),
    listSealedAfter: async () => [],
    setAccountKind: async () => {},
  }
  return { open, keys: new ClientKeys(apiKeys, { open }, systemTime) }
}

test('opened keys are used again for five seconds, and then opened again', async () => {
  vi.useFakeTimers()
  const { keys, open } = keysOf(() => row)
  const first = await keys.open(7, 'mx')
  expect(first.keys).toEqual({ apiKey: 'opened sealed key', apiSecret: 'opened sealed secret' })
  vi.advanceTimersByTime(4_999)
  expect((await keys.open(7, 'mx')).keys).toBe(first.keys)
  expect(open).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1)
  await keys.open(7, 'mx')
  expect(open).toHaveBeenCalledTimes(4)
})

test('keys that were sealed again are opened at once, and those of another row too', async () => {
  let current = row
  const { keys } = keysOf(() => current)
  await keys.open(7, 'mx')
  current = { ...row, apiSecretSealed: 'new secret' }
  expect((await keys.open(7, 'mx')).keys.apiSecret).toBe('opened new secret')
  current = { ...row, id: 6, apiKeySealed: 'other key' }
  expect(await keys.open(7, 'mx')).toMatchObject({ rowId: 6, keys: { apiKey: 'opened other key' } })
})
