import * as texts from './texts.ts'

/** The choices of the filter by method. */
export const methodOptions = [
  { value: '', label: texts.allMethods },
  ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({ value: method, label: method })),
]
