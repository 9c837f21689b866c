import type { PaperExchange } from 'paper-exchange/paper-exchange.ts'
import type { AccountKind, ExchangeCode } from 'schema'

export interface AccountKeys {
  readonly apiKey: string
  readonly apiSecret: string
  /** Bitget only. */
  readonly passphrase?: string
}

/**
 * Opens an account with money at the paper exchange, as a person would at a real one; its keys are
 * what comes back.
 * @param kind of a Bitget account
 */
export function createAccount(
  paper: PaperExchange,
  exchange: ExchangeCode,
  owner: string,
  kind: AccountKind = 'classic',
): AccountKeys {
  const keys = {
    apiKey: `${exchange}-key-of-${owner}`,
    apiSecret: `${exchange}-secret-of-${owner}`,
    ...(exchange === 'bg' ? { passphrase: 'open sesame' } : {}),
  }
  paper.accounts.add({
    exchange,
    name: `${owner}-${exchange}`,
    ...keys,
    unified: kind === 'unified',
    balances: { USDT: '100000', BTC: '2', ETH: '20' },
    futuresBalances: { USDT: '100000' },
  })
  return keys
}
