/**
 * Whether the long form of a campaign runs, which `npm run test:long` sets: more rounds, inputs and
 * scenarios. The short form has each kind of event.
 */
export const IS_LONG = process.env.LONG === '1'
