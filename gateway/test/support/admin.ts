/** The first administrator of every gateway under test. */
export const ADMIN = { email: 'admin@sluice.test', password: 'one-lock-two-gates' }
