/** One thing that was looked at. Nothing in it is secret. */
export interface Finding {
  /** `fail`: the gateway does not work, or not safely; `warn`: it works, and somebody should look. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** What was looked at, in a word or two. */
  readonly subject: string
  /** What was found: a sentence without its full stop. */
  readonly found: string
  /** What to do about it; absent when nothing is to be done. */
  readonly advice?: string
}

/** Makes findings about one subject. */
export function about(subject: string) {
  return {
    ok: (found: string): Finding => ({ level: 'ok', subject, found }),
    warn: (found: string, advice: string): Finding => ({ level: 'warn', subject, found, advice }),
    fail: (found: string, advice: string): Finding => ({ level: 'fail', subject, found, advice }),
    /** What stopped the looking: an error of ours says what to do by itself. */
    failed: (error: unknown): Finding => ({
      level: 'fail',
      subject,
      found: error instanceof Error ? error.message : String(error),
    }),
  }
}
