import type { Endpoint } from '../family.ts'
import { perSecond } from './spot-market.ts'

/** What Bitget has outside of spot and futures, below `/api/v2`. */
export const bitgetPublicEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/public/time',
    access: 'public',
    limit: perSecond(20),
    answer: ({ request }) => ({ serverTime: `${request.nowMs}` }),
  },
]
