/** The result of one check. It contains no secret. */
export interface Finding {
  /**
   * `fail`: the gateway does not work, or not safely; `warn`: it works, but a person should look at
   * it.
   */
  readonly level: 'ok' | 'warn' | 'fail'
  /** What was checked, in one or two words. */
  readonly subject: string
  /** The result: a sentence without a full stop. */
  readonly found: string
  /** What to do about it; absent when nothing needs to be done. */
  readonly advice?: string
  /** How many of the like are checked with this one: `12 of 40 keys`; absent where there is one. */
  readonly progress?: string
}

/** Creates findings about one subject. */
export function about(subject: string) {
  return {
    ok: (found: string): Finding => ({ level: 'ok', subject, found }),
    warn: (found: string, advice: string): Finding => ({ level: 'warn', subject, found, advice }),
    fail: (found: string, advice: string): Finding => ({ level: 'fail', subject, found, advice }),
    /**
     * The finding for a check that failed with an error. The message of our own errors says what to
     * do.
     */
    failed: (error: unknown): Finding => ({
      level: 'fail',
      subject,
      found: error instanceof Error ? error.message : String(error),
    }),
  }
}
