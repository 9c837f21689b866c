/** What calls of the gateway say, whichever feature makes them. */
export const error = 'Error'
export const details = 'Details'
export const loading = (what: string) => `Loading ${what}`
export const failed = (what: string) => `Could not read ${what}`
export const unreachable = 'The gateway could not be reached'
export const waits = 'Waits for another admin'
export const waitsForApproval = 'Nothing is changed until another admin approves it.'
export const showApprovals = 'Show what waits'
export const offline = 'You are offline: nothing was sent'
export const noAddress = 'Could not read the gateway address (/config.json)'
export const unexpected = (path: string) =>
  `The response to ${path} does not have the form that the gateway sends`
export const language = (label: string) => `Language of ${label}`
export const restored = 'What you had typed and not sent is here again. Secrets are not kept.'
/** For fields whose schema has no words of its own. */
export const problemsRequired = 'This field is required'
export const problemsAtLeast = (characters: number) => `At least ${characters} characters`
export const problemsAtMost = (characters: number) => `Too long: at most ${characters} characters`
export const problemsChoose = (count: number) => `Choose at least ${count}`
export const problemsEmail = 'Invalid email address'
export const problemsCharacters = 'Spaces and special characters are not allowed here'
export const problemsChoice = 'Choose a value from the list'

// What a role may not do, and what needs a second admin.

export const roles = { viewer: 'viewer', operator: 'operator', admin: 'admin' } as const
export const needs = (mine: keyof typeof roles, needed: keyof typeof roles) =>
  `This needs the role ${roles[needed]}; yours is ${roles[mine]}. An admin can change it.`

export const notAdmin = 'Only admins see this page'
export const notAdminHint = 'Ask an admin for what you need.'

/** What was asked for, by the operation id of the call. */
export const approvalActions: Readonly<Record<string, string>> = {
  saveApiKey: 'Save exchange keys',
  replaceClientLimits: 'Change limits',
  changeClientLimits: 'Change limits',
  resumeClient: 'Resume the client',
  resumeExchange: 'Resume the exchange',
  resumeEverything: 'Resume everything',
  createPerson: 'Add an admin',
  changePerson: 'Change an account',
  resetPassword: 'Reset the password',
}
