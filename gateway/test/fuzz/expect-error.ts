/** An error that the code under test declares: one with a code and a status below 600. */
export function isDeclared(error: unknown): error is Error & { code: string; statusCode: number } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^[A-Z][A-Z0-9_]+$/.test(error.code) &&
    !error.code.startsWith('FST_') &&
    'statusCode' in error &&
    typeof error.statusCode === 'number'
  )
}

/** What the function returns; undefined when it throws an error that it declares. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (isDeclared(error)) return undefined
    throw error
  }
}
