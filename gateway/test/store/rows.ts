import type { NewApiKeyRow } from '../../src/store/api-key-store.ts'
import { gatewayAuthor, type NewAuditEntry } from '../../src/store/audit-chain.ts'
import type {
  AskedFor,
  JournalStore,
  ListedOrder,
  NewJournalRow,
  OrderFilter,
  SentOrder,
  Settlement,
} from '../../src/store/journal-store.ts'
import type { NewLogRow } from '../../src/store/log-store.ts'
import type { WorkingOrderRow } from '../../src/store/working-order-store.ts'
import type { OpenStores } from './engines.ts'

export const ada = { email: 'Ada@Example.com', passwordHash: 'hash', createdAtMs: 1_000 }
export const bob = { ...ada, email: 'bob@example.com' }

/** A client to insert. */
export const newClient = (clientId = 'grid-bot') => ({
  ...{ clientId, description: null, secretHash: 'hash', secretPreview: 'sls_abcd...wxyz' },
  createdAtMs: 1_000,
})

/** The clients 1 and 2. */
export const TWO_CLIENTS = `
  insert into clients (id, client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
  values (1, 'grid', 'h', 'p', 0, 0), (2, 'other', 'h', 'p', 0, 0)`

export const apiKeysOf = (clientRef: number, rest: Partial<NewApiKeyRow> = {}): NewApiKeyRow => ({
  ...{ clientRef, exchange: 'mx', apiKeySealed: 'v1.sealed-key', keyId: '0123456789ab' },
  ...{ apiSecretSealed: 'v1.sealed-secret', passphraseSealed: null, note: 'main account' },
  ...{ canWithdraw: null, createdAtMs: 2_000 },
  ...rest,
})

/** An order of the client 1 to enter. */
export const order = (id: string, rest: Partial<NewJournalRow> = {}): NewJournalRow => ({
  ...{ id, clientRef: 1, clientId: 'grid', exchange: 'mx', method: 'POST', endpoint: '/order' },
  ...{ fingerprint: 'f', idempotencyKey: null, createdAtMs: 1_000 },
  ...rest,
})

export const asked = (rest: Partial<AskedFor> = {}): AskedFor => ({
  ...{ symbol: 'BTCUSDT', side: 'buy', kind: 'limit', quantity: '0.5', price: '100' },
  ...{ amount: null, ...rest },
})

export const sent = (rest: Partial<SentOrder> = {}): SentOrder => ({
  ...{ orderKey: '{"a":1}', clientOrderId: 'bot-1', orderId: null, keysRef: 7, sentAtMs: 2_000 },
  ...{ valueMicros: 5_000_000, names: [], events: '{"ms":1,"type":"sent"},', ...asked() },
  ...rest,
})

export const end = (rest: Partial<Settlement> = {}): Settlement => ({
  ...{ state: 'answered', statusCode: 200, contentType: 'application/json', body: '{}' },
  ...{ settledAtMs: 3_000, releasesKey: false },
  ...rest,
})

export const working = (id: number, rest: Partial<WorkingOrderRow> = {}): WorkingOrderRow => ({
  ...{ id, clientRef: 1, exchange: 'mx', clientOrderId: null, orderId: `at-${id}`, orderKey: '{}' },
  ...{ keysRef: null, journalId: null, placedAtMs: 2_500 },
  ...rest,
})

export const logRow = (rest: Partial<NewLogRow> = {}): NewLogRow => ({
  ...{ atMs: 60_000, method: 'GET', endpoint: '/x', statusCode: 200, responseMs: 100, queueMs: 0 },
  ...{ upstreamMs: null, clientRef: null, clientId: null, requestId: 'req-1', exchange: 'mx' },
  ...{ code: null, shared: false, note: null, message: null },
  ...rest,
})

export const entryOf = (subject: string): NewAuditEntry => ({
  ...{ author: gatewayAuthor(1_000), action: 'admin.enabled', subjectKind: 'admin', subject },
})

/** For an entry that cannot be made, so that the change is not stored either. */
export const refuse = (): never => {
  throw new Error('no entry')
}

/** An entry that fails while it is written. */
export const unwritable: NewAuditEntry = {
  ...entryOf(''),
  get subject() {
    return refuse()
  },
}

/** The subjects of the audit trail, oldest first. */
export async function subjectsOf({ sql }: Pick<OpenStores, 'sql'>): Promise<unknown[]> {
  return (await sql('select subject from audit_entries order by id')).map(({ subject }) => subject)
}

/** All rows of a store that reads in steps. */
export async function allOf<T>(steps: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const rows of steps) all.push(...rows)
  return all
}

/** Values of `n` for `insert … select` from 1 to a number. */
export const upTo = (n: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${n})`

/** Everything that a list of orders has, newest first. */
export async function newestOrders(
  journal: Pick<JournalStore, 'list'>,
  filter: Partial<OrderFilter> = {},
  atOnce?: number,
): Promise<ListedOrder[]> {
  const all: ListedOrder[] = []
  const whole = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, ...filter }
  for await (const { rows } of journal.list(whole, atOnce, atOnce)) all.push(...rows)
  return all
}
