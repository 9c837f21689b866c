import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ConfirmRequest, Factor } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { AdminRow } from '../../store/admin-store.ts'
import type { SecondFactorRow } from '../../store/second-factor-store.ts'
import { UnreadableSecretError } from '../../vault/errors.ts'
import { GuessLimit } from './attempt-limits.ts'
import { ConfirmFailedError, PasskeyRefusedError } from './errors.ts'
import type { OpenIdService } from './openid-service.ts'
import type { PasskeyVerifier } from './passkey-verifier.ts'
import type { PasskeyChallenge, StoredPasskey } from './passkeys.ts'

/** A new code begins every 30 seconds (RFC 6238, 4.1). */
const STEP_MS = 30_000
const DIGITS = 6
/** How many steps the two clocks may differ (RFC 6238, 5.2). */
const WINDOW = 1

/** As many random bytes as the HMAC has: RFC 4226, section 4, R6. */
export const TOTP_SECRET_BYTES = 20

/** The code of a time step: HOTP with SHA-1 and six digits (RFC 4226, 5.3). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

export function stepAt(atMs: number): number {
  return Math.floor(atMs / STEP_MS)
}

/**
 * The time step whose code this is, one step around now; undefined when there is none. A step that
 * is not after `lastStep` is not taken: each code works once, and older codes no longer work.
 */
export function stepOf(
  code: string,
  secret: Buffer,
  { atMs, lastStep }: { readonly atMs: number; readonly lastStep: number | null },
): number | undefined {
  const now = stepAt(atMs)
  const given = Buffer.from(code)
  let found: number | undefined
  for (let step = Math.max(0, now - WINDOW); step <= now + WINDOW; step += 1) {
    const expected = Buffer.from(codeAt(secret, step))
    const isSame = given.length === expected.length && timingSafeEqual(given, expected)
    if (isSame && step > (lastStep ?? -1)) found ??= step
  }
  return found
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, section 6, without padding: as people type a secret into an app. */
export function toBase32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}

/** What an authenticator app reads from a QR code (Google's "Key Uri Format"). */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = `secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`
}

interface Checking extends Pick<Parts, 'config' | 'nowMs' | 'stores' | 'vault'> {
  readonly passkeys: Pick<PasskeyVerifier, 'check'>
  readonly openId: Pick<OpenIdService, 'isLinked'>
  readonly guesses: GuessLimit
}

/** Whose factors, and how the session began: where there is none yet, not at a provider. */
interface FactorOwner {
  readonly adminId: number
  readonly isOpenId: boolean
}

/** What is shown here; what the provider confirms is no such factor. */
type OwnFactor = Exclude<Factor, 'openid'>

/** What a person shows, and the challenge that a passkey has to sign, where there is one. */
interface Shown {
  readonly admin: AdminRow
  readonly factors: readonly SecondFactorRow[]
  readonly shown: ConfirmRequest
  readonly challenge: PasskeyChallenge | undefined
}

/** Whether what a person shows is right. What was right once is used up. */
type Check = (checking: Checking, shown: Shown) => Promise<boolean>

/** One check for each factor. */
const CHECKS: Readonly<Record<OwnFactor, Check>> = {
  password: ({ vault }, { admin, shown: { password = '' } }) =>
    vault.passwords.verify(password, admin.passwordHash, 'reserved'),
  totp: limited(checkTotp),
  'recovery-code': limited(({ stores, vault, nowMs }, { admin: { id }, shown }) => {
    const hash = vault.recoveryCodes.hashOf(id, shown.recoveryCode ?? '')
    return stores.secondFactors.useCode(id, hash, nowMs())
  }),
  // Nobody guesses a signature, so a flood of guesses of codes does not keep its owner out.
  passkey: checkPasskey,
}

