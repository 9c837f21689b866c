import {
  type ApiKey,
  getClientLimits,
  type LimitsWithUsage,
  type ListedClient,
  type Stop,
  stopClient,
} from 'schema'

const at = '2026-03-05T13:30:22.000Z'

/** A client credential as the gateway lists it. */
export function clientOf(
  changes: Partial<ListedClient> & { clientSecret?: string } = {},
): ListedClient {
  return {
    id: 7,
    clientId: 'grid-bot',
    description: 'Grid bot',
    isActive: true,
    permissions: ['market', 'account', 'trade'],
    secretPreview: 'sls_9fQ2...x7Kd',
    createdAt: at,
    ...changes,
  }
}

/** The limits of a client, with their use. */
export function limitsOf(changes: Partial<LimitsWithUsage> = {}): LimitsWithUsage {
  return { ...getClientLimits.sample.response, ...changes }
}

/** A stop of a client that is in force and complete. */
export function stopOf(changes: Partial<Stop> = {}): Stop {
  return { ...stopClient.sample.response, ...changes }
}

/** A key record as the gateway lists it. */
export function apiKeyOf(changes: Partial<ApiKey> = {}): ApiKey {
  return {
    clientId: 'grid-bot',
    exchange: 'mx',
    note: 'main account',
    testStatus: 'success',
    testMessage: null,
    testedAt: at,
    hasApiKey: true,
    hasApiSecret: true,
    hasPassphrase: false,
    isReadable: true,
    expiresAt: null,
    accountKind: null,
    canWithdraw: false,
    createdAt: at,
    ...changes,
  }
}

export const samples = {
  login: {
    token: 'token-of-the-sign-in',
    expiresAt: '2026-03-05T22:30:22.000Z',
    user: { id: 1, email: 'admin@example.com' },
  },
  clients: [
    clientOf(),
    clientOf({ id: 8, clientId: 'market-maker', description: null, isActive: false }),
    clientOf({ id: 9, clientId: 'arbitrage', description: 'Both exchanges' }),
  ],
  apiKeys: [
    apiKeyOf(),
    apiKeyOf({
      exchange: 'bg',
      note: null,
      hasPassphrase: true,
      testStatus: 'failure',
      accountKind: 'classic',
    }),
    apiKeyOf({
      clientId: 'arbitrage',
      exchange: 'bg',
      hasPassphrase: true,
      accountKind: 'unified',
    }),
  ],
} as const
