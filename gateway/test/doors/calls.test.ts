import { testCalls } from './calls.ts'
import { httpDoors } from './http-doors.ts'
import { sharedSluice } from './sluice.ts'

// The doors of SDKs are beside their own tests: bitget-api.test.ts, ccxt.test.ts.
const sluice = sharedSluice()
testCalls(sluice, httpDoors(sluice))
