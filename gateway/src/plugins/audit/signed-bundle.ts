import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { createError } from '@fastify/error'
import type { exportAudit, QueryOf } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import {
  type AuditHead,
  type AuditRow,
  type Author,
  HASHED,
  hashedTextOf,
} from '../../store/audit-chain.ts'
import { deriveKey } from '../../vault/master-key.ts'
import { RELEASE } from '../../version.ts'

/** Only what the chain connects can be proved whole. */
const BundleFilteredError = createError<[filter: string]>(
  'AUDIT_BUNDLE_FILTERED',
  'A signed bundle has every entry of a time, so it cannot be filtered by %s. Leave this out, or export csv or jsonl',
  400,
)

type Filter = Omit<QueryOf<typeof exportAudit>, 'format'>

/** RFC 8410: what a PKCS #8 document of Ed25519 has before the 32 bytes of its key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

interface Signer {
  /** The public key, 32 bytes in base64url. */
  readonly key: string
  readonly trail: string
  readonly privateKey: KeyObject
}

/**
 * The key that signs exports of this trail. It derives from the current master key, so all nodes
 * have the same one, nothing more is stored, and a rotation because of a leak replaces it too. It
 * derives from the trail as well: two gateways have two keys, even with the same master key.
 * @throws MasterKeyUnavailableError
 */
export async function auditSigner({ stores, vault }: Pick<Parts, 'stores' | 'vault'>) {
  const trail = await stores.audit.trail()
  const seed = deriveKey((await vault.ring.current()).key, `audit signature ${trail}`).export()
  const der = Buffer.concat([PKCS8_HEAD, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x: key = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { key, trail, privateKey } satisfies Signer
}

/**
 * Begins a signed export, which leaves an entry in the trail.
 * @returns its lines in pieces: each entry as the text that its hash is made of, then what the
 * bundle is, then the signature of that line. No reader has to write JSON the same way again.
 * @throws BundleFilteredError, MasterKeyUnavailableError, StoreUnwritableError
 */
export async function beginSignedBundle(
  { stores, vault }: Pick<Parts, 'stores' | 'vault'>,
  { from, to, ...others }: Filter,
  author: Author,
  signal: AbortSignal,
): Promise<AsyncGenerator<string, void>> {
  const [filtered] = Object.keys(others)
  if (filtered !== undefined) throw new BundleFilteredError(filtered)
  const [since, until] = [from, to].map((ms) => (ms === undefined ? null : isoTime(ms)))
  const head = await stores.audit.append({
    ...{ author, action: 'audit.exported', subjectKind: 'audit', subject: 'audit trail' },
    after: { from: since, to: until },
  })
  const signer = await auditSigner({ stores, vault })
  const [end] = to === undefined ? [head] : await stores.audit.page({ toMs: to, limit: 1 }, signal)
  const entries = stores.audit.chain({ fromMs: from, lastId: end?.id ?? 0 }, signal)
  const about = { madeAt: isoTime(author.atMs), madeBy: author.actor, from: since, to: until }
  return linesOf(entries, signer, { ...about, head })
}

const isoTime = (ms: number) => new Date(ms).toISOString()

interface About {
  readonly madeAt: string
  readonly madeBy: string
  readonly from: string | null | undefined
  readonly to: string | null | undefined
  /** The last entry of the whole trail, which is that of the export. */
  readonly head: AuditHead
}

async function* linesOf(
  pieces: AsyncIterable<readonly AuditRow[]>,
  { key, trail, privateKey }: Signer,
  about: About,
): AsyncGenerator<string, void> {
  let entries = 0
  let first: AuditRow | undefined
  let last: AuditRow | undefined
  for await (const rows of pieces) {
    entries += rows.length
    first ??= rows[0]
    last = rows.at(-1)
    yield rows.map((row) => `${hashedTextOf(row)}\n`).join('')
  }
  const manifest = JSON.stringify({
    ...{ bundle: 'sluice-audit-trail', version: 1, gateway: RELEASE, trail, key, ...about },
    ...{ columns: HASHED, entries },
    first: first === undefined ? null : { id: first.id, previousHash: first.previousHash },
    last: last === undefined ? null : { id: last.id, hash: last.hash },
  })
  const signature = sign(null, Buffer.from(manifest), privateKey).toString('base64url')
  yield `${manifest}\n${JSON.stringify({ signature })}\n`
}
