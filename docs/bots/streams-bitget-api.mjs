import { WebsocketClientV2, WebsocketClientV3 } from 'bitget-api'
import { streamsViaSluice } from './sluice-bitget.mjs'

const isUnified = process.env.UNIFIED === '1'
const streams = isUnified
  ? await streamsViaSluice(WebsocketClientV3, 'v3')
  : await streamsViaSluice(WebsocketClientV2, 'v2')

streams.on('update', ({ data }) => {
  for (const { orderId, status } of data) console.log(orderId, status)
})
// It logs in and subscribes again by itself; what happened in between has to be read.
streams.on('reconnected', () => console.log('read what is open'))
streams.on('exception', (error) => console.error(error))

if (isUnified) {
  await streams.subscribe([{ topic: 'order', payload: { instType: 'UTA' } }], 'v3Private')
} else {
  const payload = { instType: 'SPOT', instId: 'default' }
  await streams.subscribe([{ topic: 'orders', payload }], 'v2Private')
}
