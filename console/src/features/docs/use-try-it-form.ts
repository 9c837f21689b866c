import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { bgFuturesTicker, bgSpotTickers, type Endpoint, mxDropIn, mxTickerPrice } from 'schema'
import { send } from '../../api/client.ts'
import { storedToken } from '../../api/session.ts'
import { formId, useUnsentForm } from '../../api/use-unsent-form.tsx'
import { LOCALE } from '../../components/format.ts'
import {
  type FormField,
  type FormValues,
  fieldsOf,
  initialValues,
  isLimitOrder,
  problemsOf,
  requestOf,
  withoutSecrets,
} from './form-fields.ts'
import {
  bareToken,
  endOfToken,
  recallRequest,
  rememberRequest,
  setTabToken,
  tokenIn,
  useTabMemory,
} from './tab-memory.ts'
import * as texts from './texts.ts'
import { type OrderAttempt, useOrderKey, useTryIt } from './use-try-it.ts'

/** The name of the token's field among the problems. */
export const TOKEN = 'JWT'

/** The state of a try-it form: what is typed, what is wrong with it, the request it describes. */
export function useTryItForm(endpoint: Endpoint) {
  const fields = useMemo(() => fieldsOf(endpoint), [endpoint])
  const token = bareToken(useTabMemory((memory) => memory.token))
  const { values, set, restored, priceHint } = useTyped(endpoint, fields, token)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const tryIt = useTryIt(endpoint)
  const needsToken = needsTokenFor(endpoint)
  const request = requestOf(endpoint, fields, values)
  const typed = { request, values: withoutSecrets(fields, values) }

  const trades = placesOrders(endpoint)
  const order = useOrderKey(endpoint.id, request)
  const send = (attempt: Omit<OrderAttempt, 'isUnknown'>) =>
    void sendForm(attempt, { endpoint, tryIt, order, token })
  const [isAsking, setAsking] = useState(false)
  useRecalled(endpoint, (recalled) => {
    set(recalled)
    setProblems({})
  })

  /**
   * Sends the form; comes back at once with the name of the first field to correct when there is
   * one.
   */
  const submit = (): string | undefined => {
    const found = {
      ...(needsToken && token === '' ? { [TOKEN]: texts.tokenRequired } : {}),
      ...problemsOf(fields, values),
    }
    setProblems(found)
    const [first] = Object.keys(found)
    if (first !== undefined) return first
    // An order may stand: whether this is the same or another one is for the person to say.
    if (trades && order.failed?.isUnknown === true) setAsking(true)
    else send({ ...typed, key: order.key })
    return undefined
  }
  const change = (name: string, value: string) => {
    set({ [name]: value })
    setProblems(({ [name]: _, ...others }) => others)
  }
  return {
    fields,
    values,
    problems,
    token,
    needsToken,
    idempotencyKey: trades ? order.key : undefined,
    tryIt,
    submit,
    change,
    restored,
    /** Where the price comes from that nobody has typed. */
    priceHint,
    /** Set while it has to be said whether an order is the last one again or another one. */
    asking: isAsking
      ? {
          retry: () => order.failed !== undefined && send(order.failed),
          newOrder: () => send({ ...typed, key: order.freshKey }),
          close: () => setAsking(false),
        }
      : null,
  }
}

/** What is typed, with the price that the form offers; it outlives a forced sign-in. */
function useTyped(endpoint: Endpoint, fields: readonly FormField[], token: string) {
  const initial = useMemo(() => initialValues(fields), [fields])
  const [values, setValues] = useState(initial)
  const price = useOfferedPrice(endpoint, values, token, (offered) =>
    setValues((before) => ({ ...before, price: offered })),
  )
  const set = (typed: FormValues) => {
    const isOfPrice = 'price' in typed
    if (isOfPrice) price.keep()
    setValues((before) => {
      const next = { ...before, ...typed }
      return isOfPrice ? next : price.follow(next)
    })
  }
  const restored = useUnsentForm<FormValues>(
    formId(endpoint),
    () => typedIn(fields, price.isOffered ? { ...values, price: initial.price ?? '' } : values),
    set,
  )
  return { values, set, restored, priceHint: price.hint }
}

/** Where the last price is of what an order is for, which any client may read. */
const TICKERS: Readonly<Record<string, ((symbol: string) => Endpoint) | undefined>> = {
  mxSubmitOrder: (symbol) => (symbol.includes('_') ? MEXC_FUTURES : mxTickerPrice),
  bgSpotPlaceOrder: () => bgSpotTickers,
  bgFuturesPlaceOrder: () => bgFuturesTicker,
}
const MEXC_FUTURES: Endpoint = { ...mxDropIn, path: '/mx/api/v1/contract/ticker' }

/** A ticker of an exchange, as far as it is read: each has its own name for the last price. */
interface Ticker {
  readonly price?: unknown
  readonly lastPrice?: unknown
  readonly lastPr?: unknown
  readonly data?: Ticker | readonly Ticker[]
}

