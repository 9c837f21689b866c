export interface RunOptions<Report> {
  /** How many rounds run at the same time. */
  readonly atOnce: number
  /** After this time no round is begun; absent: all of them. */
  readonly withinMs?: number | undefined
  /** Once it aborts, no round is begun. */
  readonly signal?: AbortSignal | undefined
  /** Called after each round. */
  readonly onRound?: ((report: Report) => void) | undefined
}

/** Runs a round for each plan. @returns their reports, in the order in which they ended */
export async function runEach<Plan, Report>(
  plans: readonly Plan[],
  run: (plan: Plan) => Promise<Report>,
  { atOnce, withinMs, signal, onRound }: RunOptions<Report>,
): Promise<Report[]> {
  const endsMs = withinMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + withinMs
  const waiting = [...plans]
  const reports: Report[] = []
  const work = async () => {
    while (performance.now() < endsMs && signal?.aborted !== true) {
      const plan = waiting.shift()
      if (plan === undefined) return
      const report = await run(plan)
      reports.push(report)
      onRound?.(report)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return reports
}
