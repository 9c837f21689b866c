import { type AuditAction, type AuditEntry, EXCHANGE_NAMES, EXCHANGES, NO_LIMITS } from 'schema'
import { formatDateTime, formatNumber } from '../components/format.ts'
import {
  actors,
  type Facts,
  fieldNames,
  limitNames,
  parts,
  sentences,
  units,
  unknownAction,
} from './audit-texts.ts'
import { approvalActions } from './texts.ts'

/** A field that is not as it was; undefined: it was not there, or is not there any more. */
export interface Change {
  readonly field: string
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** More than these are counted: a sentence is read at one look. */
const CHANGES_MAX = 3

/** What happened, for a person: who did it, and the rest of the sentence. */
export function sentenceOf(entry: AuditEntry): { readonly who: string; readonly what: string } {
  const { action, actor, actorKind } = entry
  const who = actors[actorKind]?.(actor) ?? actor
  const of = subjectOf(entry)
  const what = isKnown(action) ? sentences[action](factsOf(entry, of)) : unknownAction(action, of)
  return { who, what }
}

/** The fields that differ. Of what was made or removed, all that is known of it. */
export function changesOf(entry: Pick<AuditEntry, 'action' | 'before' | 'after'>): Change[] {
  const [before, after] = sidesOf(entry)
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  // Whose request an act carries out is no part of what it changes.
  fields.delete('approval')
  return [...fields]
    .map((field) => ({
      ...{ field, name: fieldNames[field] ?? field },
      ...{ before: before?.[field], after: after?.[field] },
    }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
}

/** A client whose limits were never set has those of `NO_LIMITS`: only what differs is a change. */
function sidesOf({ action, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'>) {
  const isOfLimits = action === 'client-limits.changed'
  return [before, after].map((side) => (isOfLimits ? { ...NO_LIMITS, ...side } : side))
}

/** A value of a field as people write it; '' when it is not there. */
export function textOf(field: string, value: unknown): string {
  if (value === undefined) return ''
  if (value === null) return isLimit(field) ? parts.noLimit : parts.none
  if (typeof value === 'boolean') return value ? parts.yes : parts.no
  if (isAmount(value)) return withUnit(field, amountText(String(value)))
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.length === 0 ? parts.none : value.join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  if (field === 'exchange') return exchangeName(text) ?? text
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? formatDateTime(text) : text
}

function factsOf(entry: AuditEntry, of: string): Facts {
  const { action, before, after } = entry
  const changes = changesOf(entry)
  const all = changes
    .slice(0, CHANGES_MAX)
    .map((each) => changeText(each))
    .concat(changes.length > CHANGES_MAX ? [parts.andMore(changes.length - CHANGES_MAX)] : [])
    .join(', ')
  const { requestedBy } = (after?.approval ?? {}) as { readonly requestedBy?: unknown }
  const isApproval = action.startsWith('approval.')
  return {
    of,
    now: (field) =>
      isApproval && field === 'action'
        ? (approvalActions[String(after?.action)] ?? textOf(field, after?.action))
        : textOf(field, after?.[field] ?? undefined),
    was: (field) => textOf(field, before?.[field] ?? undefined),
    changes: all,
    limits: limitsText(of, changes, all),
    askedBy: typeof requestedBy === 'string' ? requestedBy : '',
  }
}

function changeText({ field, name, before, after }: Change): string {
  const now = textOf(field, after ?? null)
  if (before === undefined || before === null) return parts.to(name, now)
  return parts.from(name, bare(field, before, after), now)
}

function limitsText(of: string, changes: readonly Change[], all: string): string {
  const [only, ...others] = changes
  if (only === undefined) return parts.noChange(of)
  if (others.length > 0) return parts.several(of, all)
  const { field, name, before, after } = only
  if (before === undefined || before === null) return parts.set(name, of, textOf(field, after))
  if (after === undefined || after === null) return parts.removed(name, of, textOf(field, before))
  const isNumber = isAmount(before) && isAmount(after)
  const verb = !isNumber ? 'changed' : Number(after) > Number(before) ? 'raised' : 'lowered'
  return parts[verb](name, of, bare(field, before, after), textOf(field, after))
}

/** The unit is said once, after the second number. */
function bare(field: string, before: unknown, after: unknown): string {
  return isAmount(before) && isAmount(after) ? amountText(String(before)) : textOf(field, before)
}

function withUnit(field: string, amount: string): string {
  const unit = units[field]
  return unit === undefined ? amount : `${amount} ${unit}`
}

/** All digits stay: amounts come as texts that a number would round. */
function amountText(amount: string): string {
  const [whole = '', rest] = amount.split('.')
  return formatNumber(Number(whole)) + (rest === undefined ? '' : `.${rest}`)
}

const isAmount = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}(\.\d+)?$/.test(value))
const isLimit = (field: string): field is keyof typeof limitNames => field in limitNames
const isKnown = (action: string): action is AuditAction => action in sentences
const exchangeName = (code: string) =>
  EXCHANGES.flatMap((each) => (each === code ? [EXCHANGE_NAMES[each]] : []))[0]

const subjectOf = ({ subjectKind, subject }: AuditEntry) =>
  (subjectKind === 'exchange' ? exchangeName(subject) : undefined) ?? subject
