export const title = 'People'
export const description = 'Who may sign in to this console, and what each may do'
export const what = 'the people'
export const list = (count: number) => `People (${count})`
export const add = 'Add a person'
export const email = 'Email'
export const role = 'Role'
export const roles = { viewer: 'Viewer', operator: 'Operator', admin: 'Admin' } as const
export const roleHints = {
  viewer: 'Sees everything except secrets.',
  operator: 'Also stops and resumes trading, clears queues, and tests keys.',
  admin: 'Also changes clients, keys, limits and people.',
} as const
export const you = 'You'
export const disabled = 'Disabled'
export const kinds = { totp: 'Authenticator app', passkey: 'Passkey' } as const
export const roleFrom = (role: string, provider: string) => `${role}, stated by ${provider}`
export const noFactor = 'None'
export const factorsOfProvider = 'Of the provider'
export const lastUsed = (time: string, sessions: number) =>
  `${sessions} ${sessions === 1 ? 'session' : 'sessions'}, last used ${time}`
export const notSignedIn = 'Not signed in'
export const never = 'Never'
export const columns = {
  email: 'Email',
  role: 'Role',
  factors: 'Second factors',
  session: 'Signed in',
  signIn: 'Last sign-in',
  created: 'Added',
  acts: 'Actions',
} as const
export const actsOf = (who: string) => `Actions of ${who}`

export const addTitle = 'Add a person'
export const addHint = 'A password is generated and shown once. The person can change it.'
export const addSubmit = 'Add'
export const addDone = 'Person added'
export const addDoneText = (who: string) => `${who} can sign in.`

export const changeRole = 'Change role'
export const changeRoleOf = (who: string) => `Change role: ${who}`
export const changeRoleHint =
  'All sessions of the person end, so the old role stops working at once.'
export const save = 'Save'
export const changed = 'Saved'
export const changedText = (who: string, ended: number) =>
  ended === 0 ? `${who} was changed.` : `${who} was changed. Sessions that ended: ${ended}.`
export const question = (action: string, who: string) => `${action}: ${who}?`
export const ofPerson = (action: string, who: string) => `${action}: ${who}`
/** What an action will do, in the palette. */
export const does = {
  add: 'Opens the form',
  role: 'Opens the choice of roles',
  asks: (what: string) => `Asks first: ${what}`,
} as const
/** What is asked before it is done. */
export const acts = {
  disable: {
    label: 'Disable',
    text: 'The person cannot sign in any more, and all sessions end.',
  },
  enable: { label: 'Enable', text: 'The person can sign in again, with the same password.' },
  withoutFactor: {
    label: 'Remove second factors',
    text: 'For a person who has lost them: second factors and recovery codes go, and the password alone is enough until new ones are added. Make sure who asks for it.',
  },
  password: {
    label: 'Reset password',
    text: 'A new password is generated and shown to you once. All sessions of the person end.',
  },
  endSessions: { label: 'End sessions', text: 'The person is signed out everywhere.' },
} as const
