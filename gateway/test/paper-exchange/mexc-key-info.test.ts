import { expect, test } from 'vitest'
import { control, mexcKeys, mexcSpot, paperExchange } from './paper.ts'

const DAY_MS = 86_400_000
const ask = (paper: Parameters<typeof mexcSpot>[0], accessKey: string, nowMs = Date.now()) =>
  mexcSpot(paper, 'GET', '/apiKeyInfo', { accessKey }, { nowMs })

test('MEXC says what a key may do, and for how long', async () => {
  let nowMs = Date.UTC(2026, 8, 14, 18, 53, 36)
  const paper = await paperExchange({ nowMs: () => nowMs })
  nowMs += 8.5 * DAY_MS
  const info = await ask(paper, mexcKeys.apiKey, nowMs)
  expect(info).toMatchObject({ status: 200 })
  expect(info.json).toEqual({
    note: 'mexc',
    accessKey: mexcKeys.apiKey,
    createTime: '2026-09-14T18:53:36.000+00:00',
    permissions:
      'SPOT_ACCOUNT_READ,SPOT_DEAL_READ,CONTRACT_ACCOUNT_READ,CONTRACT_DEAL_READ,SPOT_DEAL_WRITE,CONTRACT_DEAL_WRITE',
    remainingValidity: 82,
    ipWhiteList: '',
    status: 'VALID',
  })
  expect(JSON.stringify(paper.received())).not.toContain(mexcKeys.apiKey)
})

test('MEXC says nothing about another key, and nothing without one', async () => {
  const paper = await paperExchange()
  expect(await ask(paper, 'another')).toMatchObject({ status: 400, json: { code: 10072 } })
  const unnamed = await mexcSpot(paper, 'GET', '/apiKeyInfo')
  expect(unnamed).toMatchObject({ status: 400, json: { code: 700004 } })
})

test('how many days a key of MEXC has left can be set, when it is made and later', async () => {
  const keys = { apiKey: 'short', apiSecret: 'secret' }
  const paper = await paperExchange({
    accounts: [{ exchange: 'mx', name: 'short', ...keys, keyDaysLeft: 5 }],
  })
  const left = async () =>
    (await mexcSpot(paper, 'GET', '/apiKeyInfo', { accessKey: 'short' }, { keys })).json
      .remainingValidity
  expect(await left()).toBe(5)
  const set = (name: string, days: unknown) =>
    control(paper, `accounts/${name}/key-days-left`, { days })
  expect((await set('short', 1)).status).toBe(200)
  expect(await left()).toBe(1)
  expect((await set('short', -1)).status).toBe(400)
  expect((await set('nobody', 1)).status).toBe(400)
})
