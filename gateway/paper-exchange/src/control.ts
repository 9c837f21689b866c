import { createError } from '@fastify/error'
import {
  type Account,
  type MigrationTarget,
  migrateAccount,
  type NewPaperAccount,
  positionsOf,
} from './account.ts'
import type { ContractOrder } from './contract-order.ts'
import type { Engine } from './engine.ts'
import { readDecimal } from './exact-numbers.ts'
import type { Fault, Faults } from './faults.ts'
import type { ExchangeCode } from './market.ts'
import type { OrderStatus } from './order-shelf.ts'
import type { ReceivedFilter, ReceivedRequest, ReceivedRequests } from './received.ts'
import type { SpotOrder } from './spot-book.ts'
import type { PaperStream, Streams } from './streams/stream-server.ts'
import type { StreamFault } from './streams/stream-socket.ts'

/** The control interface cannot carry out the command. */
const ControlInputError = createError<[problem: string, options?: ErrorOptions]>(
  'PAPER_CONTROL_INPUT',
  '%s',
  400,
)

/** An account without its secrets. */
interface PaperAccount {
  readonly name: string
  readonly exchange: ExchangeCode
  /**
   * Bitget's unified account, which trades over v3: what is free in `balances` is its margin too.
   */
  readonly unified: boolean
  /** On its way to the other kind: neither v2 nor v3 serves it. */
  readonly switching: boolean
  readonly balances: readonly {
    readonly coin: string
    readonly free: string
    readonly locked: string
  }[]
  readonly futures: readonly {
    readonly coin: string
    readonly cash: string
    readonly available: string
    readonly insurance: string
  }[]
  readonly positions: readonly {
    readonly symbol: string
    readonly side: 'long' | 'short'
    readonly size: string
    readonly leverage: number
  }[]
}

/** What a test or a person does to the exchange that no client of a real one can. */
export interface PaperControl {
  received(filter?: ReceivedFilter): readonly ReceivedRequest[]
  clearReceived(): void
  orders(exchange?: ExchangeCode): readonly PaperOrder[]
  readonly accounts: {
    /** @throws ControlInputError when the key or the name is taken, or an amount is no decimal */
    add(account: NewPaperAccount): PaperAccount
    list(): readonly PaperAccount[]
    /**
     * Turns a Bitget account into the other kind, or leaves it `switching` between the two.
     * @throws ControlInputError when no account of Bitget has this name
     */
    migrate(name: string, to: MigrationTarget): PaperAccount
    /**
     * Gives an account a further key.
     * @throws ControlInputError when no account of the exchange has this name
     */
    addKey(
      exchange: ExchangeCode,
      name: string,
      keys: Pick<NewPaperAccount, 'apiKey' | 'apiSecret' | 'passphrase'>,
    ): void
    /**
     * Deletes a further key of an account.
     * @throws ControlInputError when no account of the exchange has this name
     */
    removeKey(exchange: ExchangeCode, name: string, apiKey: string): void
    /**
     * Sets in how many days a key of MEXC expires, by `apiKeyInfo`.
     * @throws ControlInputError when no account of MEXC has this name
     */
    setKeyDaysLeft(name: string, days: number): PaperAccount
  }
  readonly faults: {
    add(fault: Fault): void
    clear(): void
    list(): readonly Fault[]
  }
  /** The WebSocket feeds. */
  readonly streams: {
    /** Open connections, in the order of the dials. */
    list(): readonly PaperStream[]
    /** What befalls pushes and logins to come, or all open connections that match at once. */
    addFault(fault: StreamFault): void
    clearFaults(): void
    faults(): readonly StreamFault[]
  }
  /**
   * Sets the last price of a pair (`BTCUSDT` or `BTC_USDT`). Orders that rest trade with the next
   * tick. `liquidity` bounds what can be traded until then, in base coin; without it there is no
   * bound.
   * @throws ControlInputError for an unknown pair or no positive price
   */
  setPrice(symbol: string, price: string, liquidity?: string): void
  tick(): void
  /** Everything as it was at the start; no faults, nothing received. */
  reset(): void
}

interface ControlParts {
  readonly engine: Engine
  readonly faults: Faults
  readonly received: ReceivedRequests
  readonly streams: Streams
}

