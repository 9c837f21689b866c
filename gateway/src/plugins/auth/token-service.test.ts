import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createClientStore } from '../../store/client-store.ts'
import type { SecretStore } from '../../store/secret-store.ts'
import { createSecretStore } from '../../store/secret-store.ts'
import { createDatabase } from '../../store/sqlite/database.ts'
import { openStore } from '../../store/sqlite/open.ts'
import type { NewTokenRow } from '../../store/token-store.ts'
import { createTokenStore } from '../../store/token-store.ts'
import { createClientSecrets } from '../../vault/client-secret.ts'
import { createClientAccess } from './access.ts'
import { createSecretCheck, createTokenService } from './token-service.ts'

const ORIGIN = { address: '198.51.100.7', exchange: null, endpoint: '/auth/token' }
const nowMs = () => 1_000

/** The token service over a real database, and a client whose secret was rotated. */
async function setUp(
  beforeInsert: (secretStore: SecretStore, clientRef: number) => Promise<unknown>,
) {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const { db } = store
  const secrets = createClientSecrets({ key: createSecretKey(randomBytes(32)) })
  const [clients, tokenStore] = [
    createClientStore(createDatabase(db)),
    createTokenStore(createDatabase(db)),
  ]
  const secretStore = createSecretStore(createDatabase(db))
  const [old, current] = [secrets.make(), secrets.make()]
  const { id } = await clients.insert({
    ...{ clientId: 'grid-bot', description: null, createdAtMs: 0 },
    ...{ secretHash: old.hash, secretPreview: old.preview },
  })
  const next = { secretHash: current.hash, secretPreview: current.preview }
  await secretStore.rotate(id, next, 60_000, nowMs())
  const service = createTokenService({
    tokenStore: {
      findByJti: tokenStore.findByJti,
      async insert(row: NewTokenRow) {
        await beforeInsert(secretStore, id)
        await tokenStore.insert(row)
      },
    },
    findClient: createSecretCheck({ clients, secretStore, secrets, nowMs }),
    secretUses: { used: () => {} },
    tokens: {
      sign: async (_kind, { jti }) => jti,
      verify: () => {
        throw new Error('no token is used here')
      },
    },
    budget: { requireToken: async () => {}, takeToken: async () => {} },
    access: createClientAccess({ events: { emit: () => {} }, nowMs }),
    nowMs,
  })
  const issue = (clientSecret: string) =>
    service.issue({ clientId: 'grid-bot', clientSecret }, ORIGIN)
  return { issue, old, current }
}

test('a secret that ends while its token is stored gets none', async () => {
  const { issue, old, current } = await setUp((secrets, id) => secrets.endOld(id, nowMs()))
  await expect(issue(old.secret)).rejects.toMatchObject({ code: 'CLIENT_SECRET_INVALID' })
  expect((await issue(current.secret)).expiresInSeconds).toBe(600)
})

test('a secret that becomes the old one while its token is stored gets its token', async () => {
  const { issue, current } = await setUp((secrets, id) =>
    secrets.rotate(id, { secretHash: 'next', secretPreview: 'next' }, 60_000, nowMs()),
  )
  expect((await issue(current.secret)).expiresInSeconds).toBe(600)
})
