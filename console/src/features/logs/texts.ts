import { LOG_WINDOW_HOURS } from 'schema'
import { formatCount } from '../../components/format.ts'

export const title = 'Request Logs'
export const what = 'the request logs'
export const description = 'Monitor and analyze API request logs and system activity'
export const filters = 'Log Filters'
export const refresh = 'Refresh'
export const exportCsv = 'Export CSV'
export const exportJsonLines = 'Export JSON lines'
export const more = 'More'
export const searchLabel = 'Search'
export const search = 'Search endpoints or client IDs'
export const statusLabel = 'Status'
export const methodLabel = 'Method'
export const allMethods = 'All Methods'
export const periodLabel = 'Period'
export const periods = [
  { minutes: 0, label: `Last ${LOG_WINDOW_HOURS} hours` },
  { minutes: 360, label: 'Last 6 hours' },
  { minutes: 60, label: 'Last hour' },
  { minutes: 15, label: 'Last 15 minutes' },
] as const
export const windowHours = `Showing last ${LOG_WINDOW_HOURS} hours`
export const searched = 'All of them are searched: endpoint, client, error code, note, request ID'
export const isOrder = 'This is an order:'
export const orderLife = 'show its life'
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
export const figures = {
  total: { label: 'Total Requests', hint: `Last ${LOG_WINDOW_HOURS} hours` },
  successRate: { label: 'Success Rate', hint: '2xx responses' },
  avgTime: { label: 'Avg Response Time', hint: 'From arrival to response' },
  errorRate: { label: 'Error Rate', hint: '4xx and 5xx responses' },
} as const
export const ofThemRefused = (percent: string) => `${percent} refused by Sluice`
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
export const emptyFile = {
  csv: 'The file contains only the header line',
  jsonl: 'The file is empty',
} as const
export const pause = 'Pause updates'
export const resume = 'Resume updates'
export const sortedBy = {
  time: 'Rows by time',
  took: 'Rows by response time',
  status: 'Rows by status',
} as const
export const ofLoaded = (count: string) => `Sorted: the ${count} that are loaded`
export const newEntries = (count: string) => `${count} new`
export const chart = 'Requests over time'
export const counting = 'the requests over time'
export const chartTotal = 'total'
export const pickHint = 'Enter shows only this time; with Shift the time grows to here'
export const results = {
  success: 'Succeeded',
  failed: 'Failed',
  refused: 'Refused',
  other: 'Other',
} as const
export const chartOfAll = 'Too many entries match to draw them: the chart shows all requests.'
export const fold = {
  words: (count: string, first: string) => `× ${count}, first ${first}`,
  open: (count: string) => `Show all ${count}`,
  close: 'Show as one',
} as const
export const rowFilters = (endpoint: string) => `Filters by ${endpoint}`
export const gone = 'The entry of this address is no longer kept.'
export const only = (what: string) => `Show only ${what}`
export const activeFilters = 'Active filters'
export const removeFilter = (words: string) => `Remove filter ${words}`
export const span = (from: string, to: string) => `${from} to ${to}`
export const since = (from: string) => `Since ${from}`
/** Which filters there are, in the order in which they are shown. */
export const chips = {
  search: 'Search',
  status: 'Status',
  refused: 'Refused by Sluice',
  code: 'Status',
  method: 'Method',
  endpoint: 'Endpoint',
  client: 'Client',
  span: 'Time',
} as const
export const refusals = { hide: 'hidden', only: 'these alone' } as const
export const hideRefusals = 'Hide what Sluice refused'
export const showRefusals = 'Show what Sluice refused'
/** What an action will do, in the palette. */
export const does = {
  refresh: 'Reads the list again',
  clear: 'Shows all requests',
  exports: 'Saves all that pass the filters in a file',
  refusals: (isHidden: boolean) => (isHidden ? 'Takes the filter away' : 'Sets a filter'),
  saved: 'Opens the list of saved filters',
  zone: 'Changes the times of the list',
  pause: (isPaused: boolean) => (isPaused ? 'Reads new requests again' : 'The list stays as it is'),
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
