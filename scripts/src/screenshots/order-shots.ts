import { CLIENT_ORDER_ID } from './make-traffic.ts'
import type { Shot } from './shot.ts'

export const orderShots: readonly Shot[] = [
  { name: 'order-find', address: '/orders' },
  { name: 'order-not-found', address: '/orders?find=no-such-order' },
  {
    name: 'order',
    address: `/orders?find=${CLIENT_ORDER_ID}`,
    keep: { scheme: 'light', width: 'wide', as: 'order.png' },
    prepare: async (page) => {
      await page.getByRole('region', { name: 'What happened' }).waitFor()
    },
  },
]
