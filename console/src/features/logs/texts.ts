import { LOG_WINDOW_HOURS } from 'schema'
import { formatCount } from '../../components/format.ts'

export const title = 'Request Logs'
export const what = 'the request logs'
export const description = 'Monitor and analyze API request logs and system activity'
export const filters = 'Log Filters'
export const refresh = 'Refresh'
export const exportCsv = 'Export CSV'
export const exportJsonLines = 'Export JSON lines'
export const searchLabel = 'Search'
export const search = 'Search endpoints or client IDs'
export const statusLabel = 'Status'
export const methodLabel = 'Method'
export const allMethods = 'All Methods'
export const windowHours = `Showing last ${LOG_WINDOW_HOURS} hours`
export const searched = 'All of them are searched: endpoint, client, error code, note, request ID'
export const zoneLabel = 'Time zone'
export const zone = (name: string) => `Times in ${name}`
export const list = 'Recent API Calls'
export const showing = (shown: number, all: number, isMore = false) =>
  `Showing ${formatCount(shown)} of ${formatCount(all)}${isMore ? '+' : ''} requests`
export const loadMore = 'Load more'
export const loadFailed = 'The older requests could not be loaded'
export const exporting = 'Export'
export const cancelExport = 'Cancel export'
/** `all` is absent while it is not known how many there are. */
export const exported = (rows: string, all: string | undefined, size: string) =>
  `${rows}${all === undefined ? '' : ` of ${all}`} rows, ${size}`
export const exportFailed = 'The export failed, so there is no file'
export const loading = 'Loading the request logs'
export const noMatch = 'No logs found matching your criteria'
export const clear = 'Clear Filters'
export const cards = {
  total: 'Total Requests',
  successRate: 'Success Rate',
  avgTime: 'Avg Response Time',
  errorRate: 'Error Rate',
} as const
export const hints = {
  total: `Last ${LOG_WINDOW_HOURS} hours`,
  successRate: '2xx responses',
  avgTime: 'From arrival to response',
  errorRate: '4xx and 5xx responses',
} as const
export const columns = {
  method: 'Method',
  endpoint: 'Endpoint',
  client: 'Client ID',
  time: 'Time',
  took: 'Response',
  status: 'Status',
} as const
export const nothing = '–'
export const emptyExport = 'Nothing to export'
export const emptyCsv = 'The file contains only the header line'
export const emptyJsonLines = 'The file is empty'
export const pause = 'Pause updates'
export const resume = 'Resume updates'
export const slowest = 'Slowest first'
export const sortedBy = {
  time: 'Rows by time',
  took: 'Rows by response time',
  status: 'Rows by status',
} as const
export const ofLoaded = (count: string) => `Sorted: the ${count} that are loaded`
export const newEntries = (count: string) => `${count} new`
export const chart = 'Requests over time'
export const counting = 'the requests over time'
export const chartTotal = 'in all'
export const pickHint = 'Enter shows only this time; with Shift the time grows to here'
export const succeeded = 'Succeeded'
export const failed = 'Failed'
export const other = 'Other'
export const chartOfAll = 'Too many entries match to draw them: the chart shows all requests.'
export const detail = {
  title: 'Request',
  gone: 'The entry of this address is no longer kept.',
  close: 'Close',
  newer: 'Newer',
  older: 'Older',
  onlyEndpoint: 'Only this endpoint',
  onlyClient: 'Only this client',
  onlyStatus: 'Only this status',
  onlyCode: 'Only this error',
  facts: {
    call: 'Method',
    endpoint: 'Endpoint',
    status: 'Status',
    code: 'Error code',
    todo: 'What to do',
    note: 'Note',
    client: 'Client ID',
    exchange: 'Exchange',
    time: 'Time',
    took: 'Response time',
    queue: 'Time in the queue',
    upstream: 'Time at the exchange',
    shared: 'Call',
    isShared: 'Shared with another request',
    isOwn: 'Its own',
    requestId: 'Request ID',
    order: 'Order',
  },
} as const
/** By the last column of the error tables in `docs/errors.md`. */
export const advice = {
  no: 'The same request fails again: change something first.',
  yes: 'The same request can be sent again, after `Retry-After` if it is given.',
  key: 'Send the same request again with the same `Idempotency-Key`.',
  'new token': 'Get a new token, then send the same request again.',
} as const
export const only = (what: string) => `Show only ${what}`
export const activeFilters = 'Active filters'
export const removeFilter = (words: string) => `Remove filter ${words}`
export const span = (from: string, to: string) => `${from} to ${to}`
/** Which filters there are, in the order in which they are shown. */
export const chips = {
  search: 'Search',
  status: 'Status',
  code: 'Status',
  method: 'Method',
  endpoint: 'Endpoint',
  client: 'Client',
  span: 'Time',
} as const
export const saved = {
  open: 'Saved filters',
  title: 'Saved filters',
  none: 'None yet: filter the list, then save the filters with a name.',
  empty: 'Filter the list first',
  name: 'Name for the current filters',
  save: 'Save',
  apply: 'Apply',
  nameOf: (name: string) => `Name of ${name}`,
  applyOf: (name: string) => `Apply ${name}`,
  removeOf: (name: string) => `Remove ${name}`,
} as const

export const statusOptions = [
  { value: '', label: 'All Status' },
  { value: 'success', label: 'Success (2xx)' },
  { value: 'error', label: 'Error (4xx, 5xx)' },
]