function priceIn(ticker: Ticker | null): unknown {
  const { data, price, lastPrice, lastPr } = ticker ?? {}
  const found: Ticker | undefined = Array.isArray(data) ? data[0] : data
  return found === undefined ? (price ?? lastPrice ?? lastPr) : priceIn(found)
}

/** A symbol is typed letter by letter. */
const SYMBOL_RESTS_MS = 400

/**
 * The price that the form of a limit order opens with: an example, and the last one of the market
 * once there is a token to read it with. It follows the symbol, and is gone from a market order.
 * What a person types stays.
 */
function useOfferedPrice(
  { id }: Endpoint,
  values: FormValues,
  token: string,
  onPrice: (price: string) => void,
) {
  const { symbol = '' } = values
  const ticker = TICKERS[id]?.(symbol)
  const [isOffered, setOffered] = useState(ticker !== undefined)
  const [offered, setPrice] = useState({
    symbol: values.symbol,
    price: values.price ?? '',
    isLast: false,
  })
  const isWanted = isOffered && isLimitOrder(values)
  const take = useEffectEvent((price: string) => {
    if (!isOffered) return
    setPrice({ symbol, price, isLast: true })
    onPrice(price)
  })
  useEffect(() => {
    if (ticker === undefined || !isWanted || symbol === '') return
    if ((endOfToken(token) ?? 0) < Date.now()) return
    const controller = new AbortController()
    const timer = setTimeout(async () => {
      const price = await lastPriceOf(ticker, symbol, token, controller.signal)
      if (price !== undefined && !controller.signal.aborted) take(price)
    }, SYMBOL_RESTS_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [ticker, isWanted, symbol, token])

  return {
    isOffered,
    /** A person has set the price. */
    keep: () => setOffered(false),
    /** The values with the price that belongs to them. */
    follow(next: FormValues): FormValues {
      if (!isOffered) return next
      const fits = isLimitOrder(next) && next.symbol === offered.symbol
      return { ...next, price: fits ? offered.price : '' }
    },
    hint:
      isWanted && values.price !== ''
        ? offered.isLast
          ? texts.priceOfMarket
          : texts.priceOfExample
        : undefined,
  }
}

/** All digits, and no exponent. */
const decimals = new Intl.NumberFormat(LOCALE, { useGrouping: false, maximumSignificantDigits: 17 })

/** Undefined when it cannot be read: then the form says that its price is an example. */
async function lastPriceOf(ticker: Endpoint, symbol: string, token: string, signal: AbortSignal) {
  try {
    const { status, text } = await send(ticker, { query: { symbol } }, { token, signal })
    const price = status === 200 ? priceIn(JSON.parse(text)) : undefined
    if (typeof price === 'number') return decimals.format(price)
    return typeof price === 'string' ? price : undefined
  } catch {
    return undefined
  }
}

/** Takes a request that was chosen from the history. */
function useRecalled(endpoint: Endpoint, onRecalled: (values: FormValues) => void): void {
  const recalled = useTabMemory((memory) => memory.recalled)
  const take = useEffectEvent(onRecalled)
  useEffect(() => {
    if (recalled?.endpointId !== endpoint.id) return
    take(recalled.values)
    recallRequest(null)
    document.getElementById(formId(endpoint))?.scrollIntoView()
  }, [recalled, endpoint])
}

const needsTokenFor = ({ access }: Endpoint) => access !== 'public'

const placesOrders = ({ proxy, method }: Endpoint) =>
  proxy?.permission === 'trade' && method === 'POST'

interface Sending {
  readonly endpoint: Endpoint
  readonly tryIt: ReturnType<typeof useTryIt>
  readonly order: ReturnType<typeof useOrderKey>
  readonly token: string
}

/** Sends a form, and notes what comes of it. */
async function sendForm(
  { request, key, values }: Omit<OrderAttempt, 'isUnknown'>,
  { endpoint, tryIt, order, token }: Sending,
): Promise<void> {
  const needsToken = needsTokenFor(endpoint)
  const trades = placesOrders(endpoint)
  const atMs = Date.now()
  const page = window.location.pathname
  const startedBy = storedToken()
  const settle = trades ? order.begin({ request, key, values }) : undefined
  const outcome = await tryIt.start(request, {
    token: needsToken ? token : null,
    idempotencyKey: trades ? key : undefined,
  })
  if (outcome === null) return
  settle?.(outcome)
  // The next person sees nothing of this one's.
  if (storedToken() !== startedBy) return
  rememberRequest({
    endpointId: endpoint.id,
    page,
    atMs,
    values,
    status: outcome.kind === 'response' ? outcome.response.status : null,
  })
  if (!needsToken && outcome.kind === 'response') setTabToken(tokenIn(outcome.response) ?? '')
}

/** What may be kept of what was typed; null when that is nothing. */
function typedIn(fields: readonly FormField[], values: FormValues): FormValues | null {
  const kept = withoutSecrets(fields, values)
  return fields.some(({ name, initial }) => name in kept && kept[name] !== initial) ? kept : null
}
