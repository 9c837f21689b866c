import {
  type ApiKey,
  type Client,
  deleteApiKey,
  EXCHANGE_NAMES,
  EXCHANGES,
  type ExchangeCode,
  listApiKeys,
  saveApiKey,
  testApiKey,
} from 'schema'
import { useSWRConfig } from 'swr'
import { queryKey } from '../../api/queries.tsx'
import { useAction, useResource } from '../../api/use-action.ts'
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

/** Tests keys. The list is read again whatever came out: a failed test changes the row too. */
export function useTestApiKey() {
  const { mutate } = useSWRConfig()
  const { trigger, isPending } = useAction(testApiKey)
  const test = async (body: KeyPlace) => {
    try {
      return await trigger({ body })
    } finally {
      // A read that fails rejects nothing: it is the list's own `error`, which the page shows.
      void mutate(queryKey(listApiKeys))
    }
  }
  return { test, isPending }
}

/** The exchanges as choices, with their own names. */
export const exchangeOptions = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))

interface ClientChoice {
  readonly value: string
  readonly label: string
  readonly disabled?: boolean
}

/**
 * Whom keys of this exchange can be added for: active clients that have none. One disabled entry
 * when there is nobody.
 */
export function clientChoices(
  clients: readonly Client[],
  keys: readonly ApiKey[],
  exchange: ExchangeCode,
): ClientChoice[] {
  const taken = new Set(keys.filter((key) => key.exchange === exchange).map((key) => key.clientId))
  const choices = clients
    .filter(({ isActive, clientId }) => isActive && !taken.has(clientId))
    .map(({ clientId }) => ({ value: clientId, label: clientId }))
  if (choices.length > 0) return choices
  const label = texts.addDialog.noClients(EXCHANGE_NAMES[exchange])
  return [{ value: 'nobody', label, disabled: true }]
}

/** What narrows the list; '' for all. */
export interface ApiKeyFilter {
  readonly clientId: string
  readonly exchange: string
  readonly need: string
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

/** The keys that the filters leave; those that expire with the next first. */
export function filterApiKeys(
  keys: readonly ApiKey[],
  { clientId, exchange, need }: ApiKeyFilter,
  nowMs: number,
): readonly ApiKey[] {
  const matches = NEEDS[need] ?? (() => true)
  const left = keys.filter(
    (key) =>
      (clientId === '' || key.clientId === clientId) &&
      (exchange === '' || key.exchange === exchange) &&
      matches(key, nowMs),
  )
  return BY_EXPIRY.includes(need) ? left.sort((a, b) => expiryMs(a) - expiryMs(b)) : left
}
