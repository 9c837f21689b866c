import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { tempFolder } from './support/temp-folder.ts'

/** Everything that the database has on disk, including its write-ahead log. */
function bytesOn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
}

test('a copy of the database reveals no password, secret, key or token', async () => {
  const folder = tempFolder()
  const masterKey = randomBytes(32)
  const t = await testApp({
    env: {
      DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
      MASTER_KEY: masterKey.toString('base64'),
    },
  })
  const { app, asAdmin } = t
  const bot = await t.client('a-bot-to-find')
  await app.inject({
    method: 'POST',
    url: '/api/mx/v1/submitOrder',
    headers: bot.headers,
    payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  })
  for (const exchange of ['mx', 'bg'])
    await app.inject({
      method: 'POST',
      url: '/api/admin/test-credentials',
      headers: asAdmin,
      payload: { clientId: bot.clientId, exchange },
    })
  await app.inject({ url: '/api/logs', headers: asAdmin })

  const bytes = bytesOn(folder)
  expect(bytes.includes('a-bot-to-find')).toBe(true)
  const token = bot.headers.authorization.slice('Bearer '.length)
  const session = asAdmin.authorization.slice('Bearer '.length)
  const secrets = {
    password: ADMIN.password,
    'client secret': bot.clientSecret,
    'middle of the client secret': bot.clientSecret.slice(8, -4),
    token,
    'signature of the token': token.split('.')[2] ?? token,
    session,
    'signature of the session': session.split('.')[2] ?? session,
    'master key': masterKey.toString('base64'),
    ...Object.fromEntries(bot.keys.map((key, index) => [`exchange key part ${index}`, key])),
  }
  for (const [what, secret] of Object.entries(secrets)) {
    expect(bytes.includes(secret), what).toBe(false)
    expect(bytes.includes(Buffer.from(secret).toString('base64')), `${what}, base64`).toBe(false)
    expect(bytes.includes(Buffer.from(secret).toString('hex')), `${what}, hex`).toBe(false)
  }
  expect(bytes.includes(masterKey), 'master key, bytes').toBe(false)
})

test('only the owner of the process may read the database', async () => {
  const folder = tempFolder()
  await testApp({ env: { DATABASE_URL: `file:${join(folder, 'data', 'sluice.db')}` } })
  expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0)
  for (const name of readdirSync(join(folder, 'data')))
    expect(statSync(join(folder, 'data', name)).mode & 0o077, name).toBe(0)
})
