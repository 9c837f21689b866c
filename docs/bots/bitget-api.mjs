import { RestClientV2, RestClientV3 } from 'bitget-api'
import { viaSluice } from './sluice-bitget.mjs'

const unified = viaSluice(RestClientV3)

/** Whether the account is a unified one. A classic one rejects calls of v3 with the code 40084. */
async function isUnified() {
  try {
    await unified.getAccountSettings()
    return true
  } catch (error) {
    if (error.body?.code === '40084') return false
    throw error
  }
}

const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000' }
// One key per order: a new order gets a new key, a retry sends the same key.
const key = crypto.randomUUID()

if (await isUnified()) {
  console.log(await unified.getTickers({ category: 'SPOT', symbol: 'BTCUSDT' }))
  console.log(await unified.getBalances())
  const full = { ...order, category: 'SPOT', timeInForce: 'gtc', qty: '0.001' }
  console.log(await unified.withKey(key).submitNewOrder(full))
} else {
  const classic = viaSluice(RestClientV2)
  console.log(await classic.getSpotTicker({ symbol: 'BTCUSDT' }))
  console.log(await classic.getSpotAccountAssets())
  const full = { ...order, force: 'gtc', size: '0.001' }
  console.log(await classic.withKey(key).spotSubmitOrder(full))
}
