import type { KeptSession } from './admin-session-store.ts'
import type { NewAuditEntry } from './audit-chain.ts'
import type { secondFactors } from './sqlite/tables.ts'

export type SecondFactorRow = typeof secondFactors.$inferSelect

export type SealedTotp = Pick<SecondFactorRow, 'keyId' | 'secretSealed'>

export type NewPasskeyRow = Pick<
  SecondFactorRow,
  'adminId' | 'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'rpId'
>

/** What comes with a second factor that counts from now on. */
export interface Enrolment {
  readonly atMs: number
  /** Stored with the first factor. */
  readonly codeHashes: readonly string[]
  /** The session that adds it: it has shown the factor, and stays when the others end. */
  readonly session: KeptSession
  readonly toEntry: (factor: SecondFactorRow, isFirst: boolean) => NewAuditEntry
}

export interface Enrolled {
  readonly factor: SecondFactorRow
  readonly isFirst: boolean
  readonly endedSessions: number
}

/** What admins show besides their passwords. */
export interface SecondFactorStore {
  /** The factors of an admin that count, oldest first. */
  list(adminId: number): Promise<SecondFactorRow[]>

  /** How many recovery codes of an admin were not used yet. */
  codesLeft(adminId: number): Promise<number>

  /** An authenticator app that has not shown a code yet; undefined when there is none. */
  findUnconfirmed(adminId: number, id: number): Promise<SecondFactorRow | undefined>

  /** All rows with a sealed secret, oldest first. */
  listSealed(): Promise<SecondFactorRow[]>

  /**
   * Stores the secret of an app that has to show a code before it counts. An earlier one of the
   * same person that never did is removed.
   * @param seal is called with the id of the row, which the sealed secret belongs to
   * @throws StoreUnwritableError
   */
  insertTotp(
    totp: Pick<SecondFactorRow, 'adminId' | 'name' | 'createdAtMs'>,
    seal: (id: number) => SealedTotp,
    entry: NewAuditEntry,
  ): Promise<SecondFactorRow>

  /**
   * The app has shown a code: it counts from now on.
   * @returns undefined when it is gone, or counts already
   * @throws StoreUnwritableError
   */
  confirmTotp(id: number, lastStep: number, enrolment: Enrolment): Promise<Enrolled | undefined>

  /**
   * Stores a passkey, which counts from now on.
   * @throws PasskeyTakenError, StoreUnwritableError
   */
  insertPasskey(passkey: NewPasskeyRow, enrolment: Enrolment): Promise<Enrolled>

  /** @returns undefined when the person has no such factor @throws StoreUnwritableError */
  rename(
    adminId: number,
    id: number,
    name: string,
    toEntry: (before: SecondFactorRow) => NewAuditEntry,
  ): Promise<SecondFactorRow | undefined>

  /**
   * Removes a factor; with the last one the recovery codes.
   * @returns whether the person had it
   * @throws StoreUnwritableError
   */
  remove(
    adminId: number,
    id: number,
    toEntry: (factor: SecondFactorRow, isLast: boolean) => NewAuditEntry,
  ): Promise<boolean>

  /**
   * Gives a person new recovery codes; the older ones end.
   * @returns false when there is no second factor, and so nothing to recover
   * @throws StoreUnwritableError
   */
  replaceCodes(
    adminId: number,
    hashes: readonly string[],
    atMs: number,
    entry: NewAuditEntry,
  ): Promise<boolean>

  /** Stores the same secret sealed again. @throws StoreUnwritableError */
  reseal(id: number, totp: SealedTotp): Promise<void>

  /** @returns whether no code of this time step, or of a later one, was taken before */
  useTotp(id: number, lastStep: number, lastUsedAtMs: number): Promise<boolean>

  /** @returns whether the counter is still the one that the signature was compared with */
  usePasskey(
    id: number,
    counters: { readonly from: number; readonly to: number },
    lastUsedAtMs: number,
  ): Promise<boolean>

  /** @returns whether the person has such a code, and had not used it */
  useCode(adminId: number, hash: string, usedAtMs: number): Promise<boolean>
}
