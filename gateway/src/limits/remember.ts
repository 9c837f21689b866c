/** More than the limits and prices of all clients in a minute; then all are forgotten. */
const RESULTS_MAX = 2_000

/** The same function of one text; it calculates each result once, as long as few are asked for. */
export function remember<Result>(calculate: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = calculate(text)
    if (results.size >= RESULTS_MAX) results.clear()
    results.set(text, result)
    return result
  }
}
