import type { ConfirmRequest, Factor, SecondFactorRequest, SignInNeeded } from 'schema'
import type { AdminRow, AdminStore } from '../../store/admin-store.ts'
import type { SecondFactorStore } from '../../store/second-factor-store.ts'
import {
  ConfirmFailedError,
  SecondFactorFailedError,
  SecondFactorNeededError,
  SignInExpiredError,
} from './errors.ts'
import type { FactorCheck } from './factor-check.ts'
import { newChallenge, requestOptions } from './passkeys.ts'
import type { WaitingSignIn, WaitingSignIns } from './waiting-sign-ins.ts'

export interface SecondStepDeps {
  readonly admins: Pick<AdminStore, 'find'>
  readonly secondFactors: Pick<SecondFactorStore, 'list'>
  readonly factors: Pick<FactorCheck, 'check' | 'factorsOf'>
  readonly waiting: WaitingSignIns
  readonly consoleOrigins: readonly string[]
}

/** Where the first step came from. */
export interface SignInPlace {
  readonly countedAddress: string | undefined
  /** The page's, as the browser says it. */
  readonly origin: string | undefined
}

/** The second step of signing in, for people who have a second factor. */
export function createSecondStep(deps: SecondStepDeps) {
  const { admins, secondFactors, factors, waiting, consoleOrigins } = deps

  return {
    /**
     * Returns when the password alone is enough.
     * @throws SecondFactorNeededError
     */
    async require({ id, email, passwordHash }: AdminRow, place: SignInPlace): Promise<void> {
      const enrolled = await secondFactors.list(id)
      if (enrolled.length === 0) return
      const challenge = newChallenge(place.origin, consoleOrigins)
      const passkey = challenge === undefined ? undefined : requestOptions(challenge, enrolled)
      const { countedAddress = '' } = place
      const begun = waiting.begin({
        ...{ adminId: id, email, passwordHash, countedAddress },
        passkey: passkey === undefined ? undefined : challenge,
      })
      // A passkey is for another page, or there is no page.
      const possible = (await factors.factorsOf({ adminId: id, isOpenId: false })).filter(
        (factor) => factor !== 'openid' && (factor !== 'passkey' || passkey !== undefined),
      )
      throw new SecondFactorNeededError({
        ...{ id: begun.id, expiresAt: new Date(begun.expiresAtMs).toISOString() },
        factors: possible,
        ...(passkey === undefined ? {} : { passkey }),
      } satisfies SignInNeeded)
    },

    /** Whose sign-in waits; empty when there is none. */
    emailOf: (signInId: string): string => waiting.find(signInId)?.email ?? '',

    /**
     * Ends a sign-in that waits, when what is shown is right.
     * @returns the person, with the hash of the password that was shown
     * @throws SecondFactorFailedError, SignInExpiredError, TooManyAttemptsError
     */
    async finish({
      signInId,
      ...shown
    }: SecondFactorRequest): Promise<{ admin: AdminRow; factor: Factor }> {
      const signIn = waiting.take(signInId)
      if (signIn === undefined) throw new SignInExpiredError()
      const admin = await admins.find(signIn.adminId)
      const isSame = admin?.disabledAtMs === null && admin.passwordHash === signIn.passwordHash
      if (!isSame) {
        waiting.end(signInId)
        throw new SignInExpiredError()
      }
      const factor = await show(factors, signIn, shown)
      // Of two that come at once, one gets the session.
      if (!waiting.end(signInId)) throw new SignInExpiredError()
      return { admin, factor }
    },
  }
}

export type SecondStep = ReturnType<typeof createSecondStep>

/** @throws SecondFactorFailedError, TooManyAttemptsError */
async function show(
  factors: Pick<FactorCheck, 'check'>,
  { adminId, passkey, triesLeft }: WaitingSignIn,
  shown: ConfirmRequest,
): Promise<Factor> {
  try {
    return await factors.check({ adminId, isOpenId: false }, shown, passkey)
  } catch (error) {
    if (!(error instanceof ConfirmFailedError)) throw error
    throw new SecondFactorFailedError(triesLeft, { cause: error.cause })
  }
}
