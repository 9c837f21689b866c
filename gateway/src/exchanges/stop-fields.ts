import type { Exchange } from './adapter.ts'
import { type EffectForm, namesOf } from './call-effect.ts'
import type { UpstreamCall } from './exchange.ts'
import { OrderFieldUnknownError } from './protocol/errors.ts'
import { cleanWords, isRecord, textOf } from './protocol/untrusted.ts'

/** Which calls of a market do what a stop field asks for: `POST /path`, with words about fields. */
export interface StopCalls {
  /** How the paths of the market's order calls begin. */
  readonly below: string
  /** An order that comes when the price has come. */
  readonly trigger: string
  /** Take profit and stop loss of a position, or of an order. */
  readonly exit: string
  /** A stop that follows the price; absent where there is none. */
  readonly trailing?: string
  /** A take profit or stop loss of a part of a position; absent where there are no positions. */
  readonly exitOfSize?: string
  /** An order that closes a part of a position. */
  readonly closeOfSize?: string
}

type StopKind = Exclude<keyof StopCalls, 'below' | `${string}OfSize`>

/** Fields by which an order waits for a price or is protected: of ccxt and of the exchanges. */
const FIELDS: Readonly<Record<StopKind, ReadonlySet<string>>> = {
  trigger: namesOf('triggerPrice newTriggerPrice stopPrice'),
  exit: namesOf(
    'stopLossPrice takeProfitPrice stopLoss takeProfit',
    'presetStopLossPrice presetTakeProfitPrice presetStopSurplusPrice',
    'newPresetStopLossPrice newPresetStopSurplusPrice',
    'stopLossTriggerPrice stopSurplusTriggerPrice',
    // The last one is ccxt's, which Bitget spells otherwise.
    'newStopLossTriggerPrice newStopSurplusTriggerPrice newSurplusTriggerPrice',
  ),
  trailing: namesOf(
    'trailingPercent trailingAmount trailingDelta trailingTriggerPrice',
    'callbackRate callbackRatio newCallbackRatio rangeRate activationPrice activePrice backValue',
  ),
}

/** Whether a call says of an order that a take profit or stop loss hangs on it. */
export function hasExitFields(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).some(([name, value]) => {
    const text = textOf(value)
    // MEXC: 0 is none.
    return EXITS.has(name.toLowerCase()) && text !== undefined && text !== '' && Number(text) !== 0
  })
}

const KINDS = ['trigger', 'exit', 'trailing'] as const
const kindsByName = new Map(
  KINDS.flatMap((kind) => [...FIELDS[kind]].map((name) => [name.toLowerCase(), kind] as const)),
)

const EXITS = new Set([...FIELDS.exit].map((name) => name.toLowerCase()))

/**
 * Refuses an order with a stop field that its call does not know. It holds for every client: the
 * exchange ignores the field, and what was to wait for a price trades at once.
 * @param whole what the whole call says
 * @param list its orders, where it is about several
 * @throws OrderFieldUnknownError for the first such field
 */
export function checkStopFields(
  adapter: Exchange,
  call: UpstreamCall,
  whole: unknown,
  list: readonly unknown[] | undefined,
): void {
  const form = adapter.effects.get(`${call.method} ${call.path}`)
  // One that says why nobody can tell what a call trades has no fields to compare with.
  if (form === undefined || typeof form === 'string') return
  for (const fields of list ?? [whole]) checkFields(adapter, call, fields, form)
  if (list !== undefined && form.beside !== undefined)
    checkFields(adapter, call, whole, { ...form, fields: form.beside })
}

function checkFields(
  adapter: Exchange,
  call: UpstreamCall,
  fields: unknown,
  { fields: known, ignores }: EffectForm,
): void {
  if (!isRecord(fields)) return
  const ignored = ignores?.(fields) ?? []
  for (const name of Object.keys(fields)) {
    const isIgnored = ignored.includes(name)
    if (known.has(name) && !isIgnored) continue
    const kind = kindOf(name)
    if (kind === undefined || !isGiven(fields[name])) continue
    throw new OrderFieldUnknownError(
      `${call.method} ${call.path}`,
      adapter.name,
      cleanWords(name).slice(0, 40),
      isIgnored ? ' in an order like this one' : '',
      adviceOf(adapter, call, kind),
    )
  }
}

/** Also of another spelling, and of an object in a query: `stopLoss[triggerPrice]`. */
function kindOf(name: string): StopKind | undefined {
  const letters = name.replace(/\[.*$/, '').replaceAll(/[^a-z]/gi, '')
  return kindsByName.get(letters.toLowerCase())
}

/** What programs write that send every field is none. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false
  if (typeof value === 'object') return Object.keys(value).length > 0
  const text = textOf(value)
  return text === undefined || Number(text) !== 0
}

function adviceOf({ stopCalls = [], title }: Exchange, { path }: UpstreamCall, kind: StopKind) {
  const instead = stopCalls.find(({ below }) => path.startsWith(below))?.[kind]
  return instead === undefined ? `${title} has no call for it here` : `Send ${instead} instead`
}
