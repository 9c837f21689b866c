/** A client to insert. */
export const newClient = (clientId = 'grid-bot') => ({
  ...{ clientId, description: null, secretHash: 'hash', secretPreview: 'sls_abcd...wxyz' },
  createdAtMs: 1_000,
})
