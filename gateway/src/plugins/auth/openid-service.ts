import { randomBytes } from 'node:crypto'
import { CONFIRMED_SECONDS, type OpenIdProof } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { AdminRow } from '../../store/admin-store.ts'
import type { Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { Admission, AdmissionRefusal } from '../../store/openid-store.ts'
import {
  ConfirmFailedError,
  OpenIdDisabledError,
  OpenIdEmailMissingError,
  OpenIdEmailTakenError,
  OpenIdExpiredError,
  OpenIdNoRoleError,
  OpenIdOffError,
  OpenIdOriginError,
} from './errors.ts'
import { FLOW_MS, FlowSeal, OpenIdCodes, type OpenIdFlow } from './openid-flow.ts'
import { type OpenIdClaims, OpenIdProvider } from './openid-provider.ts'

const REFUSALS: Readonly<Record<AdmissionRefusal, () => Error>> = {
  disabled: () => new OpenIdDisabledError(),
  'email-missing': () => new OpenIdEmailMissingError(),
  'email-taken': () => new OpenIdEmailTakenError(),
}

type OpenIdParts = Pick<Parts, 'config' | 'nowMs' | 'stores'>

/**
 * Sign-in at an OpenID Connect provider: the way there, the way back, and which admin the person
 * is.
 */
export function createOpenIdService(parts: OpenIdParts) {
  const { openId: settings } = parts.config
  // Undefined: nobody signs in by OpenID Connect.
  const provider = settings && new OpenIdProvider(settings, parts.nowMs)
  const requireProvider = (): OpenIdProvider => {
    if (provider === undefined) throw new OpenIdOffError()
    return provider
  }
  const codes = new OpenIdCodes(parts.nowMs)
  return {
    /** What people call the provider; undefined when there is none. */
    name: settings?.name,
    /** Whether browsers reach the gateway by HTTPS, so that cookies can be for HTTPS only. */
    isSecure: settings?.redirectUri.startsWith('https:') ?? true,
    requireProvider,
    ...createFlows(parts, requireProvider, codes),
    ...createIdentities(parts, requireProvider, codes),
  }
}
export type OpenIdService = ReturnType<typeof createOpenIdService>

/** The browser's way to the provider and back. */
function createFlows(
  { config: { consoleOrigins }, nowMs }: OpenIdParts,
  requireProvider: () => OpenIdProvider,
  codes: OpenIdCodes,
) {
  const seal = new FlowSeal(nowMs)
  return {
    /** Which console a browser returns to. @throws OpenIdOriginError */
    consoleOf(origin: string | undefined): string {
      const [first = ''] = consoleOrigins
      if (origin === undefined) return first
      if (!consoleOrigins.includes(origin)) throw new OpenIdOriginError()
      return origin
    },

    /** The sealed flow for the browser, and where it goes. @throws OpenIdUnavailableError */
    async begin(
      wish: Pick<OpenIdFlow, 'challenge' | 'purpose' | 'origin'>,
    ): Promise<{ readonly sealed: string; readonly address: string }> {
      const random = () => randomBytes(32).toString('base64url')
      const flow: OpenIdFlow = {
        ...wish,
        ...{ state: random(), nonce: random(), verifier: random() },
        expiresAtMs: nowMs() + FLOW_MS,
      }
      return { sealed: seal.seal(flow), address: await requireProvider().addressOf(flow) }
    },

    /** The flow that a browser kept; undefined when there is none, or when it has expired. */
    openFlow: (sealed: string): OpenIdFlow | undefined => seal.open(sealed),

    /**
     * Verifies what the provider sent the browser back with.
     * @returns the one-time code for the page
     * @throws OpenIdFailedError, OpenIdDeniedError, OpenIdUnavailableError
     */
    async finish(query: string, flow: OpenIdFlow): Promise<string> {
      return codes.make(flow, await requireProvider().verify(query, flow))
    },
  }
}

/** Who a person of the provider is here. */
function createIdentities(
  parts: OpenIdParts,
  requireProvider: () => OpenIdProvider,
  codes: OpenIdCodes,
) {
  const { config, nowMs } = parts
  const { openIds } = parts.stores
  return {
    /**
     * The person of a one-time code, who may sign in with the role that the provider states.
     * @param onKnown gets the e-mail as soon as it is known, for the audit trail
     * @returns the person, and when that one showed who they are
     * @throws OpenIdExpiredError, OpenIdNoRoleError, OpenIdDisabledError, OpenIdEmailMissingError,
     * OpenIdEmailTakenError
     */
    async admit(
      proof: OpenIdProof,
      author: Author,
      onKnown: (email: string) => void,
    ): Promise<{ readonly admin: AdminRow; readonly confirmedAtMs: number }> {
      const { settings } = requireProvider()
      const claims = codes.take(proof, 'sign-in')
      if (claims === undefined) throw new OpenIdExpiredError()
      const { issuer } = settings
      const known = await openIds.find(issuer, claims.subject)
      onKnown(known?.email ?? claims.email ?? '')
      const { role } = claims
      if (role === undefined) {
        if (known !== undefined) await endSessions(parts, known, author)
        throw new OpenIdNoRoleError()
      }
      const atMs = nowMs()
      const admitted = await openIds.admit({ ...claims, role, issuer }, atMs, (admission) =>
        entriesOf(author, issuer, admission),
      )
      if (typeof admitted === 'string') throw REFUSALS[admitted]()
      return { admin: admitted.admin, confirmedAtMs: shownAtMs(claims, atMs) }
    },

    /**
     * When the person of a one-time code signed in at the provider: in the last minutes, and as the
     * same one.
     * @throws ConfirmFailedError
     */
    async confirm(adminId: number, proof: OpenIdProof): Promise<number> {
      const claims = codes.take(proof, 'confirm')
      const subject = config.openId && (await openIds.subjectOf(adminId, config.openId.issuer))
      const atMs = nowMs()
      const { authTimeMs } = claims ?? {}
      const isSame = claims !== undefined && claims.subject === subject
      if (!isSame || authTimeMs === undefined) throw new ConfirmFailedError()
      if (atMs - authTimeMs >= CONFIRMED_SECONDS * 1000) throw new ConfirmFailedError()
      return Math.min(authTimeMs, atMs)
    },

    /** Whether a person can sign in at the provider. */
    async isLinked(adminId: number): Promise<boolean> {
      if (config.openId === undefined) return false
      return (await openIds.subjectOf(adminId, config.openId.issuer)) !== undefined
    },
  }
}

/** Providers need not say when a person signed in there: it counts as just now then. */
function shownAtMs({ authTimeMs }: OpenIdClaims, atMs: number): number {
  return Math.max(0, Math.min(authTimeMs ?? atMs, atMs))
}

/** The provider gives the person no role any more. */
async function endSessions(
  { config, nowMs, stores: { adminSessions } }: OpenIdParts,
  { id, email }: AdminRow,
  author: Author,
): Promise<void> {
  const atMs = nowMs()
  const { idleMs } = config.sessions
  if ((await adminSessions.listValid({ nowMs: atMs, idleMs }, id)).length === 0) return
  await adminSessions.revokeAll(id, atMs, {
    ...{ author: { ...author, actor: email, actorKind: 'admin' } },
    ...{ action: 'admin.sessions-ended', subjectKind: 'admin', subject: email },
    after: { role: null, by: 'openid' },
  })
}

function entriesOf(
  author: Author,
  issuer: string,
  { admin: { email, role }, how, roleBefore, isPasswordRemoved }: Admission,
): readonly NewAuditEntry[] {
  const ofPerson = {
    author: { ...author, actor: email, actorKind: 'admin' },
    ...{ subjectKind: 'admin', subject: email },
  } as const
  const first: readonly NewAuditEntry[] =
    how === 'known'
      ? []
      : [
          {
            ...{ ...ofPerson, action: how === 'created' ? 'admin.created' : 'admin.openid-linked' },
            after: { role, issuer },
          },
        ]
  if (role === roleBefore) return first
  const change: NewAuditEntry = {
    ...{ ...ofPerson, action: 'admin.role-changed', before: { role: roleBefore } },
    after: { role, by: 'openid', ...(isPasswordRemoved ? { password: 'removed' } : {}) },
  }
  return [...first, change]
}
