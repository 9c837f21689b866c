import { type ApiKey, type Client, EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import * as texts from './texts.ts'

export interface ClientChoice {
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
