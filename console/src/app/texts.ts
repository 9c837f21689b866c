// What is said before and around the pages.

export const loading = 'Loading Sluice'
export const slow = 'The gateway has not responded yet'
export const noStart = 'The console could not be loaded'
export const noStartDetail = (host: string, message: string) =>
  `Check the connection to ${host} and try again; this reloads the page. (${message})`
export const noPage = 'This page could not be shown'
