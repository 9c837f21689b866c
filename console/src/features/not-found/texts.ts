export const title = 'Page Not Found'
export const before = 'There is no page at '
export const after = '.'
export const back = 'Back to the overview'
