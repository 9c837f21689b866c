// The texts around every page.

export const skip = 'Skip to content'
export const menu = 'Menu'
export const brand = 'Sluice, overview'
export const name = 'Sluice'
export const subtitle = 'API Middleware'
export const commit = (name: string) => (name === '' ? 'Unknown commit' : `Commit ${name}`)
export const version = (number: string) => `Version ${number}`
export const documentation = 'Documentation'
export const logout = 'Logout'
export const mainNavigation = 'Main'
export const sectionNavigation = 'Sections'
export const groups = { run: 'Run', setUp: 'Set up', govern: 'Govern' } as const
export const exchangeApis = 'Exchange APIs'

export const overviewInTop = 'Dashboard'
export const apiKeysInTop = 'API Key Management'
export const logsInTop = 'Logs'
export const overview = 'Overview'
export const clients = 'Client Credentials'
export const apiKeys = 'API Keys'
export const logs = 'Request Logs'
export const operations = 'Operations'
export const orders = 'Orders'
export const audit = 'Audit'
export const people = 'People'
export const approvals = 'Approvals'
export const waitingApprovals = (count: number) => `${count} waiting`
export const account = 'Your account'
export const connect = 'Connect'
export const streams = 'Event stream'

export const schemes = {
  auto: 'Colour scheme: same as the system',
  light: 'Colour scheme: light',
  dark: 'Colour scheme: dark',
} as const

// Fixed (console-checklist.md, 50 and 51).
export const status = 'System Status'
export const online = 'Online'
export const connection = (exchange: string) => `${exchange} Connection`
export const connected = 'Connected'
export const statusIsFixed =
  'Fixed text, not a measurement: the line at the top says how the exchanges are'

export const offline = 'You are offline'
export const offlineText =
  'This page shows what it read last. It reads again by itself when the connection is back; until then, only what stops trading is sent.'
export const offlineRefused = 'Nothing was sent. What you typed stays in the form.'

export const strip = 'State of the exchanges'
export const stripOffline = 'Offline.'
export const unknown = 'Unknown'
export const outcomes = (count: number) => `${count} ${count === 1 ? 'outcome' : 'outcomes'}`
export const held = (count: number) => `${count} held back`
export const heldMeaning = (clients: string) =>
  `Held back: ${clients}. The requests of others are sent.`
export const lasting = (state: string, age: string) => `${state} for ${age}`
export const since = (time: string) => ` since ${time}`
export const noNetwork = (from: string) => `offline${from}`
export const noData = (from: string) => `no data${from}`
export const reading = 'reading'
export const updatedNow = 'updated now'
export const updated = (age: string) => `updated ${age} ago`
export const old = (age: string) => `not current: updated ${age} ago`
