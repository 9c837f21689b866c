import type { Histogram, HistogramRequest } from '../../store/log-store.ts'
import type { LogExport, PageRequest } from './log-output.ts'

/** What the worker is asked. Each request has an id of its own. */
export type ToWorker =
  | { readonly type: 'page'; readonly id: number; readonly page: PageRequest }
  | { readonly type: 'histogram'; readonly id: number; readonly request: HistogramRequest }
  | { readonly type: 'export'; readonly id: number; readonly request: LogExport }
  /** The next piece of an export is wanted. */
  | { readonly type: 'more'; readonly id: number }
  /** Nobody waits for the result any more. */
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' }

/** What the worker answers. Texts are UTF-8 bytes, because those are handed over, not copied. */
export type FromWorker =
  | {
      readonly type: 'page'
      readonly id: number
      readonly body: Uint8Array
      readonly total: number
      readonly isMore: boolean
    }
  | { readonly type: 'histogram'; readonly id: number; readonly histogram: Histogram }
  | { readonly type: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly id: number }
  | {
      readonly type: 'error'
      readonly id: number
      readonly message: string
      /** The error's code, such as SQLite's. */
      readonly code: string | undefined
    }
