import { type Decimal, decimal, ZERO } from './exact-numbers.ts'
import type { ExchangeCode, Market } from './market.ts'
import { createPurse, FuturesWallet, SpotWallet } from './wallets.ts'

/**
 * What a key may do. `manage` is of Bitget's unified account alone: its balances and settings
 * (`uta_mgt`), which a key that may only trade cannot read.
 */
export const PERMISSIONS = ['read', 'trade', 'manage', 'transfer', 'withdraw'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** An account to be opened. One key is one account. */
export interface NewPaperAccount {
  readonly exchange: ExchangeCode
  readonly apiKey: string
  readonly apiSecret: string
  /** Bitget only. */
  readonly passphrase?: string | undefined
  /** Shown in place of the key; `mx-1`, `bg-2` when absent. */
  readonly name?: string | undefined
  /** Spot coins, decimal strings; of a unified account all that it has. */
  readonly balances?: Readonly<Record<string, string>> | undefined
  /**
   * Margin coins of the futures account; as much USDT as in `balances` when absent. Not looked at
   * for a unified account, which has one pot.
   */
  readonly futuresBalances?: Readonly<Record<string, string>> | undefined
  /** Read, trade and manage when absent. */
  readonly permissions?: readonly Permission[] | undefined
  /** Empty or absent: any address. */
  readonly ipWhitelist?: readonly string[] | undefined
  readonly expired?: boolean | undefined
  /** MEXC only: the days left that `apiKeyInfo` reports; the rest of 90 days when absent. */
  readonly keyDaysLeft?: number | undefined
  /**
   * Hedge on MEXC and one-way on Bitget when absent; the real default of Bitget is not established.
   */
  readonly positionMode?: PositionMode | undefined
  /**
   * Bitget only: the account is a unified one, which trades over v3 and not over v2. Classic when
   * absent. `migrateAccount` changes it later.
   */
  readonly unified?: boolean | undefined
  /**
   * Bitget only: the key of a demo account needs the header `paptrading: 1`, a live key must come
   * without it. Absent: the key is valid with and without the header, as no real key is.
   */
  readonly demo?: boolean | undefined
}

export type MarginMode = 'cross' | 'isolated'
export type PositionMode = 'one-way' | 'hedge'
/** Where a position lives: one per pair in one-way mode, one per direction in hedge mode. */
export type Slot = 'net' | 'long' | 'short'

/** A holding of a contract. Size in base coin, amounts in the quote coin. */
export interface Position {
  readonly id: string
  readonly market: Market
  readonly slot: Slot
  readonly side: 'long' | 'short'
  readonly createdAtMs: number
  marginMode: MarginMode
  leverage: number
  size: Decimal
  /** Sum of size times price of what is held. */
  entryValue: Decimal
  margin: Decimal
  realised: Decimal
  fee: Decimal
  closedSize: Decimal
  closedValue: Decimal
  updatedAtMs: number
}

const FIRST_LEVERAGE = 20

interface ContractSettings {
  marginMode: MarginMode
  readonly leverage: Readonly<Record<MarginMode, { long: number; short: number }>>
}

/** The futures side of an account. */
interface FuturesAccount {
  positionMode: PositionMode
  readonly wallets: Map<string, FuturesWallet>
  /** By market name and slot; a position that is closed leaves the map. */
  readonly positions: Map<string, Position>
  readonly settings: Map<string, ContractSettings>
}

export interface Account {
  readonly name: string
  readonly exchange: ExchangeCode
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string
  /** Further keys of the account, by API key. */
  readonly otherKeys: Map<string, Pick<NewPaperAccount, 'apiSecret' | 'passphrase'>>
  readonly permissions: ReadonlySet<Permission>
  readonly ipWhitelist: readonly string[]
  readonly isExpired: boolean
  /** Null: by the age of the account. */
  keyDaysLeft: number | null
  /** Null: the key is valid with and without the header of demo trading. */
  readonly isDemo: boolean | null
  /** Bitget's unified account: the coins of `spot` are margin too. */
  isUnified: boolean
  /** On its way from one kind of account to the other: neither v2 nor v3 serves it. */
  isSwitching: boolean
  /** Decimal digits. */
  readonly userId: string
  readonly openedAtMs: number
  readonly spot: SpotWallet
  readonly futures: FuturesAccount
}

/** The secrets that belong to one of an account's keys. */
export function secretsOf(account: Account, apiKey: string | undefined) {
  const { apiSecret, passphrase = '' } = account.otherKeys.get(apiKey ?? '') ?? account
  return { apiSecret, passphrase }
}

interface AccountIdentity {
  readonly name: string
  readonly userId: string
  readonly nowMs: () => number
}

function createAccount(input: NewPaperAccount, identity: AccountIdentity): Account {
  const balances = input.balances ?? {}
  const spot = new SpotWallet(balances, identity.nowMs)
  const isUnified = input.unified ?? false
  const margin = isUnified ? {} : (input.futuresBalances ?? { USDT: balances.USDT ?? '0' })
  return {
    name: identity.name,
    exchange: input.exchange,
    apiKey: input.apiKey,
    apiSecret: input.apiSecret,
    passphrase: input.passphrase ?? '',
    otherKeys: new Map(),
    permissions: new Set(input.permissions ?? ['read', 'trade', 'manage']),
    ipWhitelist: input.ipWhitelist ?? [],
    isExpired: input.expired ?? false,
    keyDaysLeft: input.keyDaysLeft ?? null,
    isDemo: input.demo ?? null,
    isUnified,
    isSwitching: false,
    userId: identity.userId,
    openedAtMs: identity.nowMs(),
    spot,
    futures: {
      positionMode: input.positionMode ?? (input.exchange === 'mx' ? 'hedge' : 'one-way'),
      wallets: new Map(
        Object.entries(margin).map(([coin, cash]) => [
          coin,
          new FuturesWallet(createPurse(decimal(cash))),
        ]),
      ),
      positions: new Map(),
      settings: new Map(),
    },
  }
}

/**
 * The wallet of a margin coin; an empty one when the account never had any. A unified account pays
 * out of its pot.
 */
export function futuresWallet({ futures, isUnified, spot }: Account, coin: string): FuturesWallet {
  const known = futures.wallets.get(coin)
  if (known !== undefined) return known
  const wallet = new FuturesWallet(isUnified ? spot.purse(coin) : createPurse(ZERO))
  futures.wallets.set(coin, wallet)
  return wallet
}

/** Cross margin with leverage 20 until the account sets something else. */
export function contractSettings({ futures }: Account, market: Market): ContractSettings {
  const known = futures.settings.get(market.name)
  if (known !== undefined) return known
  const initial: ContractSettings = {
    marginMode: 'cross',
    leverage: {
      cross: { long: FIRST_LEVERAGE, short: FIRST_LEVERAGE },
      isolated: { long: FIRST_LEVERAGE, short: FIRST_LEVERAGE },
    },
  }
  futures.settings.set(market.name, initial)
  return initial
}

export const positionKey = (market: Market, slot: Slot): string => `${market.name} ${slot}`

export function positionAt({ futures }: Account, market: Market, slot: Slot): Position | undefined {
  return futures.positions.get(positionKey(market, slot))
}

/** What the account holds, of one pair or of all. */
export function positionsOf({ futures }: Account, market?: Market): readonly Position[] {
  const all = [...futures.positions.values()]
  return market === undefined ? all : all.filter((position) => position.market === market)
}

/** The accounts of both exchanges. */
export class Accounts {
  readonly #nowMs: () => number
  readonly #inputs: NewPaperAccount[] = []
  readonly #byKey = new Map<string, Account>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @throws when the exchange has an account with this key or this name */
  add(input: NewPaperAccount): Account {
    const account = this.#open(input, this.#inputs.length + 1)
    this.#inputs.push(input)
    return account
  }

  /** A further key of an account, as its owner makes one before the old one is deleted. */
  addKey(account: Account, keys: Pick<NewPaperAccount, 'apiKey' | 'apiSecret' | 'passphrase'>) {
    account.otherKeys.set(keys.apiKey, keys)
    this.#byKey.set(keyOf(account.exchange, keys.apiKey), account)
  }

  /** Its owner has deleted a further key of an account. */
  removeKey(account: Account, apiKey: string) {
    account.otherKeys.delete(apiKey)
    this.#byKey.delete(keyOf(account.exchange, apiKey))
  }

  byApiKey(exchange: ExchangeCode, apiKey: string): Account | undefined {
    return this.#byKey.get(keyOf(exchange, apiKey))
  }

  list(exchange?: ExchangeCode): readonly Account[] {
    const all = [...new Set(this.#byKey.values())]
    return exchange === undefined ? all : all.filter((account) => account.exchange === exchange)
  }

  /** Every account has its first balances again, no position and no setting. */
  reset(): void {
    this.#byKey.clear()
    for (const [index, input] of this.#inputs.entries()) this.#open(input, index + 1)
  }

  #open(input: NewPaperAccount, number: number): Account {
    const name = input.name ?? `${input.exchange}-${number}`
    const isTaken = this.list().some((account) => account.name === name)
    if (isTaken || this.byApiKey(input.exchange, input.apiKey) !== undefined) {
      throw new Error(`The paper exchange has an account "${name}" or one with the same key`)
    }
    const userId = `${7_290_000_000 + number}`
    const account = createAccount(input, { name, userId, nowMs: this.#nowMs })
    this.#byKey.set(keyOf(input.exchange, input.apiKey), account)
    return account
  }
}

const keyOf = (exchange: ExchangeCode, apiKey: string) => `${exchange} ${apiKey}`

export const MIGRATION_TARGETS = ['unified', 'classic', 'switching'] as const
export type MigrationTarget = (typeof MIGRATION_TARGETS)[number]

const MARGIN_COIN = 'USDT'

/**
 * Turns a Bitget account into the other kind while it runs, as its owner or Bitget can. Orders that
 * rest, positions and their stops stay as they are and are found in the other family, by the same
 * ids. What the real exchange does with them is not documented (docs/exchanges/bitget-unified.md,
 * 1), nor how it divides the money on the way back.
 *
 * - `unified`: what is free for futures joins the pot.
 * - `classic`: half of the free margin coin goes to the futures account.
 * - `switching`: neither family serves the account until it becomes one of the two.
 */
export function migrateAccount(account: Account, to: MigrationTarget): void {
  account.isSwitching = to === 'switching'
  if (to === 'unified' && !account.isUnified) joinPot(account)
  if (to === 'classic' && account.isUnified) leavePot(account)
}

function joinPot(account: Account): void {
  account.isUnified = true
  for (const [coin, wallet] of account.futures.wallets)
    wallet.moveTo(account.spot.purse(coin), wallet.available)
}

function leavePot(account: Account): void {
  futuresWallet(account, MARGIN_COIN)
  account.isUnified = false
  for (const wallet of account.futures.wallets.values())
    wallet.moveTo(createPurse(ZERO), wallet.available.dividedBy(2).decimalPlaces(18))
}
