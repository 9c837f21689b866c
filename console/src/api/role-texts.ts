// What a role may not do.

export const roles = { viewer: 'viewer', operator: 'operator', admin: 'admin' } as const
export const needs = (mine: keyof typeof roles, needed: keyof typeof roles) =>
  `This needs the role ${roles[needed]}; yours is ${roles[mine]}. An admin can change it.`
