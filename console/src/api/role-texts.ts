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