/** What people can show to prove who they are, and whether it is right. */
export function createFactorCheck(parts: Omit<Checking, 'guesses'>) {
  const { admins, secondFactors } = parts.stores
  const checking = { ...parts, guesses: new GuessLimit(parts.nowMs) }

  /**
   * What a person can show: second factors, the password only without any, and the provider. In a
   * session that began at the provider the password is less than what began it.
   */
  async function factorsOf({ adminId, isOpenId }: FactorOwner): Promise<Factor[]> {
    const own = namesOf(await secondFactors.list(adminId), await secondFactors.codesLeft(adminId))
    const { passwordHash = '' } = (await admins.find(adminId)) ?? {}
    const hasPassword = parts.config.passwordSignIn && !isOpenId && passwordHash !== ''
    const atProvider = (await parts.openId.isLinked(adminId)) ? (['openid'] as const) : []
    return [...own.filter((factor) => factor !== 'password' || hasPassword), ...atProvider]
  }

  return {
    factorsOf,

    /**
     * @param challenge what a passkey has to sign
     * @returns what was shown
     * @throws ConfirmFailedError, TooManyAttemptsError, PasswordQueueFullError
     */
    async check(
      owner: FactorOwner,
      shown: ConfirmRequest,
      challenge: PasskeyChallenge | undefined,
    ): Promise<OwnFactor> {
      const { adminId } = owner
      const factor = factorIn(shown)
      const admin = await admins.find(adminId)
      if (admin === undefined || admin.disabledAtMs !== null) throw new ConfirmFailedError()
      const factors = await secondFactors.list(adminId)
      if (!(await factorsOf(owner)).includes(factor)) throw new ConfirmFailedError()
      const isRight = await CHECKS[factor](checking, { admin, factors, shown, challenge })
      if (!isRight) throw new ConfirmFailedError()
      return factor
    },
  }
}
export type FactorCheck = ReturnType<typeof createFactorCheck>

function namesOf(factors: readonly SecondFactorRow[], codesLeft: number): OwnFactor[] {
  if (factors.length === 0) return ['password']
  const kinds = (['passkey', 'totp'] as const).filter((kind) =>
    factors.some((factor) => factor.kind === kind),
  )
  return [...kinds, ...(codesLeft > 0 ? (['recovery-code'] as const) : [])]
}

function factorIn({ totp, recoveryCode, passkey }: ConfirmRequest): OwnFactor {
  if (totp !== undefined) return 'totp'
  if (passkey !== undefined) return 'passkey'
  return recoveryCode === undefined ? 'password' : 'recovery-code'
}

/** Limits the guesses of what is short enough to guess. */
function limited(check: Check): Check {
  return async (checking, shown) => {
    const takeBack = checking.guesses.take(shown.admin.id)
    const isRight = await check(checking, shown)
    if (isRight) takeBack()
    return isRight
  }
}

/**
 * Whether one of the apps shows this code. The others are asked also when the secret of one cannot
 * be opened.
 * @throws UnreadableSecretError when none shows it, and one of them could not be asked
 */
async function checkTotp(
  { stores: { secondFactors }, vault: { sealing }, nowMs }: Checking,
  { factors, shown: { totp = '' } }: Shown,
): Promise<boolean> {
  const atMs = nowMs()
  let unreadable: unknown
  for (const { id, adminId, secretSealed, lastStep } of factors) {
    if (secretSealed === null) continue
    try {
      const secret = sealing.open(secretSealed, { adminId, factorRef: id, field: 'totpSecret' })
      const step = stepOf(totp, Buffer.from(secret, 'base64'), { atMs, lastStep })
      if (step !== undefined && (await secondFactors.useTotp(id, step, atMs))) return true
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error
      unreadable = error
    }
  }
  if (unreadable !== undefined) throw unreadable
  return false
}

/** @throws ConfirmFailedError with the reason, which is for the audit trail */
async function checkPasskey(
  { stores: { secondFactors }, passkeys, nowMs }: Checking,
  { factors, shown: { passkey: response }, challenge: expected }: Shown,
): Promise<boolean> {
  const row = factors.find(({ credentialId }) => credentialId === response?.id)
  const passkey = row === undefined ? undefined : toPasskey(row)
  if (passkey === undefined || response === undefined || expected === undefined) return false
  if (row?.rpId !== expected.rpId) return false
  try {
    const { counter } = await passkeys.check({
      ...{ type: 'assertion', expected, passkey },
      response: { ...response, clientExtensionResults: {} },
    })
    return await secondFactors.usePasskey(row.id, { from: passkey.counter, to: counter }, nowMs())
  } catch (error) {
    if (error instanceof PasskeyRefusedError) throw new ConfirmFailedError({ cause: error.cause })
    throw error
  }
}

function toPasskey(row: SecondFactorRow): StoredPasskey | undefined {
  const { credentialId, publicKey, counter } = row
  if (credentialId === null || publicKey === null || counter === null) return undefined
  return { credentialId, publicKey, counter }
}
