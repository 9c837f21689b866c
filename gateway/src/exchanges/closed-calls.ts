import type { ClosedGroup } from './call-table.ts'

// Every call that an SDK knows is named in a policy or here; `npm run exchange-diff` lists the
// others. `**` closes a whole area because of its purpose: calls that the exchange adds there are
// closed for the same reason. Elsewhere each call is named.

const MOVES_FUNDS = 'it moves, deposits, withdraws or converts funds, or shows such movements'
const OTHER_ACCOUNTS = 'it is about sub-accounts or other people'
const KEYS = 'it is about API keys; the gateway alone knows the keys'
const BORROWS = 'it borrows or trades with borrowed funds'
const BROKER = 'it is for brokers, affiliates and their customers'
const OLD_API = 'it belongs to an older API of the exchange'

/** docs/exchanges/mexc.md, 8. */
export const mexcClosed: readonly ClosedGroup[] = [
  {
    reason: MOVES_FUNDS,
    // By name: the list of coins, which is open, is below the same path.
    calls: [
      [
        '*',
        '/api/v3/capital/',
        `withdraw withdraw/apply withdraw/history withdraw/address deposit/address deposit/hisrec
         transfer transfer/tranId transfer/internal convert convert/list
         sub-account/universalTransfer`,
      ],
      ['GET', '/api/v3/asset/internal/transfer/', 'record'],
    ],
  },
  { reason: OTHER_ACCOUNTS, calls: [['*', '/api/v3/sub-account/', '**']] },
  // The gateway makes this call itself. Its query names a key, and a bot has none.
  { reason: KEYS, calls: [['*', '/api/v3/', 'apiKeyInfo']] },
  { reason: BORROWS, calls: [['*', '/api/v3/margin/', '**']] },
  {
    reason: BROKER,
    calls: [
      ['*', '/api/v3/broker/', '**'],
      ['*', '/api/v3/rebate/', '**'],
    ],
  },
  {
    reason: 'the gateway gives out listen keys of its own, which open nothing at the exchange',
    calls: [['*', '/api/v3/', 'userDataStream']],
  },
  {
    reason: 'it is for market makers',
    calls: [['*', '/api/v1/private/market_maker/self_trade/', '**']],
  },
  { reason: OLD_API, calls: [['*', '/open/api/v2/', '**']] },
]

/** docs/exchanges/bitget.md, 10; docs/exchanges/bitget-unified.md, 12. */
export const bitgetClosed: readonly ClosedGroup[] = [
  {
    reason: MOVES_FUNDS,
    calls: [
      ['*', '/api/v2/spot/wallet/', '**'],
      ['GET', '/api/v2/spot/account/', 'transferRecords sub-main-trans-record'],
      ['POST', '/api/v2/mix/account/', 'union-convert'],
      ['*', '/api/v2/convert/', '**'],
      [
        'POST',
        '/api/v3/account/',
        `cancel-withdrawal deposit-account sub-deposit-records sub-master-transfer sub-transfer
         transfer withdraw withdrawal`,
      ],
      [
        'GET',
        '/api/v3/account/',
        `deposit-address deposit-records sub-deposit-address sub-deposit-records sub-transfer-record
         transferable-coins withdraw-address withdrawal-records`,
      ],
      ['*', '/api/v3/convert/', '**'],
    ],
  },
  {
    // `move-positions` moves them to another account.
    reason: OTHER_ACCOUNTS,
    calls: [
      ['GET', '/api/v2/spot/account/', 'subaccount-assets'],
      ['GET', '/api/v2/mix/account/', 'sub-account-assets'],
      ['GET', '/api/v3/account/', 'sub-unified-assets'],
      ['POST', '/api/v3/account/', 'move-positions'],
      ['*', '/api/v2/user/', '**'],
      ['*', '/api/v3/user/', 'create-sub freeze-sub sub-account/agent-create sub-list'],
    ],
  },
  {
    reason: KEYS,
    calls: [['*', '/api/v3/user/', 'create-sub-api delete-sub-api sub-api-list update-sub-api']],
  },
  {
    reason: 'it shares out the rate limit, which the gateway keeps',
    calls: [['POST', '/api/v3/user/', 'set-rate-limit-quota']],
  },
  {
    // Orders of the margin account borrow by themselves. On v3 their category is rejected
    // (`bitget/bot-calls.ts`).
    reason: BORROWS,
    calls: [
      ['*', '/api/v2/margin/', '**'],
      ['*', '/api/v2/spot/ins-loan/', '**'],
      ['*', '/api/v3/ins-loan/', '**'],
      ['*', '/api/v3/loan/', '**'],
      ['POST', '/api/v3/account/', 'repay'],
    ],
  },
  {
    // A bot that changes the kind of its account changes which calls work for every client of it.
    reason: 'it changes the kind of the account, or how the account pays fees',
    calls: [
      ['POST', '/api/v2/spot/account/', 'upgrade switch-deduct'],
      ['POST', '/api/v3/account/', 'adjust-account-mode switch switch-deduct'],
    ],
  },
  {
    // The account keeps copying, or being copied, after the client is disabled.
    reason: 'it is copy trading',
    calls: [
      ['*', '/api/v2/copy/', '**'],
      ['*', '/api/v3/copy/', '**'],
    ],
  },
  {
    // Orders are not checked by the rules of such symbols, and a lost one could not be looked up:
    // it is in other lists.
    reason: 'it trades stocks and stock tokens',
    calls: [
      ['POST', '/api/v3/trade/', 'place-reality-order cancel-reality-order'],
      ['*', '/api/v3/stockplus/', '**'],
    ],
  },
  {
    reason: 'it is about savings and other products of the exchange, or trade between persons',
    calls: [
      ['*', '/api/v2/earn/', '**'],
      ['*', '/api/v3/earn/', '**'],
      ['*', '/api/v2/p2p/', '**'],
      ['*', '/api/v3/p2p/', '**'],
    ],
  },
  {
    reason: 'it is a tax record of the whole account',
    calls: [
      ['*', '/api/v2/tax/', '**'],
      ['*', '/api/v3/tax/', '**'],
    ],
  },
  {
    reason: BROKER,
    calls: [
      ['*', '/api/v2/broker/', '**'],
      ['*', '/api/v3/broker/', '**'],
    ],
  },
  {
    reason: OLD_API,
    calls: [
      ['*', '/api/spot/v1/', '**'],
      ['*', '/api/mix/v1/', '**'],
      ['*', '/api/margin/v1/', '**'],
      ['*', '/api/broker/v1/', '**'],
      ['*', '/api/user/v1/', '**'],
      ['*', '/api/p2p/v1/', '**'],
    ],
  },
]
