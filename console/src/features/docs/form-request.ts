import type { Endpoint } from 'schema'
import type { CallInput } from '../../api/client.ts'
import { type FormField, toJsonValue } from './form-fields.ts'
import * as texts from './texts.ts'

/** What is typed, by field name; every value is text. */
export type FormValues = Readonly<Record<string, string>>

export function initialValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]))
}

/** The request that the form describes; fields left empty are not part of it. */
export function requestOf(
  endpoint: Endpoint,
  fields: readonly FormField[],
  values: FormValues,
): CallInput {
  const part = (place: FormField['place']) =>
    Object.fromEntries(
      fields
        .filter((field) => field.place === place && (values[field.name] ?? '') !== '')
        .map((field) => [field.name, toJsonValue(field, values[field.name] ?? '')]),
    )
  return {
    ...(endpoint.params === undefined ? {} : { params: part('path') }),
    ...(endpoint.query === undefined ? {} : { query: part('query') }),
    ...(endpoint.body === undefined ? {} : { body: part('body') }),
  }
}

/** What may be kept of what was typed. */
export function withoutSecrets(fields: readonly FormField[], values: FormValues): FormValues {
  const kept = fields.filter(({ kind }) => kind !== 'secret')
  return Object.fromEntries(kept.map(({ name }) => [name, values[name] ?? '']))
}

/** What keeps the form from being sent, by field name; empty when nothing does. */
export function problemsOf(
  fields: readonly FormField[],
  values: FormValues,
): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const { name, isRequired, schema } of fields) {
    if (isRequired && (values[name] ?? '') === '')
      problems[name] = schema['x-error'] ?? texts.required(name)
  }
  const orderType = values.orderType ?? values.type ?? ''
  const hasPrice = fields.some(({ name }) => name === 'price')
  if (hasPrice && orderType.toLowerCase() === 'limit' && (values.price ?? '') === '')
    problems.price = texts.priceRequired
  return problems
}
