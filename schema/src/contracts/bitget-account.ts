import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { account } from './bitget-parts.ts'

export const BgAccountRow = Type.Object({
  accountId: Type.String(),
  accountType: Type.Enum(['spot', 'futures', 'unified'], {
    description: 'On a unified account the type that was asked for, else `unified`',
  }),
  coin: Type.String(),
  available: Type.String(),
  frozen: Type.String(),
  locked: Type.String(),
  uTime: Type.String({ description: 'Unix milliseconds of the last change, as text' }),
})
export type BgAccountRow = Static<typeof BgAccountRow>

export const bgGetAccountInfo = endpoint({
  id: 'bgGetAccountInfo',
  method: 'GET',
  path: '/api/bg/v1/getAccountInfo',
  tag: 'Bitget',
  summary: 'Balances for spot and futures',
  notes: [
    'Combined from up to three calls, each of which waits in the queue; the account id is read once and remembered.',
    'On a classic account, spot and futures have rows of their own. Futures rows have no frozen amount (`0`), and their time is the time of the response.',
    'On a unified account, spot and futures share one balance: each coin with a balance has one row. `frozen` is what spot orders hold, and the time is the time of the response.',
  ],
  access: 'client',
  proxy: account,
  query: Type.Object(
    {
      accountType: Type.Optional(
        Type.Enum(['spot', 'futures'], {
          description:
            'Only this account; both when absent. On a unified account it only sets the `accountType` of the rows, which is `unified` without it',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({ success: Type.Boolean(), data: Type.Array(BgAccountRow) }),
  sample: {
    response: {
      success: true,
      data: [
        {
          accountId: '7462219110',
          accountType: 'spot',
          coin: 'USDT',
          available: '1250.5',
          frozen: '100',
          locked: '0',
          uTime: '1772721022000',
        },
      ],
    },
  },
})
