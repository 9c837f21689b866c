import type { ApiKey, ListedClient } from 'schema'
import { apiKeyOf, clientOf } from './samples.ts'

/** As *Generate* makes one: exactly the 30 characters that are shown whole. */
export const LONG_ID = 'client_1772717422000_k3v9q0z7m'
/** As long as a note may be. */
export const LONG_NOTE = 'Hauptkonto_GridBot_Strategie_42_Team_Frankfurt_Nov'

const at = '2026-03-05T13:30:22.000Z'

/** Keys of one client as they are in daily use: with everything that a row can show. */
export const longKeys: readonly ApiKey[] = [
  apiKeyOf({ clientId: LONG_ID, note: LONG_NOTE, expiresAt: '2026-03-09T00:00:00.000Z' }),
  apiKeyOf({
    clientId: LONG_ID,
    exchange: 'bg',
    note: 'Second account of the grid bot, only for the tests',
    hasPassphrase: true,
    accountKind: 'classic',
    testStatus: 'failure',
    testMessage: 'Bitget 40037: Apikey does not exist, or the passphrase is wrong for this key',
    testedAt: at,
  }),
  apiKeyOf({ clientId: 'x'.repeat(60), note: null, testStatus: 'untested' }),
]

/** Clients whose ids and descriptions are as long as they get. */
export const longClients: readonly ListedClient[] = [
  clientOf({ clientId: LONG_ID, description: LONG_NOTE }),
  clientOf({ id: 8, clientId: 'x'.repeat(60), description: null, isActive: false }),
]
