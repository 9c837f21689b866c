import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  type AuditAction,
  confirmPasskey,
  confirmTotp,
  createPasskey,
  createRecoveryCodes,
  createTotp,
  type EnrolledFactor,
  type PasskeyRegistration,
  passkeyOptions,
  removeFactor,
  renameFactor,
  SECOND_FACTORS_MAX,
  type SecondFactor,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { actsWith, type By } from '../../http/act.ts'
import { authorOf, countedCaller } from '../../http/request-origin.ts'
import { routeOf } from '../../http/route.ts'
import type { Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { Enrolled, Enrolment, SecondFactorRow } from '../../store/second-factor-store.ts'
import { type AdminCaller, adminOf } from './access.ts'
import {
  FactorNotFoundError,
  FactorsFullError,
  FirstCodeWrongError,
  NoSecondFactorError,
  PasskeyOriginError,
  PasskeyRefusedError,
} from './errors.ts'
import { stepOf, TOTP_SECRET_BYTES, toBase32, totpUri } from './factor-check.ts'
import type { PasskeyVerifier } from './passkey-verifier.ts'
import { type Challenges, creationOptions, newChallenge, requestOptions } from './passkeys.ts'

const BODY_BYTES_MAX = 16 * 1024

interface FactorRoutesOptions {
  readonly ownFactors: FactorService
  readonly nowMs: () => number
}

/** The second factors of the person who is signed in. */
export const factorRoutes: FastifyPluginAsyncTypebox<FactorRoutesOptions> = async (
  app,
  options,
) => {
  const { ownFactors, nowMs } = options
  const callerOf = (request: FastifyRequest) =>
    ownerOf({ request, author: authorOf(request, nowMs()) })
  app.route({
    ...routeOf(passkeyOptions),
    handler: async (request) => ownFactors.passkeyOptions(callerOf(request)),
  })
  app.route({
    ...routeOf(confirmPasskey),
    handler: async (request) => ownFactors.confirmOptions(callerOf(request)),
  })
  for (const routeWith of acts) app.route(routeWith(options))
}

const ownerOf = ({ request, author }: Pick<By, 'request' | 'author'>): Owner => ({
  caller: adminOf(request),
  author,
  countedAddress: countedCaller(request)?.address,
  origin: request.headers.origin,
})

const act = actsWith<FactorRoutesOptions>()

const acts = [
  act(createTotp, {
    entries: ['second-factor.begun'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ body }, by, { ownFactors }) => ownFactors.createTotp(body.name, ownerOf(by)),
  }),
  act(confirmTotp, {
    entries: ['second-factor.added'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ params, body }, by, { ownFactors }) =>
      ownFactors.confirmTotp(params.id, body.code, ownerOf(by)),
  }),
  act(createPasskey, {
    entries: ['second-factor.added'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ body: { name, response } }, by, { ownFactors }) =>
      ownFactors.createPasskey(name, response, ownerOf(by)),
  }),
  act(renameFactor, {
    entries: ['second-factor.renamed'],
    bodyLimit: BODY_BYTES_MAX,
    run: ({ params, body }, by, { ownFactors }) =>
      ownFactors.rename(params.id, body.name, ownerOf(by)),
  }),
  act(removeFactor, {
    entries: ['second-factor.removed'],
    run: ({ params }, by, { ownFactors }) => ownFactors.remove(params.id, ownerOf(by)),
  }),
  act(createRecoveryCodes, {
    entries: ['recovery-codes.replaced'],
    async run(_input, by, { ownFactors }) {
      return { recoveryCodes: await ownFactors.replaceCodes(ownerOf(by)) }
    },
  }),
]

const ISSUER = 'Sluice'
/** How long a person may take to put a secret into an app. */
const UNCONFIRMED_MS = 3_600_000

interface FactorParts extends Pick<Parts, 'config' | 'nowMs' | 'stores' | 'vault'> {
  readonly passkeys: Pick<PasskeyVerifier, 'check'>
  readonly challenges: Challenges
}

