import { LOG_WINDOW_HOURS } from 'schema'
import { formatCount } from '../../components/format.ts'

export const texts = {
  title: 'Request Logs',
  description: 'Monitor and analyze API request logs and system activity',
  filters: 'Log Filters',
  refresh: 'Refresh',
  exportCsv: 'Export CSV',
  exportJsonLines: 'Export JSON lines',
  searchLabel: 'Search',
  search: 'Search endpoints or client IDs',
  statusLabel: 'Status',
  methodLabel: 'Method',
  window: `Showing last ${LOG_WINDOW_HOURS} hours`,
  cut: (count: string) => `the newest ${count} of them`,
  zoneLabel: 'Time zone',
  zone: (name: string) => `Times in ${name}`,
  list: 'Recent API Calls',
  showing: (shown: number, all: number, isMore = false) =>
    `Showing ${formatCount(shown)} of ${formatCount(all)}${isMore ? '+' : ''} requests`,
  loadMore: 'Load more',
  loadFailed: 'The older requests could not be loaded',
  exportFailed: 'The export failed, so there is no file',
  loading: 'Loading the request logs',
  noMatch: 'No logs found matching your criteria',
  clear: 'Clear Filters',
  cards: {
    total: 'Total Requests',
    successRate: 'Success Rate',
    avgTime: 'Avg Response Time',
    errorRate: 'Error Rate',
  },
  hints: {
    total: `Last ${LOG_WINDOW_HOURS} hours`,
    successRate: '2xx responses',
    avgTime: 'From arrival to response',
    errorRate: '4xx and 5xx responses',
  },
  columns: {
    method: 'Method',
    endpoint: 'Endpoint',
    client: 'Client ID',
    time: 'Time',
    took: 'Response',
    status: 'Status',
  },
  nothing: '–',
  emptyExport: 'Nothing to export',
  emptyCsv: 'The file contains only the header line',
  emptyJsonLines: 'The file is empty',
  pause: 'Pause updates',
  resume: 'Resume updates',
  slowest: 'Slowest first',
  sortedBy: { time: 'Rows by time', took: 'Rows by response time', status: 'Rows by status' },
  strip: 'Requests over time',
  counts: (successes: string, errors: string) => `${successes} succeeded, ${errors} failed`,
  only: (what: string) => `Show only ${what}`,
  activeFilters: 'Active filters',
  removeFilter: (words: string) => `Remove filter ${words}`,
  /** Which filters there are, in the order in which they are shown. */
  chips: {
    search: 'Search',
    status: 'Status',
    code: 'Status',
    method: 'Method',
    endpoint: 'Endpoint',
    client: 'Client',
    span: 'Time',
  },
  saved: {
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
  },
} as const

export const statusOptions = [
  { value: '', label: 'All Status' },
  { value: 'success', label: 'Success (2xx)' },
  { value: 'error', label: 'Error (4xx, 5xx)' },
]

export const methodOptions = [
  { value: '', label: 'All Methods' },
  ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({ value: method, label: method })),
]
