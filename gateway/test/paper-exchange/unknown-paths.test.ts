import { expect, test } from 'vitest'
import { send, sharedPaper } from './paper.ts'

const paper = sharedPaper()

const areas = ['market', 'account', 'trade', 'position', 'user', 'ins-loan']
const bitget = { code: '40404', data: null }

test.each([
  ['MEXC spot', 'POST', ['/api/v3/nothing', '/api/v3/capital/withdraw'], { code: 404 }],
  ['MEXC futures', 'POST', ['/api/v1/private/account/transfer'], { success: false, code: 404 }],
  ['Bitget v2', 'POST', ['spot/wallet/withdrawal', 'user/x', 'mix/order/x'].map(v2), bitget],
  ['Bitget v3', 'GET', areas.map((area) => `/api/v3/${area}/nothing`), bitget],
])(
  'unknown paths of %s, including transfers and withdrawals, are 404 in its own form',
  async (name, method, paths, json) => {
    for (const path of paths)
      expect(await send(`${paper.url}${path}`, { method })).toMatchObject({ status: 404, json })
    if (name === 'Bitget v3') expect(paper.received({ exchange: 'mx' })).toEqual([])
  },
)

function v2(path: string): string {
  return `/api/v2/${path}`
}