/** Who changes their own factors, in which session. */
interface Owner {
  readonly caller: AdminCaller
  readonly author: Author
  /** As attempts are counted. */
  readonly countedAddress: string | undefined
  /** The page's, as the browser says it. */
  readonly origin: string | undefined
}

/** The second factors of the person who is signed in. */
export function createFactorService(parts: FactorParts) {
  return { ...createApps(parts), ...createPasskeys(parts), ...createChanges(parts) }
}
export type FactorService = ReturnType<typeof createFactorService>

function createApps(parts: FactorParts) {
  const { nowMs } = parts
  const { secondFactors } = parts.stores
  const { sealing } = parts.vault
  return {
    /** @throws FactorsFullError */
    async createTotp(name: string, owner: Owner) {
      const { adminId, email } = owner.caller
      await requireRoom(parts, adminId)
      const secret = randomBytes(TOTP_SECRET_BYTES)
      const sealer = await sealing.current()
      const { id } = await secondFactors.insertTotp(
        { adminId, name, createdAtMs: nowMs() },
        (factorRef) => ({
          keyId: sealer.keyId,
          secretSealed: sealer.seal(secret.toString('base64'), {
            ...{ adminId, factorRef, field: 'totpSecret' },
          }),
        }),
        entry(owner, 'second-factor.begun', { after: { kind: 'totp', name } }),
      )
      return { id, secret: toBase32(secret), uri: totpUri(secret, ISSUER, email) }
    },

    /** @throws FactorNotFoundError, FirstCodeWrongError */
    async confirmTotp(id: number, code: string, owner: Owner): Promise<EnrolledFactor> {
      const { adminId } = owner.caller
      const atMs = nowMs()
      const row = await secondFactors.findUnconfirmed(adminId, id)
      if (row === undefined || row.secretSealed === null) throw new FactorNotFoundError(id)
      if (Math.abs(atMs - row.createdAtMs) > UNCONFIRMED_MS) throw new FactorNotFoundError(id)
      const binding = { adminId, factorRef: id, field: 'totpSecret' } as const
      const secret = Buffer.from(sealing.open(row.secretSealed, binding), 'base64')
      const step = stepOf(code, secret, { atMs, lastStep: null })
      if (step === undefined) throw new FirstCodeWrongError()
      const { enrolment, codes } = newEnrolment(parts, owner)
      const enrolled = await secondFactors.confirmTotp(id, step, enrolment)
      if (enrolled === undefined) throw new FactorNotFoundError(id)
      return toEnrolledFactor(enrolled, codes)
    },
  }
}

function createPasskeys(parts: FactorParts) {
  const { passkeys, challenges } = parts
  const { secondFactors } = parts.stores
  const { consoleOrigins } = parts.config
  return {
    /** @throws PasskeyOriginError, FactorsFullError */
    async passkeyOptions({ caller, origin }: Owner): Promise<Record<string, unknown>> {
      const { adminId, email, jti } = caller
      await requireRoom(parts, adminId)
      const challenge = newChallenge(origin, consoleOrigins)
      if (challenge === undefined) throw new PasskeyOriginError()
      challenges.keep({ purpose: 'registration', jti }, challenge)
      return creationOptions(challenge, email, await secondFactors.list(adminId))
    },

    /** @throws PasskeyRefusedError, PasskeyTakenError, FactorsFullError */
    async createPasskey(
      name: string,
      response: PasskeyRegistration,
      owner: Owner,
    ): Promise<EnrolledFactor> {
      const { adminId, jti } = owner.caller
      const expected = challenges.take({ purpose: 'registration', jti })
      if (expected === undefined) throw new PasskeyRefusedError()
      const { transports = [], ...data } = response.response
      const passkey = await passkeys.check({
        ...{ type: 'registration', expected },
        response: {
          ...{ ...response, clientExtensionResults: {} },
          response: { ...data, transports: transports as never[] },
        },
      })
      await requireRoom(parts, adminId)
      const { enrolment, codes } = newEnrolment(parts, owner)
      const { rpId } = expected
      const row = { ...passkey, adminId, name, rpId }
      return toEnrolledFactor(await secondFactors.insertPasskey(row, enrolment), codes)
    },

    /** What a passkey has to sign to confirm a call. @throws PasskeyOriginError */
    async confirmOptions({ caller, origin }: Owner): Promise<Record<string, unknown>> {
      const challenge = newChallenge(origin, consoleOrigins)
      if (challenge === undefined) throw new PasskeyOriginError()
      const options = requestOptions(challenge, await secondFactors.list(caller.adminId))
      if (options === undefined) throw new PasskeyOriginError()
      challenges.keep({ purpose: 'confirmation', jti: caller.jti }, challenge)
      return options
    },
  }
}

