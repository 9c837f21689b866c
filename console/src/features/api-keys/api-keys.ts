import type { ComboboxItem } from '@mantine/core'
import {
  type ApiKey,
  type Client,
  deleteApiKey,
  EXCHANGE_NAMES,
  EXCHANGES,
  type ExchangeCode,
  listApiKeys,
  saveApiKey,
} from 'schema'
import { useResource } from '../../api/use-action.ts'
import * as texts from './texts.ts'

/** Whose keys, and where: names one set of keys. */
export type KeyPlace = Pick<ApiKey, 'clientId' | 'exchange'>

/** The exchange keys of all clients, and what changes them. */
export const useApiKeys = () =>
  useResource(listApiKeys, {
    save: { endpoint: saveApiKey },
    remove: { endpoint: deleteApiKey },
  })
export type ApiKeys = ReturnType<typeof useApiKeys>

/** The exchanges as choices, with their own names. */
export const exchangeOptions = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))

/**
 * Whom keys of this exchange can be added for: active clients that have none. One disabled entry
 * when there is nobody.
 */
export function clientChoices(
  clients: readonly Client[],
  keys: readonly ApiKey[],
  exchange: ExchangeCode,
): ComboboxItem[] {
  const taken = new Set(keys.filter((key) => key.exchange === exchange).map((key) => key.clientId))
  const choices = clients
    .filter(({ isActive, clientId }) => isActive && !taken.has(clientId))
    .map(({ clientId }) => ({ value: clientId, label: clientId }))
  if (choices.length > 0) return choices
  const label = texts.addDialog.noClients(EXCHANGE_NAMES[exchange])
  return [{ value: 'nobody', label, disabled: true }]
}

const DAY_MS = 86_400_000
const expiryMs = ({ expiresAt }: ApiKey) => Date.parse(expiresAt ?? '')

/** What a key may need of a person, by the name that the address has for it. */
const NEEDS: Readonly<Record<string, (key: ApiKey, nowMs: number) => boolean>> = {
  week: (key, nowMs) => expiryMs(key) <= nowMs + 7 * DAY_MS,
  month: (key, nowMs) => expiryMs(key) <= nowMs + 30 * DAY_MS,
  expires: (key) => !Number.isNaN(expiryMs(key)),
  failed: ({ testStatus }) => testStatus === 'failure',
  untested: ({ testStatus }) => testStatus !== 'failure' && testStatus !== 'success',
}
const BY_EXPIRY = ['week', 'month', 'expires']

/** The keys that the filters leave, '' for all; those that expire with the next first. */
export function filterApiKeys(
  keys: readonly ApiKey[],
  { client, exchange, need }: Readonly<Record<'client' | 'exchange' | 'need', string>>,
  nowMs: number,
): readonly ApiKey[] {
  const matches = NEEDS[need] ?? (() => true)
  const left = keys.filter(
    (key) =>
      (client === '' || key.clientId === client) &&
      (exchange === '' || key.exchange === exchange) &&
      matches(key, nowMs),
  )
  return BY_EXPIRY.includes(need) ? left.sort((a, b) => expiryMs(a) - expiryMs(b)) : left
}
