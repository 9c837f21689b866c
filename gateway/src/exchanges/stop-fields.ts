import type { Exchange } from './adapter.ts'
import type { EffectForm } from './call-effect.ts'
import type { UpstreamCall } from './exchange.ts'
import { type StopKind, stopKindOf } from './order-lookup/order-call.ts'
import { OrderFieldUnknownError } from './protocol/errors.ts'
import { cleanWords, isRecord, textOf } from './protocol/untrusted.ts'

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
  const form = adapter.calls.facts.get(`${call.method} ${call.path}`)?.effect
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
    const kind = stopKindOf(name)
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