function createChanges({ stores: { secondFactors }, vault, nowMs }: FactorParts) {
  return {
    /** @throws FactorNotFoundError */
    async rename(id: number, name: string, owner: Owner): Promise<SecondFactor> {
      const renamed = await secondFactors.rename(owner.caller.adminId, id, name, (before) =>
        entry(owner, 'second-factor.renamed', { before: factsOf(before), after: { name } }),
      )
      if (renamed === undefined) throw new FactorNotFoundError(id)
      return toSecondFactor(renamed)
    },

    /** @throws FactorNotFoundError */
    async remove(id: number, owner: Owner): Promise<void> {
      const isRemoved = await secondFactors.remove(owner.caller.adminId, id, (factor, isLast) =>
        entry(owner, 'second-factor.removed', { before: factsOf(factor), after: { isLast } }),
      )
      if (!isRemoved) throw new FactorNotFoundError(id)
    },

    /** @throws NoSecondFactorError */
    async replaceCodes(owner: Owner): Promise<string[]> {
      const { adminId } = owner.caller
      const codes = vault.recoveryCodes.make()
      const hashes = codes.map((code) => vault.recoveryCodes.hashOf(adminId, code))
      const facts = { after: { count: codes.length } }
      const audited = entry(owner, 'recovery-codes.replaced', facts)
      const isDone = await secondFactors.replaceCodes(adminId, hashes, nowMs(), audited)
      if (!isDone) throw new NoSecondFactorError()
      return codes
    },
  }
}

function toSecondFactor(row: SecondFactorRow): SecondFactor {
  const { id, kind, name, createdAtMs, lastUsedAtMs } = row
  const createdAt = new Date(createdAtMs).toISOString()
  const lastUsedAt = lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString()
  return { id, kind, name, createdAt, lastUsedAt }
}

/** @throws FactorsFullError */
async function requireRoom(
  { stores: { secondFactors } }: FactorParts,
  adminId: number,
): Promise<void> {
  if ((await secondFactors.list(adminId)).length >= SECOND_FACTORS_MAX) throw new FactorsFullError()
}

function newEnrolment({ vault: { recoveryCodes }, nowMs }: FactorParts, owner: Owner) {
  const { adminId, jti } = owner.caller
  const codes = recoveryCodes.make()
  const enrolment: Enrolment = {
    atMs: nowMs(),
    codeHashes: codes.map((code) => recoveryCodes.hashOf(adminId, code)),
    session: { jti, address: owner.countedAddress ?? '' },
    toEntry: (factor, isFirst) =>
      entry(owner, 'second-factor.added', { after: { ...factsOf(factor), isFirst } }),
  }
  return { enrolment, codes }
}

function toEnrolledFactor(
  { factor, isFirst, endedSessions }: Enrolled,
  codes: string[],
): EnrolledFactor {
  return {
    factor: toSecondFactor(factor),
    recoveryCodes: isFirst ? codes : null,
    endedSessions,
  }
}

const factsOf = ({ id, kind, name, rpId }: SecondFactorRow) => ({
  ...{ id, kind, name },
  ...(rpId === null ? {} : { rpId }),
})

function entry(
  { author, caller }: Owner,
  action: AuditAction,
  facts: Pick<NewAuditEntry, 'before' | 'after'>,
): NewAuditEntry {
  return { author, action, subjectKind: 'admin', subject: caller.email, ...facts }
}
