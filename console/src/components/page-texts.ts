/** What components say that only pages behind the sign-in have. */
export const cancel = 'Cancel'
export const saving = 'Saving...'
export const refresh = 'Refresh'
export const refreshDoes = 'Reads the list again'
export const clearFilters = 'Clear Filters'
export const typeName = (name: string) => `Type ${name} to confirm`
export const readAt = (time: string) => `Updated ${time}`
export const readFailed = 'Could not be read again.'
export const order = 'Show what happened to it'
export const sortBy = (label: string) => `Sort by ${label.toLowerCase()}`
export const remove = (entry: string) => `Remove ${entry}`
export const bytes = 'bytes'
export const under = (time: string) => `under ${time}`
export const expiryOver = 'Expired'
export const expiryIn = (days: number) => `Expires in ${days} ${days === 1 ? 'day' : 'days'}`
export const holdLabel = 'Keep holding...'
export const holdHint = 'Hold for one second. A short press asks first.'
export const password = 'Password'
export const passwordTitle = (who: string) => `Password of ${who}`
export const passwordText = 'Hand it over now: it is not shown again.'
export const passwordStored = 'I have handed it over or stored it'
export const done = 'Done'
export const notFoundTitle = 'Page Not Found'
export const notFound = 'There is no page at this address:'
export const notFoundBack = 'Back to the overview'
export const copyName = (label: string) => `Copy ${label}`
export const copyDone = 'Copied'
export const copyText = (label: string) => `${label} copied to clipboard`
export const copyNothing = 'Nothing copied'
export const copyFailed = 'Not copied'
export const copyFailedText = (label: string) =>
  `The browser does not allow copying: select the ${label.toLowerCase()} and copy it by hand`
export const liveWaiting = 'Waiting for the first response'
export const liveLive = (time: string) => `Live, last read at ${time}`
export const livePaused = (time: string) => `Paused${time && `, last read at ${time}`}`
export const liveOffline = (time: string) =>
  `Offline${time && ` since ${time}`}; updates resume when you are back online`
export const liveFailed = (time: string, everySeconds: number) =>
  `No response${time && ` since ${time}`}; retrying every ${everySeconds} s`
export const chartEmpty = 'Nothing was recorded in this time'
export const chartCursor = (label: string) => `${label}, values at`
export const chartTable = 'Show as table'
export const chartTime = 'Time'
export const showAll = (count: string) => `Show all ${count}`
export const andMore = (count: string) => `+${count}`
export const times = (count: string) => `× ${count}`
export const orderAt = (order: string, price: string) => `${order} at ${price}`
export const body = 'Body'
export const bodyLabel = 'Response body'
export const bodyFormat = 'Format JSON'
export const bodyCopy = 'Copy body'
export const bodyEmpty = 'The body is empty.'
export const bodyCut = (shown: string, all: string) => `The first ${shown} of ${all} are shown.`
export const bodyDownload = 'Download'
