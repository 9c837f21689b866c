/** A log for operators: data and a sentence. Fastify's logger is one. */
export interface OperatorLog {
  warn(facts: object, sentence: string): void
  error(facts: object, sentence: string): void
}