export function createControl({ engine, faults, received, streams }: ControlParts): PaperControl {
  return {
    received: (filter) => received.list(filter),
    clearReceived: () => received.clear(),
    orders: (exchange) => paperOrders(engine, exchange),
    accounts: {
      add(input) {
        const amounts = Object.values({ ...input.balances, ...input.futuresBalances })
        const wrong = amounts.find((amount) => readDecimal(amount) === undefined)
        if (wrong !== undefined) throw new ControlInputError(`"${wrong}" is no decimal amount`)
        try {
          return toPaperAccount(engine.accounts.add(input))
        } catch (cause) {
          throw new ControlInputError('The key or the name is taken', { cause })
        }
      },
      list: () => engine.accounts.list().map(toPaperAccount),
      migrate(name, to) {
        const account = accountNamed(engine, 'bg', name)
        migrateAccount(account, to)
        engine.venues.bg.changes.settle()
        return toPaperAccount(account)
      },
      addKey: (exchange, name, keys) =>
        engine.accounts.addKey(accountNamed(engine, exchange, name), keys),
      removeKey: (exchange, name, apiKey) =>
        engine.accounts.removeKey(accountNamed(engine, exchange, name), apiKey),
      setKeyDaysLeft(name, days) {
        const account = accountNamed(engine, 'mx', name)
        account.keyDaysLeft = days
        return toPaperAccount(account)
      },
    },
    faults: {
      add: (fault) => faults.add(fault),
      clear: () => faults.clear(),
      list: () => faults.list(),
    },
    streams: {
      list: () => streams.list(),
      addFault: (fault) => streams.addFault(fault),
      clearFaults: () => streams.faults.clear(),
      faults: () => streams.faults.list(),
    },
    setPrice(symbol, price, liquidity) {
      const name = symbol.replace('_', '')
      const market = engine.markets.find((candidate) => candidate.name === name)
      if (market === undefined) throw new ControlInputError(`No pair is called "${symbol}"`)
      const value = readDecimal(price)
      if (value === undefined || value.isZero())
        throw new ControlInputError(`"${price}" is no price`)
      const bound = liquidity === undefined ? null : readDecimal(liquidity)
      if (bound === undefined) throw new ControlInputError(`"${liquidity}" is no amount`)
      engine.prices.set(market, value, bound)
    },
    tick() {
      engine.tick()
      streams.beat()
    },
    reset() {
      engine.reset()
      faults.clear()
      received.clear()
      streams.reset()
    },
  }
}

function accountNamed({ accounts }: Engine, exchange: ExchangeCode, name: string): Account {
  const account = accounts.list(exchange).find((candidate) => candidate.name === name)
  if (account !== undefined) return account
  const exchangeName = exchange === 'mx' ? 'MEXC' : 'Bitget'
  throw new ControlInputError(`No account of ${exchangeName} is called "${name}"`)
}

function toPaperAccount(account: Account): PaperAccount {
  return {
    name: account.name,
    exchange: account.exchange,
    unified: account.isUnified,
    switching: account.isSwitching,
    balances: account.spot.list().map(({ coin, free, locked }) => ({
      coin,
      free: free.toFixed(),
      locked: locked.toFixed(),
    })),
    futures: [...account.futures.wallets].map(([coin, wallet]) => ({
      coin,
      cash: wallet.cash.toFixed(),
      available: wallet.available.toFixed(),
      insurance: wallet.insurance.toFixed(),
    })),
    positions: positionsOf(account).map(({ market, side, size, leverage }) => ({
      symbol: market.name,
      side,
      size: size.toFixed(),
      leverage,
    })),
  }
}

/** An order as the control interface shows it, alike for both exchanges and kinds. */
export interface PaperOrder {
  readonly exchange: ExchangeCode
  /** Name of the account. */
  readonly account: string
  readonly market: 'spot' | 'futures'
  /** Base and quote without a separator. */
  readonly symbol: string
  /** Digits only; MEXC spot shows them behind `C02__`. */
  readonly orderId: string
  readonly clientOrderId: string
  readonly side: 'buy' | 'sell'
  /** Decimal string; null for a market order. */
  readonly price: string | null
  /** Base coin, decimal string. */
  readonly size: string
  readonly filledSize: string
  /** Quote coin, decimal string. */
  readonly filledValue: string
  readonly status: OrderStatus
  /** Wall clock of the exchange, ms. */
  readonly createdAtMs: number
}

/** The orders of one exchange or of both, oldest first. */
function paperOrders(engine: Engine, exchange?: ExchangeCode): readonly PaperOrder[] {
  return Object.values(engine.venues)
    .filter((venue) => exchange === undefined || venue.exchange === exchange)
    .flatMap((venue) => [
      ...venue.spot.orders.all().map((order) => toPaperOrder(order, venue.exchange, 'spot')),
      ...venue.contracts.orders
        .all()
        .map((order) => toPaperOrder(order, venue.exchange, 'futures')),
    ])
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs)
}

function toPaperOrder(
  order: SpotOrder | ContractOrder,
  exchange: ExchangeCode,
  market: 'spot' | 'futures',
): PaperOrder {
  return {
    exchange,
    account: order.account.name,
    market,
    symbol: order.market.name,
    orderId: order.id,
    clientOrderId: order.clientId,
    side: order.side,
    price: order.price?.toFixed() ?? null,
    size: order.size.toFixed(),
    filledSize: order.filledSize.toFixed(),
    filledValue: order.filledValue.toFixed(),
    status: order.status,
    createdAtMs: order.createdAtMs,
  }
}
